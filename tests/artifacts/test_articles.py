"""The indefinite article: by the sound, not by the letter."""

import json
from pathlib import Path

import pytest

from artifacts.articles import indefinite
from validators.benchmark.articles import expected_article
from vocab.benchmark_words import load_vocabulary

CASES = Path(__file__).parents[3] / "shared" / "cases" / "articles.json"

CONSONANT_SOUNDS = """
    cube kayak yellow yeti yew wooden white one one-way once onesie onesies oneness
    euro European eulogy ewe ewes ewer ewer-shaped unicorn uniform unique unit unitary universal
    unidirectional unidimensional uninuclear unanimous unanimity UNESCO used usual utensil utopian
    ubiquitous ukulele uranium uvula uvea Ulysses uni uni-colored ouija
    hand hot historic humble hula harmonica
    10 100 12 17 1 2-tone 20-sided 108 110-volt 118 181 1,865 1001 1234 1776 180-degree
    uv UV UV-lit UVB url URL UK USB US UHF UPC UAV U2 U-shaped u-shaped y-shaped Y-shaped YMCA
    PC TV T-shirt CD BLT Mr st K-pop J-hook 3D
""".split()  # noqa: SIM905 (quotes would hide the words)

VOWEL_SOUNDS = """
    apple orange umbrella igloo eerie oval ugly upright urchin usher ushanka uneven unlit
    unidentified unimportant uninvited unirradiated unironed unironic unignited unilluminated
    unissued oneiric onerous
    écru éclair ewok Ewing hour heir honest honorable homage hors-d'oeuvre herb herbal herbs
    herb-green ylang-ylang yttrium
    8 8-ball 80s 800 8th 811-gram 11 11-sided 11th 11,000 18 18-karat 18,000 1800s 1865
    1865-style 1100 11.5-inch
    rv RV RVs rv-sized lcd LCD LCD-lit LED mp3 MP3 rpm RPM mph HD HDTV HIV SUV SOS FBI NGO
    x-ray X-ray x-axis F-150 L-shaped l-shaped I-beam e-bike E-reader M-16 EU
""".split()  # noqa: SIM905 (quotes would hide the words)


@pytest.mark.parametrize("word", CONSONANT_SOUNDS)
def test_a_before_a_consonant_sound(word: str) -> None:
    assert indefinite(word) == "a"


@pytest.mark.parametrize("word", VOWEL_SOUNDS)
def test_an_before_a_vowel_sound(word: str) -> None:
    assert indefinite(word) == "an"


def test_accents_don_t_change_the_sound_however_they_are_encoded() -> None:
    assert indefinite("écru") == indefinite("e\u0301cru") == "an"
    assert indefinite("öre") == "an"
    assert indefinite("piñata") == "a"


def test_every_form_of_the_packaged_words_has_the_article_of_a_second_opinion() -> None:
    vocabulary = load_vocabulary()
    forms = {form for attribute in vocabulary.attributes for form in attribute.forms}
    phrases = {*vocabulary.objects, *(each.name for each in vocabulary.attributes), *forms}
    for phrase in sorted(phrases):
        assert indefinite(phrase.split(" ", 1)[0]) == expected_article(phrase), phrase


@pytest.mark.skipif(
    not CASES.is_file(), reason="the labelled cases are not beside the project: ../shared/cases"
)
def test_all_labelled_cases() -> None:
    cases: dict[str, str] = json.loads(CASES.read_text(encoding="utf-8"))
    wrong = {
        word: article
        for word, article in cases.items()
        if indefinite(word.split(" ", 1)[0]) != article
    }
    assert wrong == {}
    assert len(cases) > 100
