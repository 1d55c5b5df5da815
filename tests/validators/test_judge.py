"""What a verdict records beside its violations: remarks, measures, families."""

from tests.validators.samples import FAMILIES, SAMPLES
from validators.judge import judge
from validators.ledger import Ledger

BUNDLE, PAIR = SAMPLES["attr_bundle"], SAMPLES["pair_swap"]


def test_an_article_error_of_the_draft_is_remarked_and_not_rejected() -> None:
    example = PAIR.but("On a odd day an red tunic lay on an icy shroud.").assembled()
    verdict = judge(example, Ledger(2))
    assert verdict.violations == ()
    assert verdict.remarks == ("article_error: a odd",)


def test_an_attribute_outside_the_pool_is_remarked_in_bundles_only() -> None:
    known = {"red": "color", "silk": "fabric"}
    verdict = judge(BUNDLE.assembled(), Ledger(4), known)
    assert verdict.violations == ()
    assert verdict.remarks == ("unknown_family: cotton", "unknown_family: ivory")
    assert verdict.families == ("color", None, None, "fabric")
    assert judge(PAIR.assembled(), Ledger(2), known).remarks == ()


def test_length_and_distance_are_the_positives() -> None:
    verdict = judge(BUNDLE.assembled(), Ledger(4), FAMILIES)
    assert (verdict.length_words, verdict.distance_words) == (11, 2)
    assert judge(SAMPLES["predicative"].assembled(), Ledger(2)).distance_words == 1
    assert judge(SAMPLES["deferred_bind_anaphoric"].assembled(), Ledger(2)).distance_words == 3


def test_a_distance_that_nothing_binds_is_none() -> None:
    unclear = SAMPLES["predicative"].but("Both the tunic and the shroud there were red and icy.")
    verdict = judge(unclear.assembled(), Ledger(2))
    assert verdict.distance_words is None
    assert {violation.rule for violation in verdict.violations} == {
        "binding_expressed",
        "binding_intended",
    }


def test_the_ledger_is_read_and_not_changed() -> None:
    ledger = Ledger(2)
    judge(PAIR.assembled(), ledger)
    assert ledger.accepted == 0
