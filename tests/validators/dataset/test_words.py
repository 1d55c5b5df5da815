"""Core words, and which of them the negatives move: each way to be wrong, found and named."""

import pytest

from tests.validators.dataset.tiny_dataset import edited, findings, tiny_rows
from tests.validators.dataset.tiny_examples import Row

#: A wrong text tends to break the construction's own rules too.
ALSO = "rules_of_the_construction"
RED_PAIRS = [
    {"attributes": ["icy"], "object": "shroud"},
    {"attributes": ["red"], "object": "tunic"},
]


@pytest.mark.parametrize(
    ("rule", "name", "columns", "finding", "also"),
    [
        (
            "captions_differ",
            "pair_swap-0",
            {"negative_object": "At dawn the icy tunic hung beside a red shroud by the gate."},
            "the negatives are the same",
            {
                "object_negative_moves_objects_only",
                "just_the_intended_words_move",
                ALSO,
            },
        ),
        (
            "captions_differ",
            "pair_swap-0",
            {"negative_attribute": "At dawn the red tunic hung beside an icy shroud by the gate."},
            "negative_attribute is the positive",
            {
                "attribute_negative_moves_attributes_only",
                "just_the_intended_words_move",
                ALSO,
            },
        ),
        (
            "attribute_negative_moves_attributes_only",
            "pair_swap-0",
            {"negative_attribute": "At dawn the icy shroud hung beside a red tunic by the gate."},
            "attributes and objects moved in negative_attribute",
            {ALSO},
        ),
        (
            "object_negative_moves_objects_only",
            "pair_swap-0",
            {"negative_object": "At dawn the icy shroud hung beside a red tunic by the gate."},
            "attributes and objects moved in negative_object",
            {ALSO},
        ),
        (
            "just_the_intended_words_move",
            "triple_bind_swap-0",
            {"kept_pair": 0},
            "['simple'] stay in negative_attribute, expected ['worn']",
            {ALSO},
        ),
        (
            "just_the_intended_words_move",
            "attr_bundle-0",
            {"swapped_slot": 1},
            "['delicate', 'ridged'] stay in negative_attribute, expected ['inviting', 'ugly']",
            {ALSO},
        ),
        (
            "just_the_intended_words_move",
            "triple_bind_cycle-2",
            {
                "negative_object": "We sold a new chair, the plain lamp and an old table to the "
                "mayor."
            },
            "['table'] stay in negative_object, expected []",
            {"three_pairs_rotate_alike", ALSO},
        ),
        (
            "three_pairs_rotate_alike",
            "triple_bind_cycle-2",
            {
                "negative_object": "We sold a new table, the plain lamp and an old chair to the "
                "mayor."
            },
            "attributes come from [1, 2, 0], objects from [2, 0, 1]",
            {ALSO},
        ),
    ],
)
def test_a_wrong_negative_is_found(
    rule: str, name: str, columns: Row, finding: str, also: set[str]
) -> None:
    found = findings(edited(name, **columns))
    assert found[rule] == [f"{name}: {finding}"]
    assert found.keys() == {rule, *also}


@pytest.mark.parametrize(
    ("rule", "name", "pairs", "finding"),
    [
        (
            "pairs_fit_the_construction",
            "pair_swap-0",
            RED_PAIRS[:1],
            "attributes per object [1], expected [1, 1]",
        ),
        (
            "attributes_are_single_words",
            "pair_swap-0",
            [RED_PAIRS[0], {"attributes": ["the red"], "object": "tunic"}],
            "no single word: 'the red'",
        ),
        (
            "core_words_are_distinct",
            "pair_swap-0",
            [RED_PAIRS[0], {"attributes": ["Icy"], "object": "tunic"}],
            "used twice: icy",
        ),
    ],
)
def test_wrong_pairs_are_found(rule: str, name: str, pairs: list[Row], finding: str) -> None:
    found = findings(edited(name, pairs=pairs))
    assert found[rule] == [f"{name}: {finding}"]
    assert ALSO in found


@pytest.mark.parametrize("column", ["attributes", "objects"])
def test_other_words_counted_are_found(column: str) -> None:
    rows = tiny_rows()
    assert rows.accepted_words[0] == {
        "construction": "pair_swap",
        "attempt": 0,
        "attributes": ["icy", "red"],
        "objects": ["shroud", "tunic"],
    }
    rows.accepted_words[0][column].reverse()
    (finding,) = findings(rows)["words_counted_are_the_examples"]
    assert finding.startswith("pair_swap-0: accepted_words [[")
    assert finding.endswith("expected [['icy', 'red'], ['shroud', 'tunic']]")


def test_words_that_were_not_counted_are_found() -> None:
    rows = tiny_rows()
    del rows.accepted_words[0]
    found = findings(rows)
    assert found == {
        "words_counted_are_the_examples": [
            "pair_swap-0: accepted_words None, expected [['icy', 'red'], ['shroud', 'tunic']]"
        ]
    }
