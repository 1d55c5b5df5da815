"""The scattered text: there where it was asked for, right, and with no attribute at its object."""

from dataclasses import replace

import pytest

from artifacts.articles import _ENGINE
from tests.validators.benchmark.tiny_build import (
    EXPECTED,
    findings,
    rows_of,
    tiny_drafts,
    validate,
)
from validators.benchmark.scattered import _PLACES

UNASKED = replace(EXPECTED, scattered=False)
GOLDEN_CANNON = (
    "One cannon appears, one anchor appears and one igloo appears: the first is a golden one, "
    "the second is an orange one and the third is a wooden one."
)


def test_the_tiny_build_holds_the_text_that_the_tests_spoil() -> None:
    assert rows_of(tiny_drafts()).scene("i3-query")["scattered_text"] == GOLDEN_CANNON


def test_a_missing_text_is_found_and_only_where_one_was_asked_for() -> None:
    rows = rows_of(tiny_drafts())
    rows.scene("i3-query")["scattered_text"] = None
    assert findings(rows) == {"scattered_text_where_asked": ["i3-query: no scattered text"]}
    for scene in rows.scenes:
        scene["scattered_text"] = None
    assert findings(rows, UNASKED) == {}
    assert validate(rows, UNASKED)["scattered_text_says_the_bindings"].checked == 0


def test_a_text_that_nobody_asked_for_is_found() -> None:
    rows = rows_of(tiny_drafts())
    for scene in rows.scenes[1:]:
        scene["scattered_text"] = None
    assert findings(rows, UNASKED) == {
        "scattered_text_where_asked": ["i2-query: a scattered text"],
    }


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        # The binding itself: attributes exchanged, objects exchanged, the order of what is said.
        ("a golden one, the second is an orange", "an orange one, the second is a golden"),
        ("One cannon appears, one anchor", "One anchor appears, one cannon"),
        ("first is a golden one, the second", "second is a golden one, the first"),
        ("the third", "the fourth"),
        ("the second", "the 2nd"),
        ("the third is a wooden one", "the third is wooden"),
        ("is an orange one", "is an orange thing"),
        # Commas, colon, full stop, capital.
        ("anchor appears and", "anchor appears, and"),
        (" and the third", ", and the third"),
        (" and the third", ", the third"),
        ("cannon appears, one", "cannon appears and one"),
        ("igloo appears:", "igloo appears,"),
        ("igloo appears:", "igloo appears."),
        ("wooden one.", "wooden one"),
        ("wooden one.", "wooden one. "),
        ("One cannon", "one cannon"),
        ("One cannon", "A cannon"),
        ("the first", "The first"),
        ("anchor appears", "anchor"),
    ],
)
def test_a_text_that_says_something_else_is_found(right: str, wrong: str) -> None:
    rows = rows_of(tiny_drafts())
    text = GOLDEN_CANNON.replace(right, wrong)
    assert text != GOLDEN_CANNON
    rows.scene("i3-query")["scattered_text"] = text
    assert findings(rows) == {
        "scattered_text_says_the_bindings": [
            f"i3-query: {text!r} doesn't say golden cannon, orange anchor, wooden igloo"
        ]
    }


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("golden", "sandy"),
        ("igloo", "kite"),
        (", the second is an orange one", ""),
        (", one anchor appears", ""),
        ("anchor appears and", "anchor appears, one cannon appears and"),
        ("the first is a golden", "the first is a golden golden"),
    ],
)
def test_a_text_of_other_words_is_found(right: str, wrong: str) -> None:
    rows = rows_of(tiny_drafts())
    text = GOLDEN_CANNON.replace(right, wrong)
    rows.scene("i3-query")["scattered_text"] = text
    found = findings(rows)
    assert found["scattered_text_keeps_words_apart"] == [
        f"i3-query: {text!r} doesn't hold each object and attribute once"
    ]
    assert "scattered_text_says_the_bindings" in found


@pytest.mark.parametrize(
    ("text", "neighbours"),
    [
        ("A golden cannon, an orange anchor and a wooden igloo.", "golden beside cannon"),
        ("A cannon: golden, an anchor is an orange one, an igloo a wooden one.", "cannon beside g"),
        ("Golden; Cannon! The anchor is an orange one and the igloo is wooden.", "golden beside c"),
        (
            "A cannon, an anchor and an igloo - golden the first, orange the second, wooden.",
            "igloo beside golden",
        ),
    ],
)
def test_an_attribute_beside_an_object_is_found_across_punctuation(
    text: str, neighbours: str
) -> None:
    rows = rows_of(tiny_drafts())
    rows.scene("i3-query")["scattered_text"] = text
    (finding,) = findings(rows)["scattered_text_keeps_words_apart"]
    assert finding.startswith(f"i3-query: {neighbours}")


def test_one_word_between_them_is_apart_and_neighbours_of_a_kind_are_no_matter() -> None:
    rows = rows_of(tiny_drafts())
    rows.scene("i3-query")["scattered_text"] = (
        "Cannon, anchor, igloo: one golden, orange, wooden, respectively."
    )
    assert set(findings(rows)) == {"scattered_text_says_the_bindings"}


def test_a_name_of_two_words_is_one_mention() -> None:
    drafts = tiny_drafts()
    drafts["i2"].candidates["joint_swap"] = [("striped", "spinning top"), ("red", "cube")]
    rows = rows_of(drafts)
    assert findings(rows) == {}
    rows.scene("i2-joint_swap")["scattered_text"] = (
        "One top spinning appears and one cube appears: the first is a striped one and the second "
        "is a red one."
    )
    assert set(findings(rows)) == {
        "scattered_text_says_the_bindings",
        "scattered_text_keeps_words_apart",
    }


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [("a golden", "an golden", "an golden"), ("an orange", "a orange", "a orange")],
)
def test_a_wrong_article_is_found(right: str, wrong: str, said: str) -> None:
    rows = rows_of(tiny_drafts())
    rows.scene("i3-query")["scattered_text"] = GOLDEN_CANNON.replace(right, wrong)
    assert findings(rows) == {"scattered_articles_follow_the_sound": [f"i3-query: {said}"]}


def test_a_spatial_word_is_found_here_too() -> None:
    rows = rows_of(tiny_drafts())
    rows.scene("i3-query")["scattered_text"] = GOLDEN_CANNON.replace("the third", "the next")
    assert findings(rows)["no_spatial_words_in_captions"] == ["i3-query: next"]


def test_the_rules_know_the_ordinals() -> None:
    assert list(_PLACES) == [
        _ENGINE.number_to_words(_ENGINE.ordinal(str(place))) for place in range(1, 51)
    ]
