"""Articles by sound: labelled cases of our own, and the project's where they are at hand."""

import json
from pathlib import Path

import pytest

from validators.benchmark.articles import expected_article

SHARED_CASES = Path(__file__).parents[4] / "shared" / "cases" / "articles.json"
CASES = {
    "an": """
        apple igloo umbrella orange oval x-ray honest hour hourglass heirloom heiress honorary
        herb herbed herbal homage unable uneven unironed unimpressive uninvited unidentified
        unilluminated urban urn usher ushanka utmost ugly ulcer 8-ball 8.5-inch 11-sided 18-karat
        11,000 80s LED SUV X-shaped S-hook MP3 mp3 oneiric onerous yttrium écru über eight-sided
        ewok éclair EU FBI iridescent oak-framed
    """,
    "a": """
        cube unicycle uniform unique union unit universal unidirectional unimodal unisex uni-colored
        unanimous use used useful usual utensil utility ukulele uranium urinal uvula euphonium
        eucalyptus ewer ewe-shaped one one-way once onesie ouija hat herbivore historic heron hotel
        yellow yacht yo-yo 1-inch 10-sided 12-inch 180-degree 110 1,100 100-piece 7-piece T-shirt
        t-shirt U-shaped u-turn UFO ufo URL UV usb tv DVD NASA white-tiled who's-who knife gnome
    """,
}


@pytest.mark.parametrize(
    ("word", "article"),
    [(word, article) for article, words in CASES.items() for word in words.split()],
)
def test_the_article_follows_the_sound(word: str, article: str) -> None:
    assert expected_article(word) == article


def test_only_the_beginning_of_a_phrase_counts() -> None:
    assert expected_article("white and orange striped umbrella") == "a"
    assert expected_article("orange glowing cube") == "an"


@pytest.mark.skipif(not SHARED_CASES.exists(), reason="the labelled cases aren't at hand")
def test_the_labelled_cases_pass() -> None:
    cases: dict[str, str] = json.loads(SHARED_CASES.read_text())
    wrong = {word for word, articles in cases.items() if expected_article(word) not in articles}
    assert not wrong
