"""Examples of the text dataset as pairs: two per example, one for each negative.

Knows the columns of the `examples` view; nothing of pair files of others.
"""

from collections.abc import Iterator, Sequence
from typing import TypedDict, cast

import pyarrow as pa

from artifacts.errors import StoreError
from artifacts.plans import Pair
from validators.audit.pairs import ExampleFacts, PairTable, make_pairs

_COLUMNS = (
    "construction",
    "positive",
    "negative_attribute",
    "negative_object",
    "pairs",
    "described_first",
)
#: Rows become Python objects in batches of this size, so that the whole table never does at once.
_BATCH_ROWS = 5_000


class _PairRow(TypedDict):
    attributes: list[str]
    object: str


class _ExampleRow(TypedDict):
    construction: str
    positive: str
    negative_attribute: str
    negative_object: str
    pairs: list[_PairRow]
    described_first: int | None


def pairs_of_examples(table: pa.Table) -> PairTable:
    """Return both pairs of every example of `table`, which has the columns of `examples`."""
    _require_columns(table)
    positives: list[str] = []
    negatives: list[str] = []
    constructions: list[str] = []
    groups: list[tuple[str, ...]] = []
    examples: list[ExampleFacts] = []
    words: dict[str, str] = {}
    for row in _rows(table.select(list(_COLUMNS))):
        example = _facts(row, words)
        examples.append(example)
        positives += [example.positive, example.positive]
        negatives += [row["negative_attribute"], row["negative_object"]]
        constructions += [example.construction, example.construction]
        groups += [_words_of(example.pairs)] * 2
    return make_pairs(positives, negatives, groups, constructions, examples)


def _require_columns(table: pa.Table) -> None:
    missing = [name for name in _COLUMNS if name not in table.column_names]
    if missing or not table.num_rows:
        found = ", ".join(table.column_names) or "no column"
        raise StoreError(
            f"an audit of examples needs rows with {', '.join(_COLUMNS)}; "
            f"found {table.num_rows:,} rows with {found}"
        )


def _rows(table: pa.Table) -> Iterator[_ExampleRow]:
    for batch in table.to_batches(max_chunksize=_BATCH_ROWS):
        # Arrow has checked the types of the columns, a `TypedDict` is what they look like here.
        yield from cast("list[_ExampleRow]", batch.to_pylist())


def _facts(row: _ExampleRow, words: dict[str, str]) -> ExampleFacts:
    return ExampleFacts(
        words.setdefault(row["construction"], row["construction"]),
        row["positive"],
        tuple(_pair(pair, words) for pair in row["pairs"]),
        row["described_first"],
    )


def _pair(pair: _PairRow, words: dict[str, str]) -> Pair:
    """Return the pair of case-folded words, each string kept once however often it occurs."""
    attributes = (attribute.casefold() for attribute in pair["attributes"])
    folded = pair["object"].casefold()
    return Pair(
        tuple(words.setdefault(attribute, attribute) for attribute in attributes),
        words.setdefault(folded, folded),
    )


def _words_of(pairs: Sequence[Pair]) -> tuple[str, ...]:
    """Return the attribute-object set: the words, whatever their pairing."""
    return tuple(sorted(word for pair in pairs for word in (*pair.attributes, pair.object)))
