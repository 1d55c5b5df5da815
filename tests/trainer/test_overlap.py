import pytest

from trainer.overlap import SaberWords

WORDS = SaberWords(["red", "tie-dye", "wooden", "kayak", "rocking chair", "cherry", "knife", "bus"])


@pytest.mark.parametrize(
    "text",
    [
        "A red mug.",
        "RED!",
        "A cherry-red mug.",
        "tie-dye",
        "a tie‑dye shirt",
        "two kayaks",
        "the kayak's bow",
        "A rocking chair.",
        "Rocking\nchairs",
        "cherries",
        "knives",
        "buses",
        "the red-hot stove",
    ],
)
def test_a_word_is_found_however_it_is_written(text: str) -> None:
    assert WORDS.mentioned_in(text)


@pytest.mark.parametrize(
    "text", ["A reddish mug.", "a chair, rocking", "tie and dye later", "", "kayaking", "wood"]
)
def test_other_words_are_not(text: str) -> None:
    assert not WORDS.mentioned_in(text)


def test_any_of_several_texts_will_do() -> None:
    assert WORDS.mentioned_in("nothing here", "a red one")


def test_no_words_are_false() -> None:
    assert WORDS
    assert not SaberWords([])
