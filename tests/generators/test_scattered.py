"""The scattered text: one sentence, every word once, no attribute beside an object.

`tests/golden/scattered.json` holds whole texts, so that none changes unnoticed; after a change that
is meant, run this module with `python -m tests.generators.test_scattered`.
"""

import json
import random
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.articles import _ENGINE, indefinite
from artifacts.settings import BenchmarkSettings
from generators.benchmark import generate_benchmark
from generators.gallery import Bound
from generators.scattered import ordinal, scattered_caption
from tests.generators.toys import bound, toy_vocabulary
from vocab.benchmark_words import load_vocabulary

GOLDEN = Path(__file__).parents[1] / "golden" / "scattered.json"
OBJECTS = load_vocabulary().objects
ATTRIBUTES = tuple(attribute.name for attribute in load_vocabulary().attributes)
PLACES = [_ENGINE.number_to_words(_ENGINE.ordinal(str(place))) for place in range(1, 51)]
OFF = BenchmarkSettings(n_max=4, independent_per_n=5, chains=5, scattered=False)


@st.composite
def bindings(draw: st.DrawFn, largest: int = 50) -> list[Bound]:
    n = draw(st.integers(2, largest))
    things = draw(st.lists(st.sampled_from(OBJECTS), min_size=n, max_size=n, unique=True))
    looks = draw(st.lists(st.sampled_from(ATTRIBUTES), min_size=n, max_size=n, unique=True))
    return list(zip(looks, things, strict=True))


def words_of(text: str) -> list[str]:
    return re.findall(r"[\w-]+", text.casefold())


def named(text: str, names: tuple[str, ...]) -> list[str]:
    """Return the names in `text` from left to right, the longest where several begin."""
    longest_first = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.findall(rf"(?<![\w-])(?:{longest_first})(?![\w-])", text.casefold())


def test_two() -> None:
    assert scattered_caption(bound("striped cube", "open umbrella")) == (
        "One cube appears and one umbrella appears: the first is a striped one and the second is "
        "an open one."
    )


def test_three_have_one_comma_in_each_list_and_none_before_and() -> None:
    assert scattered_caption(bound("red cube", "orange kite", "soap-bubble ironing board")) == (
        "One cube appears, one kite appears and one ironing board appears: the first is a red one, "
        "the second is an orange one and the third is a soap-bubble one."
    )


def test_ordinals_are_inflect_s() -> None:
    assert [ordinal(place) for place in range(1, 51)] == PLACES


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_every_attribute_has_its_article(attribute: str) -> None:
    text = scattered_caption([("open", "cube"), (attribute, "kite")])
    assert text.endswith(f" and the second is {indefinite(attribute)} {attribute} one.")


@given(bindings())
def test_every_word_stands_there_once_in_the_order_of_the_bindings(pairs: list[Bound]) -> None:
    text = scattered_caption(pairs)
    things, looks = text.split(": ")
    assert named(text, OBJECTS) == named(things, OBJECTS) == [thing for _, thing in pairs]
    assert named(text, ATTRIBUTES) == named(looks, ATTRIBUTES) == [look for look, _ in pairs]
    assert [word for word in words_of(looks) if word in PLACES] == PLACES[: len(pairs)]


@given(bindings())
def test_no_attribute_stands_beside_any_object(pairs: list[Bound]) -> None:
    looks = {look for look, _ in pairs}
    parts = {part for _, thing in pairs for part in words_of(thing)}
    for before, after in pairwise(words_of(scattered_caption(pairs))):
        assert not ({before, after} & looks and {before, after} & parts)


@given(bindings())
def test_it_is_one_sentence_of_one_style(pairs: list[Bound]) -> None:
    text = scattered_caption(pairs)
    assert re.fullmatch(r"One [^.:]+ appears: the [^.:]+ one\.", text)
    assert text.count(", ") == 2 * (len(pairs) - 2)
    assert ", and " not in text
    assert text.count(" and ") == 2


@given(bindings(), st.randoms(use_true_random=False))
def test_the_same_words_are_neighbours_however_they_are_bound_and_ordered(
    pairs: list[Bound], rng: random.Random
) -> None:
    looks, things = map(list, zip(*pairs, strict=True))
    rng.shuffle(looks)
    rng.shuffle(things)
    others = scattered_caption(zip(looks, things, strict=True))
    assert Counter(pairwise(words_of(others))) == Counter(
        pairwise(words_of(scattered_caption(pairs)))
    )


@given(bindings(largest=4), bindings(largest=4))
def test_other_bindings_are_another_text_and_the_same_are_the_same(
    pairs: list[Bound], others: list[Bound]
) -> None:
    assert scattered_caption(iter(pairs)) == scattered_caption(pairs)
    assert (scattered_caption(pairs) == scattered_caption(others)) == (pairs == others)


@given(bindings(largest=6))
def test_the_same_words_bound_or_ordered_otherwise_are_another_text(pairs: list[Bound]) -> None:
    looks, things = zip(*pairs, strict=True)
    shifted = list(zip((*looks[1:], looks[0]), things, strict=True))
    assert len({scattered_caption(told) for told in (pairs, shifted, shifted[::-1])}) == 3


@pytest.mark.parametrize("seed", [0, 1])
def test_it_is_one_more_column_and_changes_no_other(seed: int) -> None:
    vocabulary = toy_vocabulary(30, 20, forms=3)
    off = OFF.model_copy(update={"seed": seed})
    without = generate_benchmark(off, vocabulary)
    told = generate_benchmark(off.model_copy(update={"scattered": True}), vocabulary)
    assert {scene.scattered_text for scene in without.scenes} == {None}
    for scene in told.scenes:
        pairs = [(binding.attribute, binding.object) for binding in scene.bindings]
        assert scene.scattered_text == scattered_caption(pairs)
    told.scenes = [scene.model_copy(update={"scattered_text": None}) for scene in told.scenes]
    assert told == without


def golden_texts() -> dict[str, dict[str, str | None]]:
    """Return the texts of the first scenes of N = 2, 3 and 10 in a small benchmark."""
    settings = BenchmarkSettings(independent_per_n=1, chains=1)
    scenes = generate_benchmark(settings, load_vocabulary()).scenes
    return {
        scene.scene_id: {"text": scene.text, "scattered_text": scene.scattered_text}
        for scene in scenes
        if scene.scene_id.startswith(("n02-", "n03-", "n10-"))
    }


def test_the_texts_are_the_golden_ones() -> None:
    assert golden_texts() == json.loads(GOLDEN.read_text(encoding="utf-8"))


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(golden_texts(), indent=2) + "\n", encoding="utf-8")
