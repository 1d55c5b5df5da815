"""The examples as they are stored, streamed a batch at a time with what else is known of each.

A construction's rows come in the order of their attempts. Judges nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import duckdb

from artifacts.plans import Pair, Range
from validators.dataset.findings import number

#: Rows that are Python objects at one time.
_BATCH_ROWS = 2_000
#: Attempts that DuckDB joins and sorts at one time: memory stays flat however many there are.
_WINDOW_ATTEMPTS = 10_000

#: Columns that a row keeps as they are.
_PLAIN = (
    *("example_id", "construction", "attempt", "query", "positive", "negative_attribute"),
    *("negative_object", "length_words", "distance_words", "scene", "register", "opener"),
    *("counterbalanced", "kept_pair", "swapped_slot", "described_first", "writer"),
)
_ATTEMPTS = "SELECT coalesce(max(attempt) + 1, 0) FROM examples WHERE construction = $1"
_EXAMPLES = f"""
    SELECT
        {", ".join(f"stored.{name}" for name in _PLAIN)},
        pairs, distractors, band_low, band_high, window_low, window_high, families,
        words.attributes AS counted_attributes, words.objects AS counted_objects, drafts.raw
    FROM examples AS stored
    LEFT JOIN accepted_words AS words USING (construction, attempt)
    LEFT JOIN attempts AS drafts USING (construction, attempt)
    WHERE construction = $1 AND attempt >= $2 AND attempt < $3
    ORDER BY attempt
"""

#: Types are the schema's business: a value has the type of its column.
StoredRow = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ExampleRow:
    """A row of `examples`, with its rows of `accepted_words` and `attempts`."""

    example_id: str
    construction: str
    attempt: int
    query: str
    positive: str
    negative_attribute: str
    negative_object: str
    pairs: tuple[Pair, ...]
    distractors: tuple[Pair, ...]
    length_words: int
    band: Range
    distance_words: int
    window: Range
    scene: str
    register: str
    opener: str
    families: tuple[str | None, ...]
    counterbalanced: bool
    kept_pair: int | None
    swapped_slot: int | None
    described_first: int | None
    writer: str
    #: The words that the ledger counted, attributes and objects; None where no row says so.
    counted: tuple[tuple[str, ...], tuple[str, ...]] | None
    #: The draft as it arrived; None where its attempt is missing.
    raw: str | None


def stream_examples(
    connection: duckdb.DuckDBPyConnection, construction: str
) -> Iterator[ExampleRow]:
    """Yield a construction's examples; nothing else may be asked of `connection` meanwhile."""
    for first in range(0, number(connection, _ATTEMPTS, [construction]), _WINDOW_ATTEMPTS):
        window = (construction, first, first + _WINDOW_ATTEMPTS)
        yield from map(_example, stream_rows(connection, _EXAMPLES, window))


def stream_rows(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[object]
) -> Iterator[StoredRow]:
    """Yield the rows of a query with only a batch of them in memory."""
    relation = connection.sql(query, params=list(parameters))
    for batch in relation.to_arrow_reader(_BATCH_ROWS):
        yield from batch.to_pylist()


def _example(row: StoredRow) -> ExampleRow:
    attributes, objects = row["counted_attributes"], row["counted_objects"]
    return ExampleRow(
        **{name: row[name] for name in _PLAIN},
        pairs=_pairs(row["pairs"]),
        distractors=_pairs(row["distractors"]),
        band=Range(row["band_low"], row["band_high"]),
        window=Range(row["window_low"], row["window_high"]),
        families=tuple(row["families"]),
        counted=None if attributes is None else (tuple(attributes), tuple(objects)),
        raw=row["raw"],
    )


class _StoredPair(TypedDict):
    attributes: list[str]
    object: str


def _pairs(stored: Sequence[_StoredPair]) -> tuple[Pair, ...]:
    return tuple([Pair(tuple(pair["attributes"]), pair["object"]) for pair in stored])
