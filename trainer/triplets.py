"""The triplets that a run trains on and is validated on, read from a published dataset.

Knows the views `triplets` and `scenes` of a build, which of the rows a recipe asks for, and how
some of them are drawn. Knows nothing of models.

A draw takes whole examples: the two triplets of one share query and positive, so either both are
in or none, and each kind of negative is half of what is trained on (an odd number leaves the last
example one). Which examples come first depends on the seed and their ids alone, so the draw of a
smaller number is part of that of a larger one. Validation triplets are held to the same overlap.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.errors import DamagedFileError, TrainingError
from artifacts.manifest import read_manifest
from artifacts.seeds import derive_seed
from trainer.overlap import SaberWords
from trainer.recipe import Overlap, Recipe

#: What a table of triplets must have, all of it text.
COLUMNS = ("example_id", "kind", "split", "query", "positive", "negative")

_SQL = f"""
    SELECT {", ".join(COLUMNS)} FROM triplets WHERE split IN ('train', 'validation')
    ORDER BY example_id, kind
"""
_WORDS_SQL = """
    SELECT DISTINCT unnest([binding.attribute, binding.object]) AS word
    FROM scenes, unnest(bindings) AS bound (binding)
"""


class Triplet(NamedTuple):
    """A query, the caption that has its bindings, and one that has others."""

    example_id: str
    kind: str
    query: str
    positive: str
    negative: str


@dataclass(frozen=True, slots=True)
class Triplets:
    """What a run trains on and is validated on, and where it comes from."""

    train: tuple[Triplet, ...]
    validation: tuple[Triplet, ...]
    #: Fingerprint of the dataset that they were read from, as its manifest has it.
    dataset: str

    def fingerprint(self) -> str:
        """Return the checksum of the triplets themselves, in their order."""
        digest = hashlib.sha256()
        for part in (self.train, self.validation):
            digest.update(len(part).to_bytes(8, "big"))
            for triplet in part:
                for text in triplet:
                    digest.update(text.encode() + b"\0")
        return digest.hexdigest()


def read_triplets(build: Build, recipe: Recipe, words: SaberWords | None = None) -> Triplets:
    """Return the triplets that `recipe` asks for of the published dataset of `build`.

    The words of SABER are those of the scenes in the same build unless `words` are given. Raises
    BuildMissingError if there is no finished dataset, TrainingError where nothing is left to train
    on or to validate with.
    """
    manifest = read_manifest(build.manifest("dataset"))
    with _rows_of(build) as connection:
        table = connection.sql(_SQL).to_arrow_table()
    if words is None and recipe.overlap != "all":
        words = saber_words(build)
    return select_triplets(table, recipe, words, manifest.fingerprint)


def saber_words(build: Build) -> SaberWords:
    """Return the attributes and objects of the benchmark in `build`."""
    require_saber(build)
    with connect(build, {"scenes"}) as connection:
        return SaberWords(word for (word,) in connection.sql(_WORDS_SQL).fetchall())


def require_saber(build: Build) -> None:
    """Raise TrainingError where the build has no benchmark whose words could be left out."""
    if "benchmark" not in build.finished_stages():
        raise TrainingError(
            f"overlap other than all needs the words of SABER, and build {build.name!r} has no "
            "benchmark; run `saber benchmark`, or train with overlap = all"
        )


def select_triplets(
    table: pa.Table, recipe: Recipe, words: SaberWords | None, dataset: str
) -> Triplets:
    """Return the triplets of `table` that `recipe` asks for.

    Raises TrainingError if a column is missing or holds no text, or if a split comes out empty.
    """
    rows = _checked_rows(table)
    if not rows:
        raise TrainingError(
            "expected triplets of the splits train and validation, found none: the dataset has "
            "quotas of 0 but for the constructions that are held out; build it with more"
        )
    kept = {split: _overlapping(rows[split], recipe.overlap, words) for split in rows}
    train = _draw(kept.get("train", []), recipe.max_triplets, recipe.seed)
    validation = _draw(kept.get("validation", []), recipe.validation_triplets, recipe.seed)
    _require_some(train, "train", rows, recipe)
    if recipe.validation_triplets:
        _require_some(validation, "validation", rows, recipe)
    return Triplets(tuple(train), tuple(validation), dataset)


def _rows_of(build: Build) -> duckdb.DuckDBPyConnection:
    try:
        return connect(build, {"triplets"})
    except pa.ArrowException as error:
        raise DamagedFileError(f"the triplets of build {build.name!r}: {error}") from error


def _checked_rows(table: pa.Table) -> dict[str, list[Triplet]]:
    missing = [name for name in COLUMNS if name not in table.column_names]
    if missing:
        raise TrainingError(
            f"triplets need the columns {', '.join(COLUMNS)}; found "
            f"{', '.join(table.column_names)}, without {', '.join(missing)}"
        )
    columns = {name: table.column(name) for name in COLUMNS}
    for name, column in columns.items():
        if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
            raise TrainingError(f"triplets: column {name}: expected text, found {column.type}")
        if column.null_count or "" in column.unique().to_pylist():
            raise TrainingError(f"triplets: column {name}: expected text in every row, found none")
    return _by_split(columns)


def _by_split(columns: Mapping[str, "pa.ChunkedArray[Any]"]) -> dict[str, list[Triplet]]:
    rows: dict[str, list[Triplet]] = {}
    names = [name for name in COLUMNS if name != "split"]
    values = zip(*(columns[name].to_pylist() for name in names), strict=True)
    for split, row in zip(columns["split"].to_pylist(), values, strict=True):
        rows.setdefault(str(split), []).append(Triplet(*row))
    return rows


def _overlapping(rows: list[Triplet], overlap: Overlap, words: SaberWords | None) -> list[Triplet]:
    if overlap == "all":
        return rows
    if not words:
        raise TrainingError(f"overlap = {overlap} needs the words of SABER, found none")
    wanted = overlap == "only"
    return [row for row in rows if words.mentioned_in(row.query, row.positive) is wanted]


def _draw(rows: list[Triplet], wanted: int | None, seed: int) -> list[Triplet]:
    if wanted is None:
        return rows
    ranks = {name: derive_seed(seed, "triplets", name) for name in _names(rows)}
    return sorted(rows, key=lambda row: (ranks[row.example_id], row.example_id, row.kind))[:wanted]


def _names(rows: Iterable[Triplet]) -> set[str]:
    return {row.example_id for row in rows}


def _require_some(
    drawn: list[Triplet], split: str, rows: dict[str, list[Triplet]], recipe: Recipe
) -> None:
    if drawn:
        return
    there = len(rows.get(split, []))
    remedy = "build a larger dataset, or train with overlap = all"
    if split == "validation":
        remedy += ", or set validation_triplets to 0"
    raise TrainingError(
        f"no triplets of the split {split}: {there:,} are there, none with "
        f"overlap = {recipe.overlap}; {remedy}"
    )
