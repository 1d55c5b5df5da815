"""Folds and intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from validators.audit.captions import read_captions
from validators.audit.features import bag_differences, surface_differences
from validators.audit.pairs import make_pairs, number_groups
from validators.audit.scorer import FOLDS, fold_of_groups, interval_of


@given(st.lists(st.integers(0, 30), min_size=2), st.integers(0, 5))
def test_a_group_is_in_one_fold_and_two_groups_in_two(keys: list[int], seed: int) -> None:
    groups = number_groups(keys)
    folds = fold_of_groups(groups, seed)
    assert len(set(zip(groups.tolist(), folds.tolist(), strict=True))) == len(set(keys))
    assert len(set(folds.tolist())) == min(FOLDS, len(set(keys)))


def coins(wins: int, losses: int, ties: int = 0) -> "np.typing.NDArray[np.int8]":
    return np.array([1] * wins + [-1] * losses + [0] * ties, np.int8)


def test_independent_pairs_have_wilsons_interval() -> None:
    found = interval_of(coins(60, 40), np.arange(100))
    assert found.value == 60.0
    assert (found.low, found.high) == pytest.approx((50.20, 69.06), abs=0.01)


def test_pairs_of_a_group_that_agree_count_as_one() -> None:
    doubled = interval_of(np.repeat(coins(60, 40), 2), np.repeat(np.arange(100), 2))
    assert doubled == pytest.approx(interval_of(coins(60, 40), np.arange(100)))
    sure = interval_of(np.repeat(coins(50, 0), 2), np.repeat(np.arange(50), 2))
    assert sure == pytest.approx(interval_of(coins(50, 0), np.arange(50)))
    assert sure.high == pytest.approx(100.0)
    assert sure.low < 95


def test_ties_count_half_and_narrow_the_interval() -> None:
    tied = interval_of(coins(20, 10, 70), np.arange(100))
    decided = interval_of(coins(55, 45), np.arange(100))
    assert tied.value == decided.value == 55.0
    assert decided.low < tied.low < 55 < tied.high < decided.high


def test_ties_alone_are_at_chance_exactly() -> None:
    assert interval_of(coins(0, 0, 7), np.arange(7)) == (50.0, 50.0, 50.0)


def test_what_both_captions_share_cancels_out() -> None:
    pairs = make_pairs(["An old cube.", "A red kite"], ["A cube old.", "A red kite!"])
    captions = read_captions(pairs)
    assert bag_differences(captions).starts.tolist() == [0, 0, 0]
    surface = surface_differences(captions)
    # Length, an instead of a; then length, the mark, ends with it, ends with a letter.
    assert surface.starts.tolist() == [0, 3, 7]


def test_rows_can_be_taken_in_any_order() -> None:
    pairs = make_pairs(["a b c", "a", "b"], ["a", "a", "c c"])
    found = bag_differences(read_captions(pairs))
    taken = found.take(np.array([2, 1, 0]))
    assert taken.starts.tolist() == [0, 2, 2, 4]
    assert taken.values.tolist() == [1, -2, 1, 1]
