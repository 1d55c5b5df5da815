"""What a word is: the one definition that lengths, distances, permutations and caps share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.words import count_words, find_words, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("a well-worn tunic", ["a", "well-worn", "tunic"]),
        ("state-of-the-art", ["state-of-the-art"]),
        (
            "non\u2011breaking and soft\u2010hyphened",
            ["non\u2011breaking", "and", "soft\u2010hyphened"],
        ),
        ("the baker's 2nd oven", ["the", "baker's", "2nd", "oven"]),
        ("the baker’s oven", ["the", "baker’s", "oven"]),
        ("the bakers' oven", ["the", "bakers", "oven"]),
        ("rock 'n' roll, 'twas", ["rock", "n", "roll", "twas"]),
        ("“Don’t!” he said", ["Don’t", "he", "said"]),
        ("'single' \"double\" «other»", ["single", "double", "other"]),
        ("stop — now – please - go", ["stop", "now", "please", "go"]),
        ("one—two–three", ["one", "two", "three"]),
        ("ends- -begins --both--", ["ends", "begins", "both"]),
        ("a--b", ["a", "b"]),
        ("o'clock-like", ["o'clock-like"]),
        ("at 14:30, 3.5 m", ["at", "14", "30", "3", "5", "m"]),
        ("1,865 18-sided 2nd", ["1", "865", "18-sided", "2nd"]),
        ("snake_case and/or", ["snake", "case", "and", "or"]),
        ("écru façade, naïve Ångström", ["écru", "façade", "naïve", "Ångström"]),
        ("белый куб 白い立方体", ["белый", "куб", "白い立方体"]),
        ("(a) [b] {c} <d> e; f: g… h? i! j.", list("abcdefghij")),
        ("line\nbreak\ttab\u00a0space", ["line", "break", "tab", "space"]),
        ("… — !?", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@given(st.text())
def test_offsets_point_at_the_words(text: str) -> None:
    found = find_words(text)
    assert [text[word.start : word.end] for word in found] == [word.text for word in found]
    assert [word.text for word in found] == words_of(text)
    assert count_words(text) == len(found)


@given(st.text())
def test_every_letter_and_digit_lies_in_one_word_and_no_space_does(text: str) -> None:
    inside = [index for word in find_words(text) for index in range(word.start, word.end)]
    assert len(set(inside)) == len(inside)
    for index, character in enumerate(text):
        assert not character.isalnum() or index in inside
        assert not character.isspace() or index not in inside


@given(
    st.lists(st.sampled_from(["kite", "well-worn", "don't", "2nd", "écru"])), st.sampled_from(" ,—")
)
def test_words_survive_being_parted(words: list[str], mark: str) -> None:
    assert words_of(f"{mark} ".join(words)) == words
