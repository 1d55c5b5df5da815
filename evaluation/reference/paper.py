"""The figures of tables 2, 10, 17, 18 and 19 of the paper, as typed rows.

They were measured on the paper's images and captions (arXiv 2610.22602), for its ten models. The
type is not that of a run's figures, so the two cannot be mixed by accident. Knows the packaged
files and nothing of runs, tables or plots.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, cast, get_args

from artifacts.records import Pairing

#: Where the figures are from, as a reader is told.
SOURCE = "arXiv 2610.22602"

Metric = Literal[
    "mcq_accuracy",
    "map",
    "triplet_accuracy_test",
    "triplet_accuracy_deferred_bind_anaphoric",
    "triplet_accuracy_deferred_bind_respective",
]
Subset = Literal["all", "independent", "nested"]

_PAIRINGS: tuple[Pairing, ...] = get_args(Pairing)
#: What each table by number of objects shows.
_BY_N: dict[int, tuple[Metric, Subset]] = {
    17: ("mcq_accuracy", "all"),
    18: ("map", "independent"),
    19: ("map", "nested"),
}


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """One printed figure, in percent."""

    #: The table that prints it.
    table: int
    model: str
    #: None: the mean over the four pairings.
    pairing: Pairing | None
    metric: Metric
    subset: Subset
    #: None: the mean over 2 to 10 objects; of triplets, all of them.
    n: int | None
    value: float


@cache
def paper_figures() -> tuple[PaperFigure, ...]:
    """Return every figure of the five tables, as printed, each once per table that prints it."""
    by_n = (row for table in _BY_N for row in _table_by_n(table))
    return (*_table_2(), *_table_10(), *by_n)


def _table_2() -> Iterator[PaperFigure]:
    for row in _rows("table2.csv"):
        metric, subset = cast(Metric, row["metric"]), cast(Subset, row["subset"])
        for pairing in _PAIRINGS:
            value = float(row[pairing])
            yield PaperFigure(2, row["model"], pairing, metric, subset, None, value)
        yield PaperFigure(2, row["model"], None, metric, subset, None, float(row["mean"]))


def _table_10() -> Iterator[PaperFigure]:
    for row in _rows("table10.csv"):
        model = row.pop("model")
        for metric, value in row.items():
            yield PaperFigure(10, model, "t2t", cast(Metric, metric), "all", None, float(value))


def _table_by_n(table: int) -> Iterator[PaperFigure]:
    metric, subset = _BY_N[table]
    for row in _rows(f"table{table}.csv"):
        model, pairing = row.pop("model"), cast(Pairing, row.pop("pairing"))
        for head, value in row.items():
            n = None if head == "mean" else int(head)
            yield PaperFigure(table, model, pairing, metric, subset, n, float(value))


def _rows(name: str) -> Iterator[dict[str, str]]:
    text = (files(__package__) / name).read_text(encoding="utf-8")
    return csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
