"""Even draws: every word in turn, look-alikes apart, and a clear end when words run out."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.errors import GenerationError
from generators.coverage import Coverage

WORDS = [f"w{number}" for number in range(12)]


def draw_and_accept(coverage: Coverage, seed: int, count: int, times: int) -> Counter[str]:
    rng, drawn = random.Random(seed), Counter[str]()
    for _ in range(times):
        words = coverage.draw(rng, count)
        coverage.accept(words)
        drawn.update(words)
    return drawn


@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 30))
def test_without_look_alikes_no_word_is_ever_two_draws_ahead(
    seed: int, count: int, times: int
) -> None:
    drawn = draw_and_accept(Coverage("words", WORDS, count * times, {}), seed, count, times)
    counts = [drawn[word] for word in WORDS]
    assert max(counts) - min(counts) <= 1


@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(0, 20))
def test_a_draw_holds_distinct_words(seed: int, count: int, widen: int) -> None:
    words = Coverage("words", WORDS, 100, {}).draw(random.Random(seed), count, widen=widen)
    assert len(set(words)) == len(words) == count


@pytest.mark.parametrize("seed", range(20))
def test_look_alikes_never_share_a_draw_and_still_every_word_comes(seed: int) -> None:
    apart = {
        word: {other for other in group if other != word}
        for group in ("abcd", "ef")
        for word in group
    }
    words = list("abcdefghijkl")
    coverage, rng = Coverage("words", words, 12, apart), random.Random(seed)
    drawn: list[str] = []
    for _ in range(4):
        draw = coverage.draw(rng, 3)
        assert not any(other in apart.get(word, ()) for word in draw for other in draw)
        coverage.accept(draw)
        drawn += draw
    assert sorted(drawn) == words


@pytest.mark.parametrize("seed", range(50))
def test_a_word_that_looks_like_all_others_does_not_end_the_draws(seed: int) -> None:
    apart = {"a": "bcd", "b": "a", "c": "a", "d": "a"}
    coverage = Coverage("words", list("abcd"), 30, apart)
    assert sorted(draw_and_accept(coverage, seed, 3, 10)) == ["b", "c", "d"]


def test_no_word_is_drawn_above_twice_its_fair_share() -> None:
    # "a" alone goes with the others, so that every draw needs it: too often from the eleventh on.
    apart = {"b": "cd", "c": "bd", "d": "bc"}
    coverage = Coverage("words", list("abcd"), 20, apart)
    assert draw_and_accept(coverage, 0, 2, 10)["a"] == 10
    with pytest.raises(GenerationError, match="expected at least 2 words"):
        coverage.draw(random.Random(0), 2)


def test_a_refused_draw_does_not_count() -> None:
    coverage, rng = Coverage("words", WORDS, 12, {}), random.Random(0)
    refused = coverage.draw(rng, 6)
    accepted = coverage.draw(rng, 6)
    coverage.accept(accepted)
    assert set(coverage.draw(rng, 6)) == set(WORDS) - set(accepted)
    assert set(refused) <= set(WORDS)


def test_widening_reaches_words_that_were_drawn_before() -> None:
    coverage, rng = Coverage("words", WORDS, 1_000, {}), random.Random(0)
    coverage.accept(WORDS[:6])
    assert set(coverage.draw(rng, 6)) == set(WORDS[6:])
    widened = [coverage.draw(rng, 6, widen=1) for _ in range(20)]
    assert any(set(draw) & set(WORDS[:6]) for draw in widened)


def test_words_come_in_random_order() -> None:
    coverage, rng = Coverage("words", WORDS, 10_000, {}), random.Random(0)
    firsts = Counter(coverage.draw(rng, 12)[0] for _ in range(1_200))
    assert min(firsts[word] for word in WORDS) > 50


def test_too_few_words_are_counted_in_the_error() -> None:
    with pytest.raises(GenerationError) as caught:
        Coverage("objects", WORDS, 100, {}).draw(random.Random(0), 13)
    assert str(caught.value) == (
        "expected at least 13 objects that may share a scene, found 12 in a vocabulary of 12: "
        "lower n_max or the number of questions, or add objects"
    )
