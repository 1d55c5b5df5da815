"""The views of a dataset that accepted fourteen examples, for every rule to pass.

Attempt 1 of each construction was rejected, and pair_swap has two attempts after its quota. A test
edits an example before the rows of the other views follow from it, or one of those rows by itself.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass

import duckdb
import pyarrow as pa

from artifacts.records import (
    AcceptedWordsRow,
    Attempt,
    Example,
    Record,
    Rejection,
    SplitMember,
    Triplet,
)
from artifacts.reports import RuleReport
from artifacts.schema import arrow_schema
from tests.validators.dataset.tiny_examples import FAMILIES, Row, tiny_examples
from validators.dataset import DatasetExpectation, validate_dataset

CONSTRUCTIONS = (
    *("pair_swap", "attr_bundle", "predicative", "triple_bind_cycle", "triple_bind_swap"),
    *("deferred_bind_anaphoric", "deferred_bind_respective"),
)
HELD_OUT = frozenset(CONSTRUCTIONS[5:])
EXPECTED = DatasetExpectation(
    quotas=dict.fromkeys(CONSTRUCTIONS, 2),
    counterbalance=True,
    held_out=HELD_OUT,
    families=FAMILIES,
)


#: All other open examples train.
SPLITS = {"attr_bundle-2": "validation", "predicative-2": "test"}


@dataclass
class Rows:
    """The rows of the six views."""

    examples: list[Row]
    attempts: list[Row]
    rejections: list[Row]
    accepted_words: list[Row]
    splits: list[Row]
    triplets: list[Row]

    def example(self, name: str) -> Row:
        return next(row for row in self.examples if row["example_id"] == name)

    def attempt(self, construction: str, attempt: int) -> Row:
        key = (construction, attempt)
        return next(row for row in self.attempts if (row["construction"], row["attempt"]) == key)

    def triplet(self, name: str, kind: str) -> Row:
        return next(
            row for row in self.triplets if (row["example_id"], row["kind"]) == (name, kind)
        )


def tiny_rows() -> Rows:
    """Return the rows of the valid dataset."""
    return rows_of(tiny_examples().values())


def rows_of(examples: Iterable[Row]) -> Rows:
    """Return the rows of a dataset that accepted these examples."""
    rows = Rows([], [], [], [], [], [])
    for example in examples:
        split = "held_out" if example["construction"] in HELD_OUT else "train"
        _add(rows, {**example, "split": SPLITS.get(example["example_id"], split)})
    for construction in CONSTRUCTIONS:
        rows.attempts.append(_attempt(construction, 1, "rejected", "no JSON"))
        rows.rejections.append(
            {
                "construction": construction,
                "attempt": 1,
                "reasons": ["malformed_draft"],
                "details": ["no JSON"],
                "raw": "no JSON",
            }
        )
    rows.attempts.append(_attempt("pair_swap", 3, "surplus", "{}"))
    rows.attempts.append(_attempt("pair_swap", 4, "pending", ""))
    return rows


def _add(rows: Rows, example: Row) -> None:
    name, pairs = example["example_id"], example["pairs"]
    key = {"construction": example["construction"], "attempt": example["attempt"]}
    rows.examples.append(example)
    raw = json.dumps({"pairs": pairs, "distractors": [], "positive": example["positive"]})
    rows.attempts.append(_attempt(example["construction"], example["attempt"], "accepted", raw))
    attributes = [word.lower() for pair in pairs for word in pair["attributes"]]
    objects = [pair["object"].lower() for pair in pairs]
    rows.accepted_words.append({**key, "attributes": attributes, "objects": objects})
    rows.splits.append({"example_id": name, "split": example["split"]})
    for kind in ("attribute", "object"):
        texts = {column: example[column] for column in ("query", "positive", "split")}
        negative = example[f"negative_{kind}"]
        rows.triplets.append({"example_id": name, "kind": kind, **texts, "negative": negative})


def _attempt(construction: str, attempt: int, verdict: str, raw: str) -> Row:
    return {
        "construction": construction,
        "attempt": attempt,
        "verdict": verdict,
        "raw": raw,
        "model": "grammar-1",
        "tokens_in": None,
        "tokens_out": None,
        "plan": "{}",
        "request": None,
    }


def connect(rows: Rows) -> duckdb.DuckDBPyConnection:
    """Return a connection with these rows as views."""
    connection = duckdb.connect()
    split = pa.field("split", pa.string())
    for kind, schema in (
        *((kind, arrow_schema(kind)) for kind in (Attempt, Rejection, AcceptedWordsRow)),
        *((kind, arrow_schema(kind)) for kind in (SplitMember, Triplet)),
        (Example, arrow_schema(Example).append(split)),
    ):
        connection.register(kind.view, pa.Table.from_pylist(_rows(rows, kind), schema=schema))
    return connection


def _rows(rows: Rows, kind: type[Record]) -> list[Row]:
    stored: list[Row] = getattr(rows, kind.view)
    return stored


def validate(rows: Rows, expected: DatasetExpectation = EXPECTED) -> dict[str, RuleReport]:
    """Return the report of each rule over these rows, by its name."""
    return {report.rule: report for report in validate_dataset(connect(rows), expected)}


def findings(rows: Rows, expected: DatasetExpectation = EXPECTED) -> dict[str, list[str]]:
    """Return what each failed rule found, by the rule's name."""
    reports = validate(rows, expected)
    return {name: list(report.examples) for name, report in reports.items() if report.failed}


def edited(name: str, **columns: object) -> Rows:
    """Return the rows that follow from the examples, one of them changed."""
    examples = tiny_examples()
    examples[name].update(columns)
    return rows_of(examples.values())
