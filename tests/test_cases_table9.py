"""The paper's own seven examples (table 9): assembled from their positives, and judged."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from artifacts.plans import Assembled, Draft, DraftPair, Pair, Plan, Range
from generators.assembly import assemble
from generators.constructions import CONSTRUCTIONS
from tests.validators.samples import BASE
from validators.judge import structural_violations

CASES = Path(__file__).parents[2] / "shared" / "cases" / "table9.jsonl"

pytestmark = pytest.mark.skipif(
    not CASES.is_file(), reason="the cases are not beside the project: ../shared/cases"
)

#: What the paper drew for its examples.
DRAWS: dict[str, dict[str, object]] = {
    "pair_swap": {"query_order": (1, 0)},
    "triple_bind_cycle": {"direction": 1, "query_order": (0, 2, 1)},
    "triple_bind_swap": {"kept_pair": 0, "query_order": (0, 2, 1)},
    "attr_bundle": {"swapped_slot": 0, "query_order": (0, 1)},
    "predicative": {"query_order": (1, 0)},
    "deferred_bind_anaphoric": {"described_first": 0, "query_order": (1, 0)},
    "deferred_bind_respective": {"query_order": (1, 0)},
}


class Case(Draft):
    """A line of the file."""

    construction: str
    query: str
    negative_attribute: str
    negative_object: str

    @property
    def plan(self) -> Plan:
        drawn = {"construction": self.construction, **DRAWS[self.construction]}
        return replace(BASE, band=Range(10, 20), **drawn)  # type: ignore[arg-type]


def load_cases() -> list[Case]:
    if not CASES.is_file():
        return []
    return [Case(**json.loads(line)) for line in CASES.read_text().splitlines()]


def as_printed(case: Case) -> Assembled:
    texts = (case.positive, case.negative_attribute, case.negative_object)
    return Assembled(
        plan=case.plan,
        pairs=tuple(Pair(tuple(pair.attributes), pair.object) for pair in case.pairs),
        distractors=(),
        query=case.query,
        positive=texts[0],
        negative_attribute=texts[1],
        negative_object=texts[2],
        draft=case.positive,
        orbit=texts,
        kept_pair=0 if case.construction == "triple_bind_swap" else None,
    )


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case.construction)
def test_a_printed_example_passes_all_structural_rules(case: Case) -> None:
    assert structural_violations(as_printed(case)) == ()


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case.construction)
def test_its_positive_yields_its_query_and_negatives(case: Case) -> None:
    draft = Draft(
        pairs=[DraftPair(attributes=pair.attributes, object=pair.object) for pair in case.pairs],
        positive=case.positive,
    )
    example = assemble(case.plan, draft, CONSTRUCTIONS[case.construction])
    assert isinstance(example, Assembled)
    printed = as_printed(case)
    assert replace(example, orbit=printed.orbit) == printed
    assert structural_violations(example) == ()


def test_every_construction_has_its_case() -> None:
    assert {case.construction for case in load_cases()} == set(DRAWS)
