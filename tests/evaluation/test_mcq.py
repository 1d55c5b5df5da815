"""Four-way accuracy: ties, noise, and orders of presentation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.mcq import mcq_credit
from tests.evaluation.references import slow_credit

SCORES = st.lists(st.sampled_from([-0.5, 0.0, 0.25, 0.25 + 1e-9, 0.9]), min_size=4, max_size=4)


def credit(scores: list[float], answer: int) -> float:
    return float(mcq_credit(np.array([scores]), np.array([answer]))[0])


@pytest.mark.parametrize(
    ("scores", "earned"),
    [
        ([0.9, 0.1, 0.2, 0.3], 1),
        ([0.1, 0.9, 0.2, 0.3], 0),
        ([0.9, 0.9, 0.2, 0.3], 1 / 2),
        ([0.9, 0.9, 0.9, 0.3], 1 / 3),
        ([0.9, 0.9, 0.9, 0.9], 1 / 4),
        ([0.9, 0.9 + 5e-7, 0.2, 0.3], 1 / 2),
        ([0.9, 0.9 + 5e-6, 0.2, 0.3], 0),
        ([0.9, 0.9 - 5e-6, 0.2, 0.3], 1),
        ([0.3, 0.9, 0.9, 0.9], 0),
        ([-0.9, -0.95, -0.99, -1.0], 1),
    ],
)
def test_the_first_candidate_earns(scores: list[float], earned: float) -> None:
    assert credit(scores, 0) == earned


@given(SCORES, st.integers(0, 3))
def test_as_counted_by_hand(scores: list[float], answer: int) -> None:
    assert credit(scores, answer) == pytest.approx(slow_credit(scores, answer), abs=1e-15)


@given(SCORES, st.integers(0, 3), st.permutations(range(4)))
def test_the_order_of_presentation_changes_nothing(
    scores: list[float], answer: int, order: list[int]
) -> None:
    moved = [scores[index] for index in order]
    assert credit(moved, order.index(answer)) == credit(scores, answer)


@given(SCORES)
def test_the_four_share_one_credit(scores: list[float]) -> None:
    assert sum(credit(scores, answer) for answer in range(4)) == pytest.approx(1)
