"""Plans as JSON: what is written reads back as the same plan, anything else is refused."""

import json
from dataclasses import fields

import pytest
from hypothesis import given

from artifacts.errors import StoreError
from artifacts.plan_json import plan_from_json, plan_to_json
from artifacts.plans import Pair, Plan, Range
from tests.artifacts.plans import PLAN, plans


@given(plans)
def test_a_plan_reads_back_as_it_was(plan: Plan) -> None:
    assert plan_from_json(json.loads(json.dumps(plan_to_json(plan)))) == plan


def test_what_is_read_has_the_types_of_a_plan() -> None:
    plan = plan_from_json(json.loads(json.dumps(plan_to_json(PLAN))))
    assert isinstance(plan.band, Range)
    assert isinstance(plan.window, Range)
    assert isinstance(plan.pairs[0], Pair)
    assert isinstance(plan.pairs[0].attributes, tuple)
    assert isinstance(plan.query_order, tuple)
    assert hash(plan)


@pytest.mark.parametrize("name", [field.name for field in fields(Plan)])
def test_a_plan_without_one_of_its_fields_is_refused(name: str) -> None:
    content = plan_to_json(PLAN)
    del content[name]
    with pytest.raises(StoreError, match="expected a plan with its fields"):
        plan_from_json(content)


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        "plan",
        plan_to_json(PLAN) | {"surprise": 1},
    ],
)
def test_what_is_no_plan_is_refused(content: object) -> None:
    with pytest.raises(StoreError, match="expected a plan with its fields"):
        plan_from_json(content)


@pytest.mark.parametrize(
    "change",
    [{"band": [1]}, {"window": 3}, {"pairs": [["red"]]}, {"pairs": None}, {"query_order": 1}],
)
def test_a_field_of_another_shape_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(StoreError, match="holds a plan that cannot be read"):
        plan_from_json(plan_to_json(PLAN) | change)
