"""The columns of an example: each way to be wrong, found and named, and the nearest right."""

import pytest

from tests.validators.dataset.tiny_dataset import edited, findings
from tests.validators.dataset.tiny_examples import Row, tiny_examples

#: A wrong text tends to break the construction's own rules too.
ALSO = "rules_of_the_construction"
WET_BOOT = {"attributes": ["wet"], "object": "boot"}


@pytest.mark.parametrize(
    ("rule", "name", "columns", "finding", "also"),
    [
        (
            "query_lists_the_pairs",
            "pair_swap-0",
            {"query": "an icy shroud and red tunic"},
            "query 'an icy shroud and red tunic', expected 'icy shroud and red tunic'",
            {ALSO},
        ),
        (
            "query_lists_the_pairs",
            "triple_bind_swap-0",
            {"query": "worn palette and simple easel and shared canvas"},
            "query 'worn palette and simple easel and shared canvas', "
            "expected 'worn palette, simple easel and shared canvas'",
            {ALSO},
        ),
        (
            "families_looked_up",
            "pair_swap-0",
            {"families": [None, "size"]},
            "families [None, 'size'], expected [None, 'color']",
            set(),
        ),
        (
            "draws_belong_to_the_construction",
            "pair_swap-0",
            {"kept_pair": 0},
            "kept_pair is 0",
            {"just_the_intended_words_move"},
        ),
        (
            "draws_belong_to_the_construction",
            "deferred_bind_anaphoric-0",
            {"described_first": None},
            "described_first is None",
            set(),
        ),
        (
            "draws_belong_to_the_construction",
            "attr_bundle-0",
            {"swapped_slot": 2},
            "swapped_slot is 2",
            {"just_the_intended_words_move", ALSO},
        ),
        (
            "counterbalanced_as_asked",
            "pair_swap-0",
            {"counterbalanced": False},
            "counterbalanced is False, expected True",
            set(),
        ),
        (
            "distractors_are_in_the_text",
            "pair_swap-0",
            {"distractors": [WET_BOOT]},
            "distractor words not in positive: wet, boot",
            {ALSO},
        ),
        (
            "distractors_are_in_the_text",
            "pair_swap-2",
            {"distractors": [WET_BOOT] * 4},
            "4 distractors, 3 at most",
            {ALSO},
        ),
        (
            "distractors_are_in_the_text",
            "attr_bundle-0",
            {"distractors": [{"attributes": ["Sipping"], "object": "tea"}]},
            "1 distractors, attr_bundle takes none",
            {ALSO},
        ),
        (
            "length_recomputed",
            "pair_swap-0",
            {"length_words": 14},
            "length_words is 14, the positive has 13",
            set(),
        ),
        (
            "length_within_band",
            "pair_swap-0",
            {"band_low": 15, "band_high": 20},
            "13 words, the band is 15-20",
            {ALSO},
        ),
        (
            "length_within_band",
            "pair_swap-0",
            {"band_low": 5, "band_high": 8},
            "13 words, the band is 5-8",
            {ALSO},
        ),
        (
            "distance_recomputed",
            "pair_swap-0",
            {"distance_words": 4},
            "distance_words is 4, the positive has 3",
            set(),
        ),
        (
            "distance_recomputed",
            "predicative-2",
            {"distance_words": 2},
            "distance_words is 2, the positive has 1",
            set(),
        ),
        (
            "distance_recomputed",
            "deferred_bind_respective-0",
            {"distance_words": 6},
            "distance_words is 6, the positive has 5",
            set(),
        ),
        (
            "distance_within_window",
            "pair_swap-0",
            {"window_low": 4},
            "distance 3, the window is 4-6",
            {ALSO},
        ),
        (
            "distance_within_window",
            "pair_swap-0",
            {"window_low": 0, "window_high": 2},
            "distance 3, the window is 0-2",
            {ALSO},
        ),
        (
            "described_first_as_the_text",
            "deferred_bind_anaphoric-2",
            {"described_first": 0},
            "described_first is 0, the text has 1",
            {ALSO},
        ),
    ],
)
def test_a_wrong_column_is_found(
    rule: str, name: str, columns: Row, finding: str, also: set[str]
) -> None:
    found = findings(edited(name, **columns))
    assert found[rule] == [f"{name}: {finding}"]
    assert found.keys() == {rule, *also}


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("pair_swap-0", {"band_low": 14, "band_high": 20}),
        ("pair_swap-0", {"band_low": 5, "band_high": 9}),
        ("pair_swap-0", {"window_low": 3, "window_high": 3}),
        ("pair_swap-2", {"distractors": [WET_BOOT] * 3}),
        ("pair_swap-2", {"writer": "llm"}),
    ],
)
def test_the_nearest_right_column_passes(name: str, columns: Row) -> None:
    assert findings(edited(name, **columns)) == {}


@pytest.mark.parametrize(
    "columns",
    [
        {"pairs": []},
        {"pairs": [{"attributes": [], "object": "tunic"}] * 2},
        {"pairs": [{"attributes": ["—"], "object": ""}] * 2},
        {"positive": ""},
        {"query": ""},
        {"positive": "Red", "negative_attribute": "", "negative_object": "… — “”"},
        {"kept_pair": -1},
        {"kept_pair": 9, "swapped_slot": -3, "described_first": 7},
        {"band_low": 9, "band_high": 3, "window_low": 5, "window_high": -5},
        {"families": []},
    ],
)
@pytest.mark.parametrize("name", list(tiny_examples()))
def test_damage_is_found_and_never_an_error(name: str, columns: Row) -> None:
    found = findings(edited(name, **columns))
    assert any(finding.startswith(name) for of_rule in found.values() for finding in of_rule)
