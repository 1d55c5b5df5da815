"""The gates: fair pairs pass, a planted leak fails the gate that is there for it."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from artifacts.errors import SettingsError
from tests.validators.audit.made_pairs import likes_even_sums, permutations
from validators.audit import (
    GATED_PAIRS,
    AuditReport,
    PairTable,
    ScorerFigure,
    audit,
    failed_gates,
    make_pairs,
)


def pooled(report: AuditReport) -> dict[str, ScorerFigure]:
    return {figure.name: figure for figure in report.scorers if figure.construction is None}


def figure_of(report: AuditReport, name: str) -> ScorerFigure:
    return pooled(report)[name]


def accuracy_of(pairs: PairTable, name: str) -> float:
    accuracy = figure_of(audit(pairs), name).accuracy
    assert accuracy is not None
    return accuracy


def value_of(report: AuditReport, name: str) -> float:
    (found,) = (s.value for s in report.statistics if s.name == name and s.construction is None)
    return found


@pytest.fixture(scope="module")
def fair() -> PairTable:
    return permutations(GATED_PAIRS)


@pytest.fixture(scope="module")
def fair_report(fair: PairTable) -> AuditReport:
    return audit(fair)


def test_fair_permutations_pass_every_gate(fair_report: AuditReport) -> None:
    assert {f.verdict for f in pooled(fair_report).values()} == {"passed"}
    assert failed_gates(fair_report) == []
    for figure in pooled(fair_report).values():
        assert figure.pairs == GATED_PAIRS
        assert figure.low is not None
        assert figure.high is not None
        assert figure.low <= 50.5
        assert figure.high >= 49.5


def test_the_bag_of_a_permutation_is_exactly_at_chance(fair_report: AuditReport) -> None:
    bag = figure_of(fair_report, "bag_of_words")
    assert (bag.low, bag.accuracy, bag.high) == (50.0, 50.0, 50.0)
    # Some swaps exchange a for an, which is the same word here and not there.
    assert value_of(fair_report, "permutation_share") == 100.0
    assert 20 < value_of(fair_report, "exact_permutation_share") < 80


def test_a_full_stop_on_positives_only_fails_the_surface_gate(fair: PairTable) -> None:
    negatives = [negative.removesuffix(".") for negative in fair.negatives]
    report = audit(replace(fair, negatives=negatives))
    assert figure_of(report, "surface").accuracy == 100.0
    assert [line.partition(":")[0] for line in failed_gates(report)] == ["surface"]


def test_a_rare_surface_leak_fails_the_surface_gate(fair: PairTable) -> None:
    marked = [text.upper() if n % 20 == 0 else text for n, text in enumerate(fair.positives)]
    report = audit(replace(fair, positives=marked))
    assert figure_of(report, "surface").verdict == "failed"
    assert figure_of(report, "bag_of_words").verdict == "passed"


def test_a_preferred_bigram_fails_the_ngram_gate() -> None:
    report = audit(permutations(GATED_PAIRS, prefers=likes_even_sums))
    assert [line.partition(":")[0] for line in failed_gates(report)] == ["ngrams"]
    (line,) = failed_gates(report)
    assert "at most 55 % allowed" in line
    assert "10,000 pairs" in line


def test_another_word_in_the_positive_fails_the_bag_gate(fair: PairTable) -> None:
    positives = [f"{text} really" if n % 50 == 0 else text for n, text in enumerate(fair.positives)]
    report = audit(replace(fair, positives=positives))
    assert figure_of(report, "bag_of_words").verdict == "failed"
    assert value_of(report, "permutation_share") == 98.0


def test_too_few_pairs_give_a_value_and_no_verdict() -> None:
    report = audit(permutations(200, prefers=likes_even_sums))
    assert {figure.verdict for figure in pooled(report).values()} == {"too_few"}
    found = figure_of(report, "ngrams")
    assert found.low is not None
    assert found.accuracy is not None
    assert found.high is not None
    assert 50 < found.low < found.accuracy < found.high <= 100
    assert failed_gates(report) == []


def test_constructions_get_figures_without_gates() -> None:
    pairs = permutations(300)
    names = ["one" if row % 3 else "two" for row in range(300)]
    report = audit(replace(pairs, constructions=names))
    assert [(f.construction, f.pairs) for f in report.scorers[::3]] == [
        (None, 300),
        ("one", 200),
        ("two", 100),
    ]
    assert all(f.limit is None and f.verdict is None for f in report.scorers[3:])


def test_a_single_group_is_left_unscored() -> None:
    figure = figure_of(audit(make_pairs(["a b"], ["b a"])), "ngrams")
    assert (figure.accuracy, figure.low, figure.verdict) == (None, None, "too_few")


def test_a_group_is_never_learnt_from_and_tested_on() -> None:
    """Each group has a bigram of its own that gives the positive away, four times over."""
    own = make_pairs(
        [f"red{group} kite{group}" for group in range(50) for _ in range(4)],
        [f"kite{group} red{group}" for group in range(50) for _ in range(4)],
    )
    assert accuracy_of(own, "ngrams") == 50.0
    assert accuracy_of(replace(own, groups=np.arange(200)), "ngrams") > 90


def test_neither_column_is_favoured() -> None:
    """With the columns exchanged the weights change their sign and no pair its outcome."""
    pairs = permutations(400, prefers=likes_even_sums)
    exchanged = make_pairs(pairs.negatives, pairs.positives, pairs.groups.tolist())
    for name in ("surface", "ngrams"):
        assert accuracy_of(exchanged, name) == accuracy_of(pairs, name)


def test_the_same_pairs_give_the_same_figures() -> None:
    assert audit(permutations(500)) == audit(permutations(500))


def test_a_fit_on_a_sample_tests_every_pair() -> None:
    pairs = permutations(2_000, prefers=likes_even_sums)
    sampled, full = (figure_of(audit(pairs, max_pairs=n), "ngrams") for n in (100, 0))
    assert sampled.pairs == full.pairs == 2_000
    assert sampled.accuracy is not None
    assert full.accuracy is not None
    assert 50 < sampled.accuracy < full.accuracy


@pytest.mark.parametrize("wrong", [{"seed": -1}, {"max_pairs": -1}])
def test_negative_parameters_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(SettingsError, match="must be 0 or more"):
        audit(permutations(5), **wrong)  # type: ignore[arg-type]


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(SettingsError, match="found 2, 1, 2"):
        make_pairs(["a b", "b c"], ["b a"])


def test_a_report_is_plain_data(fair_report: AuditReport) -> None:
    assert json.loads(json.dumps(asdict(fair_report)))["pairs"] == GATED_PAIRS
