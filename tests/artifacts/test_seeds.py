"""Seeds: the same on every machine and in every version, or every build would change."""

from hypothesis import given
from hypothesis import strategies as st

from artifacts.seeds import derive_random, derive_seed

PARTS = st.lists(st.integers(0, 10**9) | st.text("abc_", min_size=1), min_size=1, max_size=4)


def test_seeds_are_pinned() -> None:
    assert derive_seed(0) == 9523843951405948789
    assert derive_seed(0, "pair_swap", 0) == 4192572855005858224
    assert derive_seed(1, "pair_swap", 0) == 17777482618717083863


def test_draws_are_pinned() -> None:
    assert derive_random(0, "form", "c000", "striped").random() == 0.039635724177718656
    assert derive_random(0, "question", "n02-i000").sample(range(100), 5) == [86, 0, 10, 15, 79]


@given(PARTS)
def test_a_seed_has_64_bits(path: list[int | str]) -> None:
    assert 0 <= derive_seed(*path) < 2**64


@given(PARTS, PARTS)
def test_different_paths_have_different_seeds(one: list[int | str], other: list[int | str]) -> None:
    same_path = list(map(str, one)) == list(map(str, other))
    assert (derive_seed(*one) == derive_seed(*other)) is same_path


def test_a_draw_does_not_move_another() -> None:
    first = derive_random(7, "a")
    first.random()
    assert derive_random(7, "a").random() != first.random()
    assert derive_random(7, "a").random() == derive_random(7, "a").random()
