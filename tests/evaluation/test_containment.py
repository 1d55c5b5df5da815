"""Who ranks above whom; a tie is never to the right one's favour."""

import math

import numpy as np
import pytest

from evaluation.metrics.containment import fills_top, share_above

NONE = np.array([], dtype=np.int64)


def places(*items: int) -> "np.typing.NDArray[np.int64]":
    return np.array(items, dtype=np.int64)


@pytest.mark.parametrize(
    ("scores", "share"),
    [
        ([0.1, 0.2, 0.8, 0.9], 0),
        ([0.8, 0.9, 0.1, 0.2], 1),
        ([0.1, 0.5, 0.3, 0.9], 1 / 4),
        ([0.5, 0.5, 0.5, 0.5], 1),
        ([0.5 - 1e-13, 0.1, 0.5, 0.9], 1 / 4),
        ([0.5 - 1e-11, 0.1, 0.5, 0.9], 0),
    ],
)
def test_the_share_of_pairs_in_which_the_wrong_one_is_above(
    scores: list[float], share: float
) -> None:
    assert share_above(np.array(scores), places(0, 1), places(2, 3)) == share


def test_no_pairs_is_no_figure() -> None:
    assert math.isnan(share_above(np.ones(3), NONE, places(0)))
    assert math.isnan(share_above(np.ones(3), places(0), NONE))


@pytest.mark.parametrize(
    ("scores", "fills"),
    [
        ([0.9, 0.8, 0.7, 0.6, 0.5, 0.1], True),
        ([0.6, 0.9, 0.7, 0.8, 0.5, 0.1], True),
        ([0.9, 0.8, 0.7, 0.4, 0.5, 0.1], False),
        ([0.9, 0.8, 0.7, 0.5, 0.5, 0.1], False),
        ([0.9, 0.8, 0.7, 0.5 + 1e-13, 0.5, 0.1], False),
        ([0.9, 0.8, 0.7, 0.5 + 1e-11, 0.5, 0.1], True),
        ([0.5] * 6, False),
    ],
)
def test_four_candidates_fill_the_top_four(scores: list[float], fills: bool) -> None:
    assert fills_top(np.array(scores), places(0, 1, 2, 3)) is fills
