"""Chains: their lengths, their growth, their orders."""

from tests.validators.benchmark.tiny_build import (
    VOCABULARY,
    Draft,
    copies,
    findings,
    rows_of,
    tiny_drafts,
    validate,
)
from validators.benchmark import BenchmarkExpectation

RULE = "earlier_order_survives_by_chance_only"


def chains(count: int, order_kept: int) -> dict[str, Draft]:
    """Return chains of two steps, the first `order_kept` of which keep the order of c2."""
    steps = copies(tiny_drafts()["c2"], count) | copies(tiny_drafts()["c3"], count)
    for number in range(order_kept):
        steps[f"c3-{number}"].query = [
            ("transparent", "teapot"),
            ("sandy", "unicycle"),
            ("glowing", "boot"),
        ]
    return steps


def test_a_chain_that_stops_early_is_found() -> None:
    drafts = tiny_drafts()
    del drafts["c3"]
    assert findings(rows_of(drafts))["one_question_per_n_in_every_chain"] == [
        "c: expected N [2, 3], found [2]"
    ]


def test_a_chain_that_was_to_go_on_is_found() -> None:
    expected = BenchmarkExpectation({2: (1, 1), 3: (1, 1), 4: (0, 1)}, VOCABULARY)
    assert findings(rows_of(tiny_drafts()), expected)["one_question_per_n_in_every_chain"] == [
        "c: expected N [2, 3, 4], found [2, 3]"
    ]


def test_a_step_that_rebinds_is_found() -> None:
    drafts = tiny_drafts()
    drafts["c3"].query = [("sandy", "boot"), ("glowing", "unicycle"), ("transparent", "teapot")]
    assert findings(rows_of(drafts))["every_step_adds_one_binding"] == [
        "c3: loses 1 bindings of c2 and adds 2"
    ]


def test_chains_that_always_keep_the_earlier_order_are_found() -> None:
    found = findings(rows_of(chains(20, order_kept=20)))
    assert found[RULE] == [
        "N=3: the earlier order survives in 20 of 20 steps, a shuffle keeps it in 10.00",
        "all chains: the earlier order survives in 20 of 20 steps, a shuffle keeps it in 10.00",
    ]


def test_chains_that_keep_it_half_of_the_time_pass() -> None:
    report = validate(rows_of(chains(20, order_kept=10)))[RULE]
    assert (report.checked, report.failed) == (20, 0)


def test_chains_that_never_keep_it_pass() -> None:
    assert RULE not in findings(rows_of(chains(20, order_kept=0)))
