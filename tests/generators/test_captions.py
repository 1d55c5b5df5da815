"""Captions: one shape, whatever the phrases."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.articles import indefinite
from generators.captions import caption, first_word, join_phrases

PHRASES = st.sampled_from(
    ["striped cube", "orange kite", "open umbrella", "18-sided die", "UV-lit igloo", "x-ray lamp"]
)


def test_the_paper_s_caption() -> None:
    assert caption(["striped cube", "transparent kite"]) == "A striped cube and a transparent kite."


def test_three_phrases_have_one_comma_and_none_before_and() -> None:
    assert caption(["orange kite", "red cube", "icy hour"]) == (
        "An orange kite, a red cube and an icy hour."
    )


def test_the_article_follows_the_form_not_the_attribute() -> None:
    assert caption(["glowing cube", "orange glowing cube"]) == (
        "A glowing cube and an orange glowing cube."
    )


def test_a_form_with_and_is_one_phrase() -> None:
    assert caption(["white and orange striped cube", "red kite"]) == (
        "A white and orange striped cube and a red kite."
    )


@given(st.lists(PHRASES, min_size=2, max_size=10))
def test_a_caption_is_one_sentence_that_names_each_phrase_in_order(phrases: list[str]) -> None:
    text = caption(phrases)
    assert text[0] == "A"
    assert text.count(".") == 1
    assert text.endswith(".")
    assert text.count(", ") == len(phrases) - 2
    assert ", and" not in text
    parts = re.split(r", | and ", f"a{text[1:-1]}")
    assert parts == [f"{indefinite(first_word(phrase))} {phrase}" for phrase in phrases]


@pytest.mark.parametrize(
    ("phrases", "joined"),
    [
        ([], ""),
        (["a cube"], "a cube"),
        (["a", "b"], "a and b"),
        (["a", "b", "c", "d"], "a, b, c and d"),
    ],
)
def test_joining(phrases: list[str], joined: str) -> None:
    assert join_phrases(phrases) == joined


def test_the_first_word_ends_at_a_space_not_at_a_hyphen() -> None:
    assert first_word("U-shaped iron pipe") == "U-shaped"
