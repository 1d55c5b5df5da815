"""Splits: exact sizes, no set of words in two of them, both deferred constructions held out."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.splits import HELD_OUT, Member, assign_splits

members = st.lists(
    st.builds(
        Member,
        example_id=st.just(""),
        construction=st.sampled_from(["pair_swap", "predicative", *sorted(HELD_OUT)]),
        words=st.integers(0, 30),
    ),
    max_size=120,
).map(lambda found: [Member(f"e{n}", m.construction, m.words) for n, m in enumerate(found)])


def singletons(count: int) -> list[Member]:
    return [Member(f"e{number}", "pair_swap", number) for number in range(count)]


@pytest.mark.parametrize("count", [0, 1, 9, 10, 19, 1_000, 8_003])
def test_a_tenth_each_validates_and_tests_where_no_words_are_shared(count: int) -> None:
    sizes = Counter(split for _, split in assign_splits(singletons(count), seed=0))
    tenth = count // 10
    assert sizes == Counter(train=count - 2 * tenth, validation=tenth, test=tenth)


@given(members, st.integers(0, 99))
def test_every_member_gets_one_split_in_its_place(found: list[Member], seed: int) -> None:
    assert [name for name, _ in assign_splits(found, seed)] == [m.example_id for m in found]


@given(members, st.integers(0, 99))
def test_no_words_are_in_two_of_the_three(found: list[Member], seed: int) -> None:
    splits = [split for _, split in assign_splits(found, seed)]
    seen: dict[object, str] = {}
    for member, split in zip(found, splits, strict=True):
        if split != "held_out":
            assert seen.setdefault(member.words, split) == split


@given(members, st.integers(0, 99))
def test_just_the_deferred_constructions_are_held_out(found: list[Member], seed: int) -> None:
    for member, (_, split) in zip(found, assign_splits(found, seed), strict=True):
        assert (split == "held_out") is (member.construction in HELD_OUT)


@given(members, st.integers(0, 99))
def test_no_split_is_larger_than_its_share(found: list[Member], seed: int) -> None:
    sizes = Counter(split for _, split in assign_splits(found, seed))
    tenth = sum(member.construction not in HELD_OUT for member in found) // 10
    assert max(sizes["validation"], sizes["test"]) <= tenth


def test_the_seed_alone_decides() -> None:
    once, again = (list(assign_splits(singletons(500), seed=3)) for _ in range(2))
    assert once == again
    assert once != list(assign_splits(singletons(500), seed=4))


def test_sizes_are_exact_in_spite_of_some_shared_words() -> None:
    found = [Member(f"t{number}", "predicative", f"t{number // 3}") for number in range(900)]
    found += singletons(100)
    sizes = Counter(split for _, split in assign_splits(found, seed=0))
    assert sizes == Counter(train=800, validation=100, test=100)
