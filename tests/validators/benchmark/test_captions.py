"""Captions: their one shape, their articles, their looks."""

import pytest

from tests.validators.benchmark.tiny_build import VOCABULARY, findings, rows_of, tiny_drafts
from validators.benchmark.phrases import CaptionReader


@pytest.mark.parametrize(
    "caption",
    [
        "A golden cannon, an orange anchor, and a wooden igloo.",
        "A golden cannon and an orange anchor and a wooden igloo.",
        "A golden cannon, an orange anchor and a wooden igloo",
        "a golden cannon, an orange anchor and a wooden igloo.",
        "A Golden cannon, an orange anchor and a wooden igloo.",
        "An orange anchor, a golden cannon and a wooden igloo.",
        "A golden anchor, an orange cannon and a wooden igloo.",
        "A golden cannon, an orange anchor, a wooden igloo.",
        "A golden cannon and an orange anchor.",
        "A golden cannon, orange anchor and a wooden igloo.",
        "A golden cannon, an orange anchor and a wooden igloo. ",
        "",
    ],
)
def test_a_text_that_says_something_else_is_found(caption: str) -> None:
    rows = rows_of(tiny_drafts())
    rows.scene("i3-query")["text"] = caption
    assert findings(rows) == {
        "text_says_the_bindings": [
            f"i3-query: {caption!r} doesn't say golden cannon, orange anchor, wooden igloo"
        ]
    }


@pytest.mark.parametrize(
    "caption",
    [
        "A red cube and a striped kite.",
        "A red cube and an orange and orange striped kite.",
        "A red cube and a red kite.",
        "An orange and white striped kite and a red cube.",
        "A red cube, an orange and white striped kite.",
    ],
)
def test_a_generation_text_that_is_no_look_of_the_scene_is_found(caption: str) -> None:
    rows = rows_of(tiny_drafts())
    rows.scene("i2-query")["generation_text"] = caption
    found = findings(rows)
    assert found["generation_text_says_the_bindings"] == [
        f"i2-query: {caption!r} isn't a look of red cube, striped kite"
    ]
    # Captions that can be read are then compared with the prompt, too.
    assert set(found) <= {"generation_text_says_the_bindings", "prompt_names_every_binding"}


def test_a_wrong_article_in_the_text_is_found() -> None:
    rows = rows_of(tiny_drafts())
    rows.scene("i3-query")["text"] = "A golden cannon, a orange anchor and a wooden igloo."
    assert findings(rows) == {"articles_follow_the_sound": ["i3-query: a orange anchor"]}


def test_a_wrong_article_in_the_generation_text_is_found() -> None:
    rows = rows_of(tiny_drafts())
    rows.scene("i2-query")["generation_text"] = "An red cube and a orange and white striped kite."
    assert findings(rows) == {
        "articles_follow_the_sound": ["i2-query: an red cube, a orange and white striped kite"]
    }


def test_a_spatial_word_is_found() -> None:
    rows = rows_of(tiny_drafts())
    rows.scene("i2-query")["text"] = "A red cube left of a striped kite."
    found = findings(rows)
    assert found["no_spatial_words_in_captions"] == ["i2-query: left"]
    assert set(found) == {"no_spatial_words_in_captions", "text_says_the_bindings"}


def test_another_look_inside_a_question_is_found() -> None:
    rows = rows_of(tiny_drafts())
    scene = rows.scene("i2-object_swap")
    for column in ("generation_text", "image_prompt"):
        scene[column] = str(scene[column]).replace("range and white", "range and red")
    scene["generation_text"] = "A red and white striped cube and a red kite."
    scene["image_prompt"] = str(scene["image_prompt"]).replace("orange and red", "red and white")
    assert findings(rows) == {
        "one_look_per_attribute_in_a_question": [
            "i2: striped is 'orange and white striped', and 'red and white striped' "
            "in i2-object_swap"
        ]
    }


def test_another_look_along_a_chain_is_found() -> None:
    drafts = tiny_drafts()
    drafts["c3"].forms["glowing"] = "white glowing"
    assert findings(rows_of(drafts)) == {
        "one_look_per_attribute_in_a_chain": [
            "c: glowing is 'orange glowing', and 'white glowing' in c3-query"
        ]
    }


def test_a_caption_is_read_into_its_phrases() -> None:
    reader = CaptionReader.of_generation(VOCABULARY)
    phrases = reader.read("An orange and white striped spinning top and a white glowing boot.")
    assert [(phrase.article, *phrase.readings) for phrase in phrases] == [
        ("an", ("orange and white striped", "spinning top")),
        ("a", ("white glowing", "boot")),
    ]


def test_words_that_may_be_parted_in_two_ways_have_both_readings() -> None:
    reader = CaptionReader(["toy", "toy steam"], ["boat", "steam boat"])
    (phrase, _) = reader.read("A toy steam boat and a toy boat.")
    assert phrase.readings == {("toy", "steam boat"), ("toy steam", "boat")}
