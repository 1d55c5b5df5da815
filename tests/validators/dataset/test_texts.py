"""The texts of an example: each way to be wrong, found and named, and the nearest right."""

import json
from dataclasses import replace

import pytest

from tests.validators.dataset.tiny_dataset import EXPECTED, Rows, findings, rows_of, tiny_rows
from tests.validators.dataset.tiny_examples import tiny_examples

#: A wrong text tends to break the construction's own rules too.
ALSO = "rules_of_the_construction"


def reworded(name: str, *changes: tuple[str, str], columns: str = "pno") -> Rows:
    """Return the rows with words exchanged in an example: (p)ositive, (n), (o)bject, (q)uery."""
    examples = tiny_examples()
    for letter, column in zip(
        "pnoq", ("positive", "negative_attribute", "negative_object", "query"), strict=True
    ):
        for old, new in changes if letter in columns else ():
            assert old in examples[name][column]
            examples[name][column] = examples[name][column].replace(old, new)
    return rows_of(examples.values())


@pytest.mark.parametrize(
    ("rule", "rows", "finding", "also"),
    [
        (
            "core_words_once_in_every_text",
            reworded("pair_swap-0", ("the gate", "the red gate"), columns="n"),
            "pair_swap-0: 'red' occurs 2 times in negative_attribute",
            {"negatives_permute_the_words", ALSO},
        ),
        (
            "core_words_once_in_every_text",
            reworded("pair_swap-0", ("shroud", "cloak"), columns="q"),
            "pair_swap-0: 'shroud' occurs 0 times in query",
            {"query_lists_the_pairs", ALSO},
        ),
        (
            "negatives_permute_the_words",
            reworded("pair_swap-0", ("gate", "door"), columns="o"),
            "pair_swap-0: negative_object has other words: "
            "'At dawn the red shroud hung beside an icy tunic by the door.'",
            {"frame_stays", ALSO},
        ),
        (
            "frame_stays",
            reworded("pair_swap-0", ("dawn the", "dawn, the"), columns="n"),
            "pair_swap-0: negative_attribute differs beyond its core words: "
            "'At dawn, the icy tunic hung beside a red shroud by the gate.'",
            set(),
        ),
        (
            "frame_stays",
            reworded("predicative-0", ("Suddenly, the", "Suddenly, The"), columns="o"),
            "predicative-0: negative_object differs beyond its core words: "
            "'Suddenly, The page was dated and the book was torn per report.'",
            set(),
        ),
        (
            "core_words_keep_their_case",
            reworded("pair_swap-0", ("icy", "Icy"), columns="n"),
            "pair_swap-0: 'Icy' in negative_attribute, expected icy",
            set(),
        ),
        (
            "core_words_keep_their_case",
            reworded("triple_bind_cycle-0", ("Torn", "TORN"), columns="n"),
            "triple_bind_cycle-0: 'TORN' in negative_attribute, expected Torn or torn",
            set(),
        ),
        (
            "articles_fit_core_words",
            reworded("pair_swap-0", ("an icy", "a icy"), columns="o"),
            "pair_swap-0: a icy in negative_object",
            {ALSO},
        ),
        (
            "captions_end_with_a_stop",
            reworded("pair_swap-0", ("gate.", "gate")),
            "pair_swap-0: positive ends in 'y shroud by the gate'",
            set(),
        ),
        (
            "captions_have_single_spaces",
            reworded("pair_swap-0", ("by the", "by  the")),
            "pair_swap-0: positive has stray space: "
            "'At dawn the red tunic hung beside an icy shroud by  the gate.'",
            set(),
        ),
        (
            "rules_of_the_construction",
            reworded("deferred_bind_respective-2", (", in that order", ", on the whole")),
            "deferred_bind_respective-2: respective_marker: neither 'respectively' nor "
            "'in that order'",
            set(),
        ),
    ],
)  # fmt: skip
def test_a_wrong_text_is_found(rule: str, rows: Rows, finding: str, also: set[str]) -> None:
    found = findings(rows)
    assert found[rule] == [finding]
    assert found.keys() == {rule, *also}


@pytest.mark.parametrize(
    "rows",
    [
        reworded("pair_swap-0", ("gate.", "gate!”")),
        reworded("pair_swap-0", ("gate.", "gate. #nofilter #weekend")),
        # A draft of a model need not end in a full stop: nothing has rejected it.
        reworded("pair_swap-0", ("by the gate", "— well-lit — gate")),
        # Title case: a core word keeps the capital that it was written with.
        reworded(
            "pair_swap-0", ("red", "Red"), ("icy", "Icy"), ("tunic", "Tunic"), ("shroud", "Shroud")
        ),
        # An "A." that ends a sentence is no article of the word after it.
        reworded("triple_bind_cycle-2", ("to the mayor", "in shed A"), ("We sold", "We moved on")),
    ],
)
def test_the_nearest_right_text_passes(rows: Rows) -> None:
    for row in rows.examples:
        row["length_words"] = len(row["positive"].replace("— ", "").split())
    assert findings(rows) == {}


def test_a_models_caption_may_lack_what_nobody_asks_of_it() -> None:
    rows = reworded("pair_swap-0", ("gate.", "gate"), ("by the", "by  the"))
    rows.example("pair_swap-0")["writer"] = "llm"
    assert findings(rows) == {}


@pytest.mark.parametrize(
    ("raw", "finding"),
    [
        ("no JSON", "its draft is no JSON object with a positive"),
        ("[1]", "its draft is no JSON object with a positive"),
        (json.dumps({"positive": "A red tunic."}), "other words than the draft 'A red tunic.'"),
    ],
)
def test_a_caption_without_its_draft_is_found(raw: str, finding: str) -> None:
    rows = tiny_rows()
    rows.attempt("pair_swap", 0)["raw"] = raw
    assert findings(rows) == {"captions_come_from_their_draft": [f"pair_swap-0: {finding}"]}


def test_only_a_counterbalanced_positive_may_be_another_arrangement_of_its_draft() -> None:
    rows = tiny_rows()
    rows.attempt("pair_swap", 0)["raw"] = json.dumps(
        {"positive": rows.example("pair_swap-0")["negative_object"]}
    )
    assert findings(rows) == {}
    for row in rows.examples:
        row["counterbalanced"] = False
    as_written = replace(EXPECTED, counterbalance=False)
    assert findings(rows, as_written)["captions_come_from_their_draft"] == [
        "pair_swap-0: the positive isn't the draft "
        "'At dawn the red shroud hung beside an icy tunic by the gate.'"
    ]
