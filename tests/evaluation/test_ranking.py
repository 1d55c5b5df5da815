"""Average precision against scikit-learn and against a walk down the sorted ranking."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score

from evaluation.metrics.ranking import average_precision, count_at_or_above
from tests.evaluation.references import slow_average_precision


@st.composite
def tied_rankings(draw: st.DrawFn) -> tuple[list[float], list[int]]:
    """Scores of few levels, so that most are tied, and which items are positive."""
    scores = draw(
        st.lists(st.integers(-3, 3).map(lambda level: level / 3), min_size=1, max_size=60)
    )
    positives = draw(st.sets(st.integers(0, len(scores) - 1), min_size=1))
    return scores, sorted(positives)


def ap(scores: list[float] | NDArray[np.float64], positives: list[int]) -> float:
    return average_precision(np.array(scores, dtype=np.float64), np.array(positives))


@pytest.mark.parametrize("positive_count", [1, 2, 8, 9, 40, 400, 499, 500])
def test_without_ties_as_scikit_learn_has_it(positive_count: int) -> None:
    rng = np.random.default_rng(positive_count)
    for _ in range(10):
        scores = rng.uniform(-1, 1, 500)
        positives = rng.choice(500, positive_count, replace=False)
        relevant = np.isin(np.arange(500), positives)
        expected = average_precision_score(relevant, scores)
        assert average_precision(scores, positives) == pytest.approx(expected, abs=1e-9)


@given(tied_rankings())
def test_with_ties_the_worst_order_counts(ranking: tuple[list[float], list[int]]) -> None:
    expected = slow_average_precision(ranking[0], set(ranking[1]))
    assert ap(*ranking) == pytest.approx(expected, abs=1e-12)


@given(tied_rankings(), st.integers(0, 2**32 - 1))
def test_noise_breaks_no_tie(ranking: tuple[list[float], list[int]], seed: int) -> None:
    scores, positives = ranking
    noise = np.random.default_rng(seed).uniform(-1e-14, 1e-14, len(scores))
    assert ap(np.array(scores) + noise, positives) == ap(scores, positives)


@given(tied_rankings(), st.randoms())
def test_the_order_of_the_gallery_changes_nothing(
    ranking: tuple[list[float], list[int]], random: "np.random.Generator"
) -> None:
    scores, positives = ranking
    order = list(range(len(scores)))
    random.shuffle(order)
    moved = [scores[item] for item in order]
    assert ap(moved, [order.index(item) for item in positives]) == ap(scores, positives)


def test_a_constant_scorer_gets_the_worst_order() -> None:
    assert ap([0.5] * 7200, [0]) == pytest.approx(1 / 7200)
    worst = np.mean([rank / (7191 + rank) for rank in range(1, 10)])
    assert ap([0.5] * 7200, list(range(9))) == pytest.approx(worst)


def test_all_positives_first_is_one_and_last_is_the_worst() -> None:
    scores = np.linspace(1, -1, 100)
    assert ap(scores, [0, 1, 2]) == 1
    assert ap(-scores, [0, 1, 2]) == pytest.approx(np.mean([1 / 98, 2 / 99, 3 / 100]))
    assert ap(scores, list(range(100))) == 1


def test_a_difference_above_the_tolerance_counts() -> None:
    assert ap([0.5, 0.5 - 1e-11], [0]) == 1
    assert ap([0.5, 0.5 - 1e-13], [0]) == 0.5


@given(
    st.lists(st.integers(-5, 5), max_size=40),
    st.lists(st.integers(-5, 5), min_size=1, max_size=20).map(sorted),
)
def test_both_ways_of_counting_agree(values: list[int], thresholds: list[int]) -> None:
    counted = count_at_or_above(np.array(values, dtype=float), np.array(thresholds, dtype=float))
    assert counted.tolist() == [sum(value >= one for value in values) for one in thresholds]
