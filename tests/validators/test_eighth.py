"""An eighth construction: one module in each registry, and every part takes it up."""

from dataclasses import replace

import pytest

from artifacts.plans import Plan
from generators.constructions import CONSTRUCTIONS
from generators.constructions.base import Moves
from tests.validators.samples import SAMPLES, TRIPLE
from validators.constructions import CHECKERS
from validators.evidence import Evidence, Intended
from validators.judge import judge
from validators.ledger import Ledger
from validators.structure import intend_swap, nouns_in_text_order, phrase_gap, read_adjacent

NAME = "mirror"


def mirror(_: Plan) -> Moves:
    """Exchange the outer pairs' words; the middle one stays."""
    return Moves(attributes=((2, 1, 0),), objects=(2, 1, 0))


def intend(evidence: Evidence) -> Intended:
    pairs = list(nouns_in_text_order(evidence))
    mirrored = frozenset(
        (attribute, noun)
        for (attributes, _), (_, noun) in zip(pairs, reversed(pairs), strict=True)
        for attribute in attributes
    )
    return Intended(mirrored, mirrored)


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    construction = replace(CONSTRUCTIONS["triple_bind_swap"], name=NAME, moves=mirror)
    monkeypatch.setitem(CONSTRUCTIONS, NAME, replace(construction, draws=frozenset()))
    checker = replace(CHECKERS["triple_bind_swap"], name=NAME, intend=intend)
    rules = tuple(rule for rule in checker.rules if rule.__name__ != "pair_kept")
    monkeypatch.setitem(CHECKERS, NAME, replace(checker, rules=rules))


@pytest.mark.usefixtures("registered")
def test_a_construction_is_a_line_in_both_registries() -> None:
    sample = SAMPLES["triple_bind_swap"].but(TRIPLE, construction=NAME, kept_pair=None)
    example = sample.assembled()
    assert example.negative_attribute == "We saw a torn tunic, an icy shroud and a red flag there."
    assert len(example.orbit) == 4
    verdict = judge(example, Ledger(3))
    assert verdict.violations == ()
    assert verdict.distance_words == 1
    assert sample.but("We saw a red tunic.").broken() == {"core_word_count"}


@pytest.mark.usefixtures("registered")
def test_its_own_rules_reject() -> None:
    sample = SAMPLES["triple_bind_swap"].but(TRIPLE, construction=NAME, kept_pair=None)
    bent = replace(sample.assembled(), negative_object=sample.positive)
    broken = {violation.rule for violation in judge(bent, Ledger(3)).violations}
    assert broken == {"texts_distinct", "binding_survives", "binding_intended"}


def test_readings_are_shared_by_those_that_need_them() -> None:
    assert CHECKERS["pair_swap"].read_bindings is read_adjacent
    assert CHECKERS["triple_bind_swap"].measure_distance is phrase_gap
    assert CHECKERS["predicative"].intend is intend_swap
