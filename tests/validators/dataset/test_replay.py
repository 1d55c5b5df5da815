"""Caps and duplicates, replayed: the edges of the arithmetic, from both sides."""

import pytest

from tests.validators.dataset.tiny_dataset import EXPECTED, Rows, connect, tiny_rows
from tests.validators.dataset.tiny_examples import Row
from validators.dataset.replay import no_word_set_accepted_twice, words_admitted_below_their_cap


def accepted(count: int, construction: str = "pair_swap") -> list[Row]:
    """Return the words of so many examples, none of which is used twice."""
    sizes = {"pair_swap": (2, 2), "triple_bind_swap": (3, 3), "attr_bundle": (4, 2)}
    attributes, objects = sizes[construction]
    return [
        {
            "construction": construction,
            "attempt": attempt,
            "attributes": [f"attribute{attempt}x{slot}" for slot in range(attributes)],
            "objects": [f"object{attempt}x{slot}" for slot in range(objects)],
        }
        for attempt in range(count)
    ]


def over_cap(words: list[Row]) -> tuple[str, ...]:
    connection = connect(Rows([], [], [], words, [], []))
    report = words_admitted_below_their_cap(connection, EXPECTED)
    assert report.rule == "words_admitted_below_their_cap"
    assert report.checked == len(words)
    return report.examples


def twice(words: list[Row]) -> tuple[str, ...]:
    connection = connect(Rows([], [], [], words, [], []))
    report = no_word_set_accepted_twice(connection, EXPECTED)
    assert report.rule == "no_word_set_accepted_twice"
    return report.examples


@pytest.mark.parametrize("column", ["attributes", "objects"])
def test_the_tenth_occurrence_passes_and_the_eleventh_fails(column: str) -> None:
    words = accepted(11)
    for row in words[:10]:
        row[column][0] = "red"
    assert over_cap(words) == ()
    words[10][column][1] = "RED"
    assert over_cap(words) == (
        f"pair_swap attempt 10: over the cap of 10: {column.removesuffix('s')} 'red'",
    )


def test_the_two_roles_are_counted_apart() -> None:
    words = accepted(20)
    for row in words[:10]:
        row["attributes"][0] = "orange"
    for row in words[10:]:
        row["objects"][0] = "orange"
    assert over_cap(words) == ()


@pytest.mark.parametrize(
    ("construction", "first"),
    # The smallest n with floor(f * n) = 11, for f = 1.5 %, 2.25 % and 3 %.
    [("pair_swap", 734), ("triple_bind_swap", 489), ("attr_bundle", 367)],
)
def test_the_cap_passes_ten_where_the_share_does(construction: str, first: int) -> None:
    words = accepted(first + 1, construction)
    for row in words[:10]:
        row["objects"][1] = "kite"
    words[first]["objects"][0] = "kite"
    assert over_cap(words) == ()
    words[first - 1]["objects"][0], words[first]["objects"][0] = "kite", "other"
    assert over_cap(words) == (
        f"{construction} attempt {first - 1}: over the cap of 10: object 'kite'",
    )


def test_the_order_is_that_of_attempts_and_constructions_are_apart() -> None:
    words = accepted(11) + accepted(10, "attr_bundle")
    for row in words:
        row["attributes"][0] = "red"
    assert over_cap(words[::-1]) == ("pair_swap attempt 10: over the cap of 10: attribute 'red'",)


def test_an_example_is_named_where_there_is_one() -> None:
    rows = tiny_rows()
    rows.accepted_words += [{**row, "attempt": row["attempt"] + 10} for row in accepted(10)]
    rows.example("pair_swap-2").update(attempt=50, example_id="pair_swap-50")
    rows.accepted_words[1]["attempt"] = 50
    for row in rows.accepted_words[1:]:
        row["attributes"][0] = "woolen"
    report = words_admitted_below_their_cap(connect(rows), EXPECTED)
    assert report.examples[0] == "pair_swap-50: over the cap of 10: attribute 'woolen'"


@pytest.mark.parametrize(
    ("attributes", "objects"),
    [
        (["red", "icy"], ["tunic", "shroud"]),
        (["Icy", "red"], ["tunic", "shroud"]),
        (["icy", "red"], ["shroud", "tunic"]),
    ],
)
def test_the_same_words_fail_in_any_order_and_pairing(
    attributes: list[str], objects: list[str]
) -> None:
    words = accepted(3)
    words[0].update(attributes=["red", "icy"], objects=["tunic", "shroud"])
    words[2].update(attributes=attributes, objects=objects)
    assert twice(words) == ("pair_swap attempt 2: the words of pair_swap attempt 0",)


def test_one_other_word_or_another_construction_passes() -> None:
    words = accepted(2)
    words[0].update(attributes=["red", "icy"], objects=["tunic", "shroud"])
    words[1].update(attributes=["red", "icy"], objects=["tunic", "cloak"])
    assert twice([*words, {**words[0], "construction": "predicative"}]) == ()
