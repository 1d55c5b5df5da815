"""Which verbs may bind which attributes."""

from itertools import combinations_with_replacement

import pytest

from generators.embedded.lexicon import load_lexicon
from generators.embedded.suitability import SUITS, find_suit
from vocab.dataset_words import load_word_bank


@pytest.mark.parametrize(
    ("attributes", "suit"),
    [
        (("striped", "torn"), "lrv"),
        (("oak", "torn"), "rv"),
        (("stolen", "torn"), "r"),
        (("stylish", "torn"), "l"),
        (("stylish", "lovely"), "jl"),
        (("wet", "dirty"), "clrv"),
        (("wet", "torn"), "lrv"),
        (("unwashed", "wet"), "lrv"),
        (("stylish", "oak"), ""),
        (("new-looking", "torn"), ""),
        (("unheard-of", "torn"), ""),
    ],
)
def test_a_verb_suits_both_attributes(attributes: tuple[str, ...], suit: str) -> None:
    assert find_suit(attributes) == suit


def test_every_two_families_have_their_banks() -> None:
    banks = next(iter(load_lexicon().voices.values())).banks["mixed"]
    words = [words[0] for words in load_word_bank().families.values()]
    for pair in combinations_with_replacement(words, 2):
        assert find_suit(pair) in SUITS
        for name in ("bind", "be", "glance"):
            assert banks[name + find_suit(pair)].up_to


def test_nothing_looks_stolen_or_becomes_oak() -> None:
    banks = next(iter(load_lexicon().voices.values())).banks["mixed"]
    verbs = {phrase.text for phrase in banks["bind" + find_suit(("stolen", "oak"))].up_to[-1]}
    assert "is reportedly" in verbs
    assert not verbs & {"looks", "seems", "appears", "remains", "has become", "is visibly"}
