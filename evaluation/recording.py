"""Records of what was scored: the mean by subset and N, and the single outcomes behind it.

A figure is the mean over the items of one N and, over N, every N alike, whatever its number of
items (section 5.1). Knows no vectors and no files.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from artifacts.records import Outcome, Pairing, Result
from evaluation.saber import Questions
from evaluation.scoring import QuestionScores

#: Before the metrics of captions that the paper doesn't have: they are never one with its own.
SCATTERED = "scattered_"

_PERCENT = 100.0
_Subset = Literal["all", "independent", "nested"]

#: The subsets that a metric is given for; it isn't defined outside of them.
_SUBSETS: dict[str, tuple[_Subset, ...]] = {
    "mcq_accuracy": ("all", "independent", "nested"),
    "map": ("all", "independent", "nested"),
    "subset_above_exact": ("nested",),
    "subset_above_superset": ("nested",),
    "top_four": ("independent",),
}


@dataclass(frozen=True, slots=True)
class Label:
    """What was measured."""

    run: str
    model: str
    pairing: Pairing


def question_results(
    label: Label, questions: Questions, scores: QuestionScores, prefix: str = ""
) -> list[Result]:
    """Return the figures of one pairing, without those that no question has a value for.

    `prefix` goes before every metric's name.
    """
    return [
        _result(label, f"{prefix}{metric}", subset, n, value)
        for metric, values in _metrics(scores)
        for subset in _SUBSETS[metric]
        for n, value in _means(questions.n, _within(questions, subset, values))
    ]


def question_outcomes(
    label: Label, questions: Questions, scores: QuestionScores, prefix: str = ""
) -> list[Outcome]:
    """Return what each question scored, in every metric that applies to it."""
    return [
        outcome
        for metric, values in _metrics(scores)
        for outcome in _outcomes(label, f"{prefix}{metric}", questions.ids, values)
    ]


def triplet_results(run: str, model: str, part: str, credit: NDArray[np.float64]) -> list[Result]:
    """Return the accuracy on the triplets of a split or construction; nothing without any."""
    if not len(credit):
        return []
    label = Label(run, model, "t2t")
    return [_result(label, triplet_metric(part), "all", None, float((_PERCENT * credit).mean()))]


def triplet_outcomes(
    run: str, model: str, part: str, items: Sequence[str], credit: NDArray[np.float64]
) -> list[Outcome]:
    """Return what each triplet scored; an item is called example_id/kind."""
    return list(_outcomes(Label(run, model, "t2t"), triplet_metric(part), items, _PERCENT * credit))


def triplet_metric(part: str) -> str:
    """Return the name of the accuracy on the triplets of a split or construction."""
    return f"triplet_accuracy_{part}"


def _metrics(scores: QuestionScores) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield every metric with its values in percent, shape [Q]."""
    for field in fields(scores):
        yield field.name, _PERCENT * getattr(scores, field.name)


def _within(
    questions: Questions, subset: _Subset, values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the values, [Q], with NaN for questions outside the subset."""
    if subset == "all":
        return values
    return np.where(questions.nested == (subset == "nested"), values, np.nan)


def _means(n: NDArray[np.int64], values: NDArray[np.float64]) -> Iterator[tuple[int | None, float]]:
    """Yield the mean of each N that has values, and last, with None, the mean of those means."""
    known = ~np.isnan(values)
    sizes = np.unique(n[known]).tolist()
    means = [float(values[known & (n == size)].mean()) for size in sizes]
    yield from zip(sizes, means, strict=True)
    if means:
        yield None, float(np.mean(means))


def _result(label: Label, metric: str, subset: _Subset, n: int | None, value: float) -> Result:
    return Result(
        run=label.run,
        model=label.model,
        pairing=label.pairing,
        metric=metric,
        n=n,
        subset=subset,
        value=value,
    )


def _outcomes(
    label: Label, metric: str, items: Sequence[str], values: NDArray[np.float64]
) -> Iterator[Outcome]:
    for item, value in zip(items, values.tolist(), strict=True):
        if not np.isnan(value):
            yield Outcome(
                run=label.run,
                model=label.model,
                pairing=label.pairing,
                metric=metric,
                item=item,
                value=value,
            )
