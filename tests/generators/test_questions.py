"""The roles of the four candidates, for any N."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.records import ROLES
from generators.questions import NEW, Assignment, sample_candidates

SEEDS = st.integers(0, 2**32)


def admit_all(assignment: Assignment) -> bool:
    return True


def candidates(seed: int, n: int) -> list[Assignment]:
    found = sample_candidates(random.Random(seed), n, admit_all)
    assert found is not None
    return found


@given(SEEDS, st.integers(2, 50))
def test_the_roles_come_in_the_paper_s_order(seed: int, n: int) -> None:
    assert tuple(candidate.role for candidate in candidates(seed, n)) == ROLES


@given(SEEDS, st.integers(3, 50))
def test_every_candidate_permutes_all_words(seed: int, n: int) -> None:
    for candidate in candidates(seed, n):
        assert sorted(candidate.objects_from) == list(range(n))
        assert sorted(candidate.attributes_from) == list(range(n))


@given(SEEDS, st.integers(2, 50))
def test_preserving_keeps_every_binding_in_another_order(seed: int, n: int) -> None:
    preserving = candidates(seed, n)[0]
    assert preserving.objects_from == preserving.attributes_from
    assert preserving.objects_from != tuple(range(n))
    assert preserving.bindings_kept == n


@given(SEEDS, st.integers(2, 50))
def test_attribute_swap_moves_attributes_under_objects_that_stay(seed: int, n: int) -> None:
    preserving, swap, *_ = candidates(seed, n)
    assert swap.objects_from == preserving.objects_from
    assert swap.attributes_from != preserving.attributes_from


@given(SEEDS, st.integers(2, 50))
def test_object_swap_moves_objects_under_attributes_that_stay(seed: int, n: int) -> None:
    preserving, _, swap, _ = candidates(seed, n)
    assert swap.attributes_from == preserving.attributes_from
    assert swap.objects_from != preserving.objects_from


@given(SEEDS, st.integers(3, 50))
def test_joint_swap_moves_both(seed: int, n: int) -> None:
    preserving, *_, swap = candidates(seed, n)
    assert swap.objects_from != preserving.objects_from
    assert swap.attributes_from != preserving.attributes_from


@given(SEEDS, st.integers(3, 50))
def test_from_three_on_the_assignments_differ_pairwise(seed: int, n: int) -> None:
    found = candidates(seed, n)
    assert len({candidate.bindings for candidate in found}) == 4
    assert [candidate.bindings_kept == n for candidate in found] == [True, False, False, False]


@given(SEEDS)
def test_of_two_both_swaps_exchange_and_the_fourth_replaces_one_word(seed: int) -> None:
    _, attribute_swap, object_swap, replacement = candidates(seed, 2)
    assert attribute_swap.bindings == object_swap.bindings == {(0, 1), (1, 0)}
    words = replacement.objects_from + replacement.attributes_from
    assert words.count(NEW) == 1
    assert replacement.bindings_kept == 1


def test_of_two_either_word_of_either_binding_is_replaced_equally_often() -> None:
    replaced = Counter(
        (NEW in candidate.objects_from, min(candidate.bindings - {(0, 0), (1, 1)}))
        for candidate in (candidates(seed, 2)[3] for seed in range(2_000))
    )
    assert len(replaced) == 4
    assert min(replaced.values()) > 400


def test_every_order_of_the_preserving_candidate_comes_up_but_the_query_s_own() -> None:
    orders = Counter(candidates(seed, 3)[0].objects_from for seed in range(2_000))
    assert len(orders) == 5
    assert min(orders.values()) > 300


def test_a_refused_assignment_is_drawn_again() -> None:
    refused = {(0, 1), (1, 2), (2, 0)}
    for seed in range(200):
        found = sample_candidates(
            random.Random(seed), 3, lambda assignment: assignment.bindings != refused
        )
        assert found is not None
        assert all(candidate.bindings != refused for candidate in found)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("n", [2, 3, 5])
def test_no_question_without_all_four(role: str, n: int) -> None:
    def admits(assignment: Assignment) -> bool:
        return assignment.role != role

    assert sample_candidates(random.Random(0), n, admits) is None
