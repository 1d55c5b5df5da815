"""Figures and outcomes of runs that never were, for the tests of tables, plots and reports."""

from collections.abc import Sequence

from artifacts.records import Pairing, Result
from evaluation.series import Series, series_of_runs

T2T: tuple[Pairing, ...] = ("t2t",)
ALL: tuple[Pairing, ...] = ("t2t", "t2i", "i2t", "i2i")


def result(
    metric: str,
    value: float,
    *,
    pairing: Pairing = "t2t",
    subset: str = "all",
    n: int | None = None,
    run: str = "one",
    model: str = "model",
) -> Result:
    row = {"run": run, "model": model, "pairing": pairing, "metric": metric}
    return Result.model_validate({**row, "subset": subset, "n": n, "value": value})


def saber_results(
    base: float,
    *,
    run: str = "one",
    model: str = "model",
    pairings: Sequence[Pairing] = T2T,
    numbers: Sequence[int] = (2, 3),
) -> list[Result]:
    """Return MCQ and mAP, by N and on average: `base`, 10 and 20 less, and N added to each."""
    rows = []
    kinds = (("mcq_accuracy", "all", 0), ("map", "independent", 10), ("map", "nested", 20))
    for pairing in pairings:
        for metric, subset, less in kinds:
            values: dict[int | None, float] = {n: base - less + n for n in numbers}
            values[None] = sum(values.values()) / len(values)
            rows += [
                result(metric, v, pairing=pairing, subset=subset, n=n, run=run, model=model)
                for n, v in values.items()
            ]
    return rows


def saber_series(
    base: float,
    name: str = "model",
    *,
    pairings: Sequence[Pairing] = T2T,
    numbers: Sequence[int] = (2, 3),
) -> Series:
    (series,) = series_of_runs(
        saber_results(base, run=name, model=name, pairings=pairings, numbers=numbers)
    )
    return series
