"""What chance decides: counts that an honest draw gives, and counts that it doesn't."""

import json
from collections import Counter
from typing import TypeAlias

import pytest

from artifacts.plans import Pair
from tests.validators.dataset.tiny_dataset import EXPECTED, connect, tiny_rows
from validators.constructions import CHECKERS
from validators.dataset.case import prepare
from validators.dataset.gates import (
    Draws,
    positive_is_drawn_from_the_orbit,
    query_order_is_drawn,
    second_object_described_first_in_half,
)
from validators.dataset.rows import stream_examples

Orders: TypeAlias = Counter[tuple[str, tuple[int, ...]]]


def test_draws_are_counted_from_the_rows() -> None:
    rows = tiny_rows()
    rows.attempt("triple_bind_cycle", 0)["raw"] = json.dumps({"positive": "Red tunic."})
    draws, connection = Draws(), connect(rows)
    for construction in EXPECTED.quotas:
        for row in stream_examples(connection, construction):
            assert isinstance(row.pairs[0], Pair)
            draws.count(prepare(row, CHECKERS[construction], EXPECTED))
    assert draws.described_first == {0: 1, 1: 1}
    assert draws.query_orders["pair_swap", (1, 0)] == 1
    assert draws.query_orders["pair_swap", (0, 1)] == 1
    assert draws.query_orders["triple_bind_cycle", (1, 2, 0)] == 1
    assert draws.as_drafted["attr_bundle", 4, True] == 2
    assert draws.as_drafted["triple_bind_swap", 4, True] == 2
    assert draws.as_drafted["triple_bind_cycle", 9, True] == 1
    assert draws.as_drafted["triple_bind_cycle", 9, False] == 1


@pytest.mark.parametrize(("second", "fails"), [(4_804, False), (4_521, False), (4_520, True)])
def test_two_percent_from_one_half_is_the_gate(second: int, fails: bool) -> None:
    draws = Draws(described_first=Counter({0: 9_417 - second, 1: second}))
    report = second_object_described_first_in_half(draws)
    assert (report.rule, report.checked) == ("second_object_described_first_in_half", 9_417)
    assert report.examples == (
        (f"the second object is described first in {second} of 9417 examples",) if fails else ()
    )


@pytest.mark.parametrize(
    ("second", "fails"), [(580, True), (575, False), (420, True), (425, False)]
)
def test_with_few_examples_chance_is_the_gate(second: int, fails: bool) -> None:
    draws = Draws(described_first=Counter({0: 1_000 - second, 1: second}))
    assert second_object_described_first_in_half(draws).failed == fails


def test_a_query_that_follows_the_text_too_often_is_found() -> None:
    orders: Orders = Counter({("pair_swap", (0, 1)): 600, ("pair_swap", (1, 0)): 400})
    report = query_order_is_drawn(Draws(query_orders=orders))
    assert (report.rule, report.checked) == ("query_order_is_drawn", 2)
    assert report.examples == (
        "pair_swap: mentions [0, 1] in 600 of 1000 queries",
        "pair_swap: mentions [1, 0] in 400 of 1000 queries",
    )
    orders = Counter({("pair_swap", (0, 1)): 570, ("pair_swap", (1, 0)): 430})
    assert query_order_is_drawn(Draws(query_orders=orders)).failed == 0


def test_an_order_that_never_occurs_is_found() -> None:
    orders: Orders = Counter(
        {
            ("triple_bind_cycle", order): 200
            for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1))
        }
    )
    report = query_order_is_drawn(Draws(query_orders=orders))
    assert report.checked == 6
    assert report.examples == ("triple_bind_cycle: mentions [2, 1, 0] in 0 of 1000 queries",)


@pytest.mark.parametrize(("drafted", "fails"), [(250, False), (310, False), (330, True), (0, True)])
def test_a_draft_taken_too_often_or_never_is_found(drafted: int, fails: bool) -> None:
    draws = Draws(
        as_drafted=Counter(
            {("pair_swap", 4, True): drafted, ("pair_swap", 4, False): 1_000 - drafted}
        )
    )
    report = positive_is_drawn_from_the_orbit(draws)
    assert report.rule == "positive_is_drawn_from_the_orbit"
    assert report.examples == (
        (f"pair_swap: the draft itself in {drafted} of 1000, not 1 in 4",) if fails else ()
    )
