"""The construction's own rules, put once more to the rows that passed them.

The only rule here that shares code with the judgement that accepted a row: it says whether the
stored rows still are what the rules of today accept.
"""

from artifacts.plans import Assembled, Plan
from validators.dataset.case import Case, Move
from validators.judge import structural_violations

_DIRECTIONS: dict[Move, int] = {(2, 0, 1): 1, (1, 2, 0): -1}


def rules_of_the_construction(case: Case) -> str | None:
    """The example, built anew from its row, breaks no rule of its construction."""
    violations = structural_violations(_rebuild(case), case.expected.families)
    found = [f"{violation.rule}: {violation.detail}" for violation in violations]
    return "; ".join(found) or None


def _rebuild(case: Case) -> Assembled:
    row = case.row
    texts = (row.positive, row.negative_attribute, row.negative_object)
    return Assembled(
        plan=_plan(case),
        pairs=row.pairs,
        distractors=row.distractors,
        query=row.query,
        positive=row.positive,
        negative_attribute=row.negative_attribute,
        negative_object=row.negative_object,
        draft=row.positive,
        orbit=texts,
        kept_pair=row.kept_pair,
    )


def _plan(case: Case) -> Plan:
    row = case.row
    turns = case.is_readable and len(row.pairs) == 3 and row.kept_pair is None
    return Plan(
        construction=row.construction,
        attempt=row.attempt,
        seed=0,
        scene=row.scene,
        time=None,
        weather=None,
        register=row.register,
        opener=row.opener,
        band=row.band,
        window=row.window,
        pairs=(),
        distractors=(),
        distractor_count=len(row.distractors),
        kept_pair=None,
        swapped_slot=row.swapped_slot,
        described_first=row.described_first,
        # A row doesn't store which way it turned: any way will do that both negatives agree on.
        direction=_DIRECTIONS.get(case.attribute_move) if turns else None,
        orbit_draw=None,
        query_order=(),
    )
