"""What a table of figures is before it is written down: columns, rows, and which cells lead.

Knows neither Markdown nor LaTeX, nor which tables the paper has.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evaluation.series import Origin, Series

Mark = Literal["", "best", "second"]

#: Takes the figure of a column out of a series; None where it wasn't measured.
Reader: TypeAlias = Callable[[Series], float | None]

#: What a figure that wasn't measured looks like: never 0.
ABSENT = "–"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of figures, under a heading that it may share with its neighbours."""

    group: str
    head: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure in percent, and whether it leads its column."""

    value: float | None
    mark: Mark = ""

    @property
    def text(self) -> str:
        """As shown, without its mark."""
        return ABSENT if self.value is None else f"{self.value:.1f}"


@dataclass(frozen=True, slots=True)
class Row:
    """One model's figures."""

    #: What the rows around it share, such as a pairing; empty where the table has no blocks.
    block: str
    label: str
    origin: Origin
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its heading and what must be read beside it."""

    #: Names its file and its label.
    name: str
    title: str
    #: Heads the names of the blocks; empty where there are none.
    block_head: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


def fill(
    series: Sequence[Series], readers: Sequence[Reader], *, block: str = "", ranked: bool = True
) -> tuple[Row, ...]:
    """Return a row per series, one cell per reader, the leading cells marked if `ranked`."""
    values = [[read(one) for one in series] for read in readers]
    competing = _competing(series) if ranked else [False] * len(series)
    marks = [mark_leaders(column, competing) for column in values]
    return tuple(
        Row(
            block,
            one.label,
            one.origin,
            tuple(Cell(v[i], m[i]) for v, m in zip(values, marks, strict=True)),
        )
        for i, one in enumerate(series)
    )


def _competing(series: Sequence[Series]) -> list[bool]:
    """Return who is ranked: the user's runs; among the paper's models alone, those.

    Not a run that was asked a part: fewer questions over a smaller gallery are another contest.
    """
    contest: Origin = "run" if any(one.origin == "run" for one in series) else "paper"
    return [one.origin == contest and not one.scope for one in series]


def mark_leaders(values: Sequence[float | None], competing: Sequence[bool]) -> tuple[Mark, ...]:
    """Return which values of a column are best and second best, as they are shown.

    Equals share a mark. Nothing is marked where fewer than two compete.
    """
    shown = [
        None if value is None or not competes else float(f"{value:.1f}")
        for value, competes in zip(values, competing, strict=True)
    ]
    found = [value for value in shown if value is not None]
    places: list[Mark] = ["best", "second"] if len(found) > 1 else []
    leaders = dict(zip(sorted(set(found), reverse=True), places, strict=False))
    marks: list[Mark] = ["" if value is None else leaders.get(value, "") for value in shown]
    return tuple(marks)
