"""The form of the benchmark's two word files, and what is said of a file that breaks it.

Knows TOML tables and what a word in a caption may look like; not what the words are used for.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from importlib.resources.abc import Traversable
from itertools import permutations
from reprlib import Repr
from typing import Annotated, Literal, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from vocab.errors import VocabularyError

OBJECTS_NAME = "objects.toml"
ATTRIBUTES_NAME = "attributes.toml"

AttributeType = Literal["standalone", "single-color", "two-color", "fixed-variant"]


# ---- what a word may look like ----

# Any of these would end a caption, or part it, in the middle of a name.
_PUNCTUATION = re.compile(r"[.,;:!?]")
_SLOT = re.compile(r"\{[^{}]*\}")


def _fault(expected: str, found: object, remedy: str) -> PydanticCustomError:
    # A template's braces are filled, and a found form may hold some: the text goes in as a value.
    sentence = f"expected {expected}, found {_shown(found)}; {remedy}"
    return PydanticCustomError("vocabulary", "{sentence}", {"sentence": sentence})


def _check_label(text: str) -> str:
    if not text.strip():
        raise _fault("some text", text, "fill it in")
    return text


def _check_words(text: str) -> str:
    _check_label(text)
    if " ".join(text.split()) != text or not text.isprintable():
        raise _fault("words parted by single spaces", text, "remove the other spaces")
    if _PUNCTUATION.search(text):
        raise _fault("words without punctuation (. , ; : ! ?)", text, "remove it")
    return text


def _check_name(name: str) -> str:
    _check_words(name)
    if "and" in name.casefold().split():
        # A caption joins its pairs with this word.
        raise _fault('a name without the word "and"', name, "rename it")
    return name


def _check_distinct(names: list[str]) -> list[str]:
    seen: set[str] = set()
    for name in names:
        if name.casefold() in seen:
            raise _fault("each name once, whatever its case", name, "remove the repetition")
        seen.add(name.casefold())
    return names


def _check_slots(form: str, *slots: str) -> str:
    found = Counter(_SLOT.findall(form))
    stray_brace = re.search(r"[{}]", _SLOT.sub("", form))
    if stray_brace or found != Counter(slots):
        wanted = " and ".join(f"{slot} once" for slot in slots) or "no braces"
        raise _fault(f"a text with {wanted}", form, "mend its placeholders")
    return form


def _check_plain(form: str) -> str:
    return _check_slots(form)


def _check_one_color(form: str) -> str:
    return _check_slots(form, "{color}")


def _check_two_colors(form: str) -> str:
    return _check_slots(form, "{color_1}", "{color_2}")


_Label = Annotated[str, AfterValidator(_check_label)]
_Name = Annotated[str, AfterValidator(_check_name), AfterValidator(_check_plain)]
_Names = Annotated[list[_Name], Field(min_length=1), AfterValidator(_check_distinct)]
_Plain = Annotated[str, AfterValidator(_check_words), AfterValidator(_check_plain)]
_OneColor = Annotated[str, AfterValidator(_check_words), AfterValidator(_check_one_color)]
_TwoColors = Annotated[str, AfterValidator(_check_words), AfterValidator(_check_two_colors)]
_Variants = Annotated[list[_Plain], Field(min_length=1), AfterValidator(_check_distinct)]
_Group = Annotated[list[_Name], Field(min_length=2), AfterValidator(_check_distinct)]


# ---- the two files ----


class _Table(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class _Entry(_Table):
    name: _Name
    category: _Label


class _Standalone(_Entry):
    type: Literal["standalone"]
    form: _Plain | None = None

    def forms(self, palette: tuple[str, ...]) -> tuple[str, ...]:
        return (self.form or self.name,)


class _SingleColor(_Entry):
    type: Literal["single-color"]
    form: _OneColor

    def forms(self, palette: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.form.replace("{color}", color) for color in palette)


class _TwoColor(_Entry):
    type: Literal["two-color"]
    form: _TwoColors

    def forms(self, palette: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(
            self.form.replace("{color_1}", first).replace("{color_2}", second)
            for first, second in permutations(palette, 2)
        )


class _FixedVariant(_Entry):
    type: Literal["fixed-variant"]
    variants: _Variants

    def forms(self, palette: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.variants)


_AnyEntry = Annotated[
    _Standalone | _SingleColor | _TwoColor | _FixedVariant, Field(discriminator="type")
]


def _check_distinct_entries(entries: list[_AnyEntry]) -> list[_AnyEntry]:
    _check_distinct([entry.name for entry in entries])
    return entries


class ObjectsFile(_Table):
    """`objects.toml`: the objects, and groups of look-alikes that never share a scene."""

    objects: _Names
    confusable: list[_Group] = Field(default_factory=list)

    @model_validator(mode="after")
    def _groups_name_known_objects(self) -> Self:
        known = set(self.objects)
        for number, group in enumerate(self.confusable, start=1):
            for name in group:
                if name not in known:
                    expected = f"in confusable #{number} names that objects lists"
                    raise _fault(expected, name, "add it to objects or remove it here")
        return self


class AttributesFile(_Table):
    """`attributes.toml`: the palette, and the attributes with their generation forms."""

    # Left out where no attribute has a color slot; an empty one is a mistake like any empty list.
    palette: _Names = Field(default_factory=list)
    attribute: Annotated[
        list[_AnyEntry], Field(min_length=1), AfterValidator(_check_distinct_entries)
    ]

    @model_validator(mode="after")
    def _palette_fills_every_slot(self) -> Self:
        for entry in self.attribute:
            least = {"single-color": 1, "two-color": 2}.get(entry.type, 0)
            if len(self.palette) < least:
                expected = f"a palette of at least {least} for the {entry.type} {entry.name!r}"
                raise _fault(expected, self.palette, "add colors to palette")
        return self


_FileT = TypeVar("_FileT", bound=_Table)


def read_objects(folder: Traversable) -> ObjectsFile:
    """Return the objects of a folder; raises VocabularyError naming the place of a fault."""
    return _read(folder.joinpath(OBJECTS_NAME), ObjectsFile)


def read_attributes(folder: Traversable) -> AttributesFile:
    """Return the attributes of a folder; raises VocabularyError naming the place of a fault."""
    return _read(folder.joinpath(ATTRIBUTES_NAME), AttributesFile)


def read_bytes(path: Traversable) -> bytes:
    """Return the content of a word file; raises VocabularyError if there is none to read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise VocabularyError(
            f"{path}: expected a readable file, found none ({error.strerror}); create it, or name "
            "the folder that holds objects.toml and attributes.toml"
        ) from error


def _read(path: Traversable, model: type[_FileT]) -> _FileT:
    content = read_bytes(path)
    try:
        return model.model_validate(tomllib.loads(content.decode("utf-8")))
    except ValidationError as error:
        raise VocabularyError(f"{path}: {_first_fault(error, model)}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise VocabularyError(
            f"{path}: expected TOML in UTF-8, found {_one_line(str(error))}; mend the file there"
        ) from error


# ---- a validation error as one line ----

_ENTRY_OF_TYPE: dict[str, type[_Table]] = {
    "standalone": _Standalone,
    "single-color": _SingleColor,
    "two-color": _TwoColor,
    "fixed-variant": _FixedVariant,
}


def _first_fault(error: ValidationError, model: type[_Table]) -> str:
    # One fault a line: the first mended, the next load names the next.
    first, *others = error.errors(include_url=False)
    place = _place(first["loc"])
    more = f" (and {len(others)} more)" if others else ""
    return f"{place}{_one_line(_sentence(first, model))}{more}"


def _place(loc: tuple[int | str, ...]) -> str:
    """Spell a pydantic location as a reader of the file counts: "attribute #4, form: "."""
    words = ""
    # The third part of an attribute's location is its type, which is no key of the file.
    for part in loc if loc[:1] != ("attribute",) else loc[:2] + loc[3:]:
        words += f" #{part + 1}" if isinstance(part, int) else f", {_one_line(part)}"
    return f"{words.removeprefix(', ')}: " if words else ""


def _sentence(fault: ErrorDetails, model: type[_Table]) -> str:
    found = _shown(fault["input"])
    context = fault.get("ctx", {})
    match fault["type"]:
        case "missing":
            return f"expected this key, found none in {found}; add it"
        case "extra_forbidden":
            known = ", ".join(_known_keys(fault["loc"], model))
            return f"expected one of the keys {known}, found this one; remove or respell it"
        case "string_type":
            return f"expected a text, found {found}; put it in quotes"
        case "list_type":
            return f"expected a list, found {found}; put it in square brackets"
        case "too_short":
            return f"expected at least {context['min_length']}, found {found}; add to the list"
        case "union_tag_invalid" | "union_tag_not_found":
            types = ", ".join(_ENTRY_OF_TYPE)
            return f"expected a type out of {types}, found {found}; set its type to one of these"
        case "model_type" | "model_attributes_type":
            return f"expected a table, found {found}; write it as key = value lines"
        case _:
            return fault["msg"]


def _known_keys(loc: tuple[int | str, ...], model: type[_Table]) -> Iterable[str]:
    is_in_entry = loc[0] == "attribute" and len(loc) > 2
    table = _ENTRY_OF_TYPE[str(loc[2])] if is_in_entry else model
    return table.model_fields


_REPR = Repr()
_REPR.maxstring = _REPR.maxother = 80


def _shown(found: object) -> str:
    return _one_line(_REPR.repr(found))


def _one_line(text: str) -> str:
    return " ".join(text.split())
