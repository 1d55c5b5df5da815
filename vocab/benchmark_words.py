"""The benchmark's objects and attributes, read from two TOML files and checked once.

A folder holds `objects.toml` and `attributes.toml`; the packaged one is `vocab/saber`. A user's own
folder may have any number of words. The counts of the packaged one are pinned by its tests, not
here. This module doesn't know what a question, a caption or an image is.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType

from vocab.benchmark_files import (
    ATTRIBUTES_NAME,
    OBJECTS_NAME,
    AttributesFile,
    AttributeType,
    ObjectsFile,
    read_attributes,
    read_bytes,
    read_objects,
)
from vocab.errors import VocabularyError


@dataclass(frozen=True, slots=True)
class Attribute:
    """A visual attribute, and every look that its name may stand for, in a fixed order."""

    name: str
    category: str
    type: AttributeType
    forms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of one benchmark, in file order; every object is a key of `confusable`."""

    objects: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    palette: tuple[str, ...]
    confusable: Mapping[str, frozenset[str]]


def load_vocabulary(folder: Path | None = None) -> Vocabulary:
    """Read the word files of a folder; without one, those that come with the package.

    Raises:
        VocabularyError: a file is missing, is not TOML, or holds words that a caption can't use.

    """
    return _packaged_vocabulary() if folder is None else _read_vocabulary(folder)


def vocabulary_files(folder: Path | None = None) -> dict[str, bytes]:
    """Return the word files of a folder as they are, to keep beside what was made from them."""
    source = _packaged_folder() if folder is None else folder
    return {name: read_bytes(source.joinpath(name)) for name in (OBJECTS_NAME, ATTRIBUTES_NAME)}


@cache
def _packaged_vocabulary() -> Vocabulary:
    return _read_vocabulary(_packaged_folder())


def _packaged_folder() -> Traversable:
    return files("vocab").joinpath("saber")


def _read_vocabulary(folder: Traversable) -> Vocabulary:
    objects = read_objects(folder)
    attributes = read_attributes(folder)
    _check_no_object_is_an_attribute(folder, objects, attributes)
    palette = tuple(attributes.palette)
    return Vocabulary(
        objects=tuple(objects.objects),
        attributes=tuple(
            Attribute(entry.name, entry.category, entry.type, entry.forms(palette))
            for entry in attributes.attribute
        ),
        palette=palette,
        confusable=_confusable(objects.objects, objects.confusable),
    )


def _check_no_object_is_an_attribute(
    folder: Traversable, objects: ObjectsFile, attributes: AttributesFile
) -> None:
    # "A golden brick and a brick kite" would leave it open which word is the object.
    attribute_names = {entry.name.casefold() for entry in attributes.attribute}
    for number, name in enumerate(objects.objects, start=1):
        if name.casefold() in attribute_names:
            raise VocabularyError(
                f"{folder.joinpath(OBJECTS_NAME)}: objects #{number}: expected an object that is "
                f"no attribute of attributes.toml, found {name!r}; rename or remove one of the two"
            )


def _confusable(
    objects: Iterable[str], groups: Iterable[list[str]]
) -> Mapping[str, frozenset[str]]:
    look_alikes: dict[str, set[str]] = {name: set() for name in objects}
    for group in groups:
        for name in group:
            look_alikes[name].update(group)
    return MappingProxyType(
        {name: frozenset(others - {name}) for name, others in look_alikes.items()}
    )
