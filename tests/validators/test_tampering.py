"""Rules on negatives and queries, which no draft can break: an example bent after assembly."""

from dataclasses import replace

import pytest

from artifacts.ledger_view import accepted_words
from artifacts.plans import Assembled, Range
from tests.validators.samples import FAMILIES, SAMPLES
from tests.validators.test_rules import SIDES
from validators.constructions import CHECKERS
from validators.judge import (
    BINDING_RULES,
    LEDGER_RULES,
    WORD_RULES,
    judge,
    structural_violations,
)
from validators.ledger import Ledger

PAIR = SAMPLES["pair_swap"].assembled()
BUNDLE = SAMPLES["attr_bundle"].assembled()
CYCLE = SAMPLES["triple_bind_cycle"].assembled()
SWAP = SAMPLES["triple_bind_swap"].assembled()

#: The rule that must object, and the bent example; the unbent one breaks nothing.
BENT = [
    ("query_form", replace(PAIR, query="a red tunic and an icy shroud")),
    ("query_form", replace(PAIR, query="icy shroud and red tunic")),
    ("query_form", replace(CYCLE, query="red tunic, icy shroud, and torn flag")),
    ("core_word_count", replace(PAIR, query="red tunic and icy tunic")),
    ("core_word_count", replace(PAIR, negative_object="At dawn a red tunic lay on an icy tunic.")),
    ("permutation", replace(PAIR, negative_object="At dusk a red shroud lay on an icy tunic.")),
    ("permutation", replace(PAIR, orbit=("At dusk a red tunic lay on an icy shroud.",))),
    ("texts_distinct", replace(PAIR, negative_attribute=PAIR.positive)),
    ("texts_distinct", replace(PAIR, negative_attribute=PAIR.positive.upper())),
    ("texts_distinct", replace(PAIR, negative_object=PAIR.negative_attribute)),
    ("one_kind_moves", replace(PAIR, negative_attribute=PAIR.negative_object)),
    ("one_kind_moves", replace(PAIR, negative_object=PAIR.negative_attribute)),
    ("binding_survives", replace(PAIR, negative_object=PAIR.positive)),
    ("binding_survives", replace(CYCLE, negative_attribute=SWAP.negative_attribute)),
    ("binding_intended", replace(CYCLE, negative_object=SWAP.negative_object)),
    (
        "binding_intended",
        replace(
            BUNDLE,
            negative_attribute="Someone left an ivory silk tunic beside a red cotton shroud.",
        ),
    ),
    (
        "binding_intended",
        replace(
            BUNDLE,
            negative_attribute="Someone left a red silk tunic beside an ivory cotton shroud.",
        ),
    ),
    ("article_agreement", replace(PAIR, orbit=("At dawn an red tunic lay on an icy shroud.",))),
    (
        "article_agreement",
        replace(PAIR, negative_attribute="At dawn a icy tunic lay on a red shroud."),
    ),
    (
        "rotation",
        replace(
            CYCLE,
            negative_attribute=CYCLE.negative_attribute,
            negative_object="We saw a red shroud, an icy flag and a torn tunic there.",
        ),
    ),
    ("rotation", replace(CYCLE, plan=replace(CYCLE.plan, direction=-1))),
    ("pair_kept", replace(SWAP, negative_object=CYCLE.negative_object)),
    ("pair_kept", replace(SWAP, kept_pair=0)),
    (
        "pair_kept",
        replace(SWAP, negative_object="We saw a red shroud, an icy tunic and a torn flag there."),
    ),
    (
        "attributes_adjacent",
        replace(PAIR, orbit=("At dawn a red lay tunic on an icy shroud.",)),
    ),
    (
        "attributes_detached",
        replace(
            SAMPLES["predicative"].assembled(),
            orbit=("At noon the red tunic was while the shroud had become icy again.",),
        ),
    ),
]


@pytest.mark.parametrize(("rule", "example"), BENT)
def test_a_bent_example_is_rejected_by_name(rule: str, example: Assembled) -> None:
    broken = {violation.rule for violation in structural_violations(example, FAMILIES)}
    assert rule in broken


def test_distance_must_hold_in_every_arrangement() -> None:
    plan = replace(PAIR.plan, window=Range(3, 6))
    apart = replace(PAIR, plan=plan)
    assert structural_violations(apart, FAMILIES) == ()
    closer = replace(apart, orbit=("At dawn lay on a red tunic an icy shroud.",))
    broken = {violation.rule for violation in structural_violations(closer, FAMILIES)}
    assert broken == {"distance"}


def test_case_of_an_and_a_is_no_difference_of_words() -> None:
    assert "an" in PAIR.negative_attribute.split()[:3]
    assert structural_violations(PAIR, FAMILIES) == ()


def test_every_rule_is_tried_by_name() -> None:
    tried = {rule for rule, *_ in SIDES} | {rule for rule, _ in BENT}
    rules = {rule.__name__ for rule in (*WORD_RULES, *BINDING_RULES)}
    rules |= {rule.__name__ for checker in CHECKERS.values() for rule in checker.rules}
    assert rules <= tried
    assert {rule.__name__ for rule in LEDGER_RULES} == {"word_cap", "duplicate"}


def test_a_capped_word_is_rejected_in_its_role_only() -> None:
    ledger = Ledger(2)
    for number in range(10):
        ledger.record(accepted_words(PAIR.pairs)._replace(objects=(f"x{number}", f"y{number}")))
    found = judge(PAIR, ledger).violations
    assert [violation.rule for violation in found] == ["word_cap", "word_cap"]
    assert "attribute 'red'" in found[0].detail


def test_the_same_words_again_are_a_duplicate_however_they_are_paired() -> None:
    ledger = Ledger(2)
    ledger.accept(PAIR)
    assert [violation.rule for violation in judge(PAIR, ledger).violations] == ["duplicate"]
    listed_otherwise = replace(PAIR, pairs=PAIR.pairs[::-1], query="icy shroud and red tunic")
    broken = judge(listed_otherwise, ledger).violations
    assert [violation.rule for violation in broken] == ["duplicate"]
    rebound = SAMPLES["pair_swap"].but(
        "At dawn an icy tunic lay on a red shroud.", "icy tunic", "red shroud"
    )
    assert [v.rule for v in judge(rebound.assembled(), ledger).violations] == ["duplicate"]
    other = SAMPLES["pair_swap"].but(
        "At dawn an icy tunic lay on a red apron.", "icy tunic", "red apron"
    )
    assert judge(other.assembled(), ledger).violations == ()
