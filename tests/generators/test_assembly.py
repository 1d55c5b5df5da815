"""From drafts to examples: what moves, what is repaired, and what stays as it was written."""

from dataclasses import replace

import pytest

from artifacts.plans import Assembled, Pair
from generators.assembly import assemble
from generators.constructions import CONSTRUCTIONS
from tests.validators.samples import SAMPLES, draft_of

PAIR = SAMPLES["pair_swap"]
CYCLE, SWAP = SAMPLES["triple_bind_cycle"], SAMPLES["triple_bind_swap"]


def texts(example: Assembled) -> tuple[str, str, str]:
    return example.positive, example.negative_attribute, example.negative_object


def test_the_negatives_move_attributes_or_objects() -> None:
    assert texts(PAIR.assembled()) == (
        "At dawn a red tunic lay on an icy shroud.",
        "At dawn an icy tunic lay on a red shroud.",
        "At dawn a red shroud lay on an icy tunic.",
    )


def test_without_a_draw_the_draft_is_the_positive_and_first_of_the_orbit() -> None:
    example = PAIR.assembled()
    assert example.orbit[0] == example.positive == example.draft
    assert len(set(example.orbit)) == 4


@pytest.mark.parametrize(("draw", "first"), [(1, "an icy tunic"), (2, "a red shroud"), (5, None)])
def test_the_draw_picks_a_member_modulo_the_orbit(draw: int, first: str | None) -> None:
    example = PAIR.but(orbit_draw=draw).assembled()
    assert example.positive == example.orbit[draw % 4]
    assert first is None or first in example.positive
    assert example.pairs[0].attributes[0] in example.positive.split(example.pairs[0].object)[0]


def test_the_query_follows_the_positive_in_the_planned_order() -> None:
    example = PAIR.but(orbit_draw=1, query_order=(1, 0)).assembled()
    assert example.positive == "At dawn an icy tunic lay on a red shroud."
    assert example.query == "red shroud and icy tunic"
    assert example.pairs == (Pair(("red",), "shroud"), Pair(("icy",), "tunic"))


def test_three_pairs_are_listed_without_a_comma_before_and() -> None:
    assert CYCLE.assembled().query == "red tunic, icy shroud and torn flag"


def test_both_cycles_rotate_the_same_way() -> None:
    forward, backward = CYCLE.assembled(), CYCLE.but(direction=-1).assembled()
    assert texts(forward)[1:] == (
        "We saw a torn tunic, a red shroud and an icy flag there.",
        "We saw a red flag, an icy tunic and a torn shroud there.",
    )
    assert texts(backward)[1:] == (
        "We saw an icy tunic, a torn shroud and a red flag there.",
        "We saw a red shroud, an icy flag and a torn tunic there.",
    )
    assert len(set(forward.orbit)) == 9


def test_the_kept_pair_is_counted_in_the_query() -> None:
    example = SWAP.but(kept_pair=0, query_order=(2, 0, 1)).assembled()
    assert example.kept_pair == 1
    kept = example.pairs[1]
    for text in texts(example):
        assert f"{kept.attributes[0]} {kept.object}" in text


def test_a_bundle_moves_one_slot_of_attributes() -> None:
    bundle = SAMPLES["attr_bundle"]
    assert texts(bundle.assembled())[1] == (
        "Someone left an ivory cotton tunic beside a red silk shroud."
    )
    assert texts(bundle.but(swapped_slot=1).assembled())[1] == (
        "Someone left a red silk tunic beside an ivory cotton shroud."
    )


#: The draft, its pairs, the attribute negative, the object negative.
EDITS = [
    pytest.param(
        "Red tunic, icy shroud: both here.",
        ("red tunic", "icy shroud"),
        "Icy tunic, red shroud: both here.",
        "Red shroud, icy tunic: both here.",
        id="a sentence start keeps its capital",
    ),
    pytest.param(
        "Here: a tin. Icy shrouds? A red tunic and “icy” shroud.",
        ("red tunic", "rusty shroud"),
        None,
        None,
        id="a word that is not there",
    ),
    pytest.param(
        "LED lamps hum. LED lamp, old cup.",
        ("LED lamp", "old cup"),
        None,
        None,
        id="a word that is there twice",
    ),
    pytest.param(
        "LED lamp beside the old cup.",
        ("LED lamp", "old cup"),
        "Old lamp beside the LED cup.",
        "LED cup beside the old lamp.",
        id="an initialism keeps its capitals",
    ),
    pytest.param(
        "An LED lamp beside a red cup.",
        ("LED lamp", "red cup"),
        "A red lamp beside an LED cup.",
        "An LED cup beside a red lamp.",
        id="an article that opens a sentence keeps its capital",
    ),
    pytest.param(
        "Victorian lamp beside the old cup.",
        ("Victorian lamp", "old cup"),
        "Old lamp beside the Victorian cup.",
        "Victorian cup beside the old lamp.",
        id="a proper adjective keeps its capital",
    ),
    pytest.param(
        "U-shaped lamp beside the old cup.",
        ("U-shaped lamp", "old cup"),
        "Old lamp beside the U-shaped cup.",
        "U-shaped cup beside the old lamp.",
        id="a letter that names a shape keeps its capital",
    ),
    pytest.param(
        "He took an “old” lamp and a (red) cup.",
        ("old lamp", "red cup"),
        "He took a “red” lamp and an (old) cup.",
        "He took an “old” cup and a (red) lamp.",
        id="articles reach across opening marks",
    ),
    pytest.param(
        "He said, “Old lamp, Sir,” beside a red cup.",
        ("old lamp", "red cup"),
        "He said, “Red lamp, Sir,” beside an old cup.",
        "He said, “Old cup, Sir,” beside a red lamp.",
        id="a quotation's start keeps its capital",
    ),
    pytest.param(
        "OFFERED: AN OLD LAMP, A RED CUP.",
        ("old lamp", "red cup"),
        "OFFERED: A RED LAMP, AN OLD CUP.",
        "OFFERED: AN OLD CUP, A RED LAMP.",
        id="a caption in capitals stays so",
    ),
    pytest.param(
        "Old Lamp Found by a Red Cup",
        ("old lamp", "red cup"),
        "Red Lamp Found by an Old Cup",
        "Old Cup Found by a Red Lamp",
        id="title case stays",
    ),
    pytest.param(
        "old lamp, slightly bent; red cup, intact",
        ("old lamp", "red cup"),
        "red lamp, slightly bent; old cup, intact",
        "old cup, slightly bent; red lamp, intact",
        id="a writer's lower case stays",
    ),
    pytest.param(
        "We saw an old fire hydrant  —  and a red cup…",
        ("old fire+hydrant", "red cup"),
        "We saw a red fire hydrant  —  and an old cup…",
        "We saw an old cup  —  and a red fire hydrant…",
        id="objects of several words, odd spacing",
    ),
    pytest.param(
        "Fire hydrants aside, a lamp: old lamps… an old fire hydrant, red cup.",
        ("old fire+hydrant", "red cup"),
        None,
        None,
        id="an attribute elsewhere too",
    ),
    pytest.param(
        "A an old lamp and an red cup in a odd box.",
        ("old lamp", "red cup"),
        "A a red lamp and an old cup in a odd box.",
        "A an old cup and a red lamp in a odd box.",
        id="only articles before core words are repaired",
    ),
    pytest.param(
        "Grade A. Old lamp and a red cup.",
        ("old lamp", "red cup"),
        "Grade A. Red lamp and an old cup.",
        "Grade A. Old cup and a red lamp.",
        id="a letter that ends a sentence is no article",
    ),
]


@pytest.mark.parametrize(("draft", "pairs", "attribute", "other"), EDITS)
def test_edits_touch_core_words_and_their_articles_only(
    draft: str, pairs: tuple[str, str], attribute: str | None, other: str | None
) -> None:
    outcome = assemble(PAIR.plan, draft_of(draft, *pairs), CONSTRUCTIONS["pair_swap"])
    if attribute is None:
        assert isinstance(outcome, tuple)
        assert {violation.rule for violation in outcome} == {"core_word_count"}
    else:
        assert isinstance(outcome, Assembled)
        assert (outcome.negative_attribute, outcome.negative_object) == (attribute, other)


def test_an_article_before_a_core_word_is_repaired_in_the_positive_too() -> None:
    example = PAIR.but("At dawn an red tunic lay on a icy shroud.").assembled()
    assert example.positive == "At dawn a red tunic lay on an icy shroud."
    assert example.draft == "At dawn an red tunic lay on a icy shroud."


def test_pairs_and_query_are_written_as_inside_a_sentence() -> None:
    title = PAIR.but("Red Tunic Found by an Icy Shroud", "red tunic", "icy shroud").assembled()
    assert title.query == "red tunic and icy shroud"
    started = PAIR.but("Red tunic found by the icy shroud.", "Red tunic", "icy shroud").assembled()
    assert started.query == "red tunic and icy shroud"


def test_a_pair_keeps_its_slot_wherever_its_attribute_stands() -> None:
    anaphoric = SAMPLES["deferred_bind_anaphoric"].but(
        "A tunic lay by a shroud. The second was icy, the first red.", described_first=1
    )
    example = anaphoric.assembled()
    assert example.query == "red tunic and icy shroud"
    assert example.negative_attribute == (
        "A tunic lay by a shroud. The second was red, the first icy."
    )


def test_a_wrong_number_of_pairs_or_attributes_is_named() -> None:
    draft = draft_of(PAIR.positive, "red tunic", "icy dawn shroud", "lay a")
    outcome = assemble(PAIR.plan, draft, CONSTRUCTIONS["pair_swap"])
    assert isinstance(outcome, tuple)
    assert [violation.rule for violation in outcome] == ["pair_count", "attribute_count"]


def test_assembling_draws_nothing() -> None:
    plan = replace(PAIR.plan, orbit_draw=3)
    first, second = (assemble(plan, PAIR.draft, CONSTRUCTIONS["pair_swap"]) for _ in range(2))
    assert first == second
