"""The figures of one model side by side, whether measured here or printed in the paper.

Says of each where it comes from, so that tables and plots can tell them apart. Knows nothing of
how a figure is shown.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from artifacts.records import Pairing, Result
from evaluation.reference.paper import PaperFigure

#: run: a run of the user's; baseline: a scorer without a model; paper: printed in the paper.
Origin = Literal["run", "baseline", "paper"]


class FigureKey(NamedTuple):
    """What a figure is of."""

    pairing: Pairing | None
    metric: str
    subset: str
    n: int | None


@dataclass(frozen=True, slots=True)
class Series:
    """One model's figures, in percent; what wasn't measured isn't there."""

    name: str
    origin: Origin
    figures: Mapping[FigureKey, float]
    #: What part of SABER the figures are of, such as "5 of 1,800 questions"; empty: all of it.
    scope: str = ""

    @property
    def label(self) -> str:
        """As a table or a plot calls it."""
        name = f"{self.name}, {self.scope}" if self.scope else self.name
        return name if self.origin == "run" else f"{name} ({self.origin})"

    def at(self, pairing: Pairing | None, metric: str, subset: str, n: int | None) -> float | None:
        """Return a figure, or None where there is none."""
        return self.figures.get(FigureKey(pairing, metric, subset, n))


def series_of_runs(
    results: Iterable[Result],
    origin: Literal["run", "baseline"] = "run",
    scopes: Mapping[str, str] | None = None,
) -> tuple[Series, ...]:
    """Return one series per run, in order of first appearance.

    A run is called by its model, and by its own name too where two runs have the same model.
    `scopes`: by run, what part of SABER it was asked where that isn't all.
    """
    figures: dict[tuple[str, str], dict[FigureKey, float]] = {}
    for row in results:
        key = FigureKey(row.pairing, row.metric, row.subset, row.n)
        figures.setdefault((row.run, row.model), {})[key] = row.value
    models = [model for _, model in figures]
    return tuple(
        Series(
            model if models.count(model) == 1 else f"{model}, {run}",
            origin,
            found,
            (scopes or {}).get(run, ""),
        )
        for (run, model), found in figures.items()
    )


def series_of_paper(rows: Iterable[PaperFigure]) -> tuple[Series, ...]:
    """Return one series per model of the paper, in the paper's order."""
    figures: dict[str, dict[FigureKey, float]] = {}
    for row in rows:
        key = FigureKey(row.pairing, row.metric, row.subset, row.n)
        figures.setdefault(row.model, {})[key] = row.value
    return tuple(Series(model, "paper", found) for model, found in figures.items())


def numbers_of_objects(series: Iterable[Series], *metrics: str) -> tuple[int, ...]:
    """Return every N that a figure of the metrics is of, ascending."""
    keys = (key for one in series for key in one.figures if key.metric in metrics)
    return tuple(sorted({key.n for key in keys if key.n is not None}))


def has_any(series: Series, metric: str) -> bool:
    """Return whether a series has a figure of a metric."""
    return any(key.metric == metric for key in series.figures)
