"""Plans as JSON, for the attempt log: what is written reads back as the same plan.

Written by hand because `dataclasses.asdict` copies deeply and would cost more than a plan does.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import TypeGuard

from artifacts.errors import StoreError
from artifacts.plans import Pair, Plan, Range

_FIELDS = tuple(field.name for field in fields(Plan))
_RANGES = ("band", "window")
_PAIRS = ("pairs", "distractors")


def plan_to_json(plan: Plan) -> dict[str, object]:
    """Return the plan as plain lists, numbers and texts."""
    content: dict[str, object] = {name: getattr(plan, name) for name in _FIELDS}
    for name in _PAIRS:
        content[name] = [[pair.attributes, pair.object] for pair in getattr(plan, name)]
    return content


def plan_from_json(content: object) -> Plan:
    """Return the plan that `plan_to_json` wrote; raises StoreError if it isn't one."""
    if not _is_plan(content):
        raise StoreError("expected a plan with its fields, found something else in an attempt log")
    values = dict(content)
    try:
        for name in _RANGES:
            values[name] = Range(*values[name])  # type: ignore[misc]
        for name in _PAIRS:
            pairs = values[name]
            values[name] = tuple(Pair(tuple(attributes), thing) for attributes, thing in pairs)  # type: ignore[attr-defined]
        values["query_order"] = tuple(values["query_order"])  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise StoreError(f"an attempt log holds a plan that cannot be read: {error}") from error
    return Plan(**values)  # type: ignore[arg-type]


def _is_plan(content: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(content, Mapping) and content.keys() == set(_FIELDS)
