"""One attempt from draft to verdict: parse, assemble, judge, and the record that comes of it.

A pure function of the draft, the rules and the ledger; used alike by a build, a re-judging and a
repair. Knows nothing of shards or of the order of attempts.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from artifacts.attempt_log import LoggedDraft
from artifacts.ledger_view import AcceptedWords, LedgerView, accepted_words
from artifacts.plan_json import plan_to_json
from artifacts.plans import Assembled, Pair, Violation
from artifacts.records import AcceptedWordsRow, Attempt, BoundPair, Example, Rejection, Verdict
from generators.assembly import assemble
from generators.constructions.base import Construction
from generators.drafts import parse_draft
from validators.judge import Judgement, judge

_ENCODER = json.JSONEncoder(separators=(",", ":"))

#: Why a reply ended → the reason of its rejection.
_EARLY_ENDS = {
    "length": "cut_off",
    "refusal": "refused",
    "content_filter": "refused",
    "no_choices": "empty_draft",
}


@dataclass(frozen=True, slots=True)
class Settled:
    """An attempt with its verdict: an example with its words, or a rejection."""

    draft: LoggedDraft
    example: Example | None
    words: AcceptedWords | None
    violations: tuple[Violation, ...]

    @property
    def verdict(self) -> Verdict:
        """accepted or rejected."""
        return "accepted" if self.example else "rejected"


def settle(
    draft: LoggedDraft,
    construction: Construction,
    view: LedgerView,
    family_of: Mapping[str, str],
    writer: str,
) -> Settled:
    """Return what becomes of `draft` against the ledger as of the attempt before it."""
    parsed = _ended_early(draft) or parse_draft(draft.raw, draft.plan)
    assembled = parsed if isinstance(parsed, tuple) else assemble(draft.plan, parsed, construction)
    if isinstance(assembled, tuple):
        return Settled(draft, None, None, assembled)
    judgement = judge(assembled, view, family_of)
    if judgement.violations or judgement.distance_words is None:
        return Settled(draft, None, None, judgement.violations)
    example = _example(draft, assembled, judgement, judgement.distance_words, writer)
    return Settled(draft, example, accepted_words(assembled.pairs), ())


def _ended_early(draft: LoggedDraft) -> tuple[Violation, ...]:
    """Return the violation of a reply that its model didn't finish: whole or not, it isn't used."""
    if draft.finish is None:
        return ()
    rule = _EARLY_ENDS.get(draft.finish, "ended_early")
    return (Violation(rule, f"the reply ended by {draft.finish!r}"),)


def attempt_record(draft: LoggedDraft, verdict: Verdict) -> Attempt:
    """Return the row that keeps a draft as it arrived."""
    plan = draft.plan
    return Attempt(
        construction=plan.construction,
        attempt=plan.attempt,
        verdict=verdict,
        raw=draft.raw,
        model=draft.model,
        tokens_in=draft.tokens_in,
        tokens_out=draft.tokens_out,
        plan=_ENCODER.encode(plan_to_json(plan)),
        request=draft.request,
        finish=draft.finish,
    )


def rejection_record(settled: Settled) -> Rejection:
    """Return the row of a rejected attempt, with every reason."""
    plan = settled.draft.plan
    return Rejection(
        construction=plan.construction,
        attempt=plan.attempt,
        reasons=[violation.rule for violation in settled.violations],
        details=[violation.detail for violation in settled.violations],
        raw=settled.draft.raw,
    )


def words_record(settled: Settled, words: AcceptedWords) -> AcceptedWordsRow:
    """Return the row of the words that an accepted attempt adds to the ledger."""
    plan = settled.draft.plan
    return AcceptedWordsRow(
        construction=plan.construction,
        attempt=plan.attempt,
        attributes=list(words.attributes),
        objects=list(words.objects),
    )


def words_of_examples(construction: str, examples: pa.Table) -> list[AcceptedWordsRow]:
    """Return the words that stored examples added to the ledger, where nothing else tells."""
    rows = []
    for row in examples.select(["attempt", "pairs"]).to_pylist():
        pairs = [Pair(tuple(pair["attributes"]), pair["object"]) for pair in row["pairs"]]
        words = accepted_words(pairs)
        rows.append(
            AcceptedWordsRow(
                construction=construction,
                attempt=row["attempt"],
                attributes=list(words.attributes),
                objects=list(words.objects),
            )
        )
    return rows


def example_id(construction: str, attempt: int) -> str:
    """Return the identifier of an example; it stays the same as long as its attempt does."""
    return f"{construction}-{attempt:06}"


def _example(
    draft: LoggedDraft, assembled: Assembled, judgement: Judgement, distance: int, writer: str
) -> Example:
    plan = draft.plan
    return Example(
        example_id=example_id(plan.construction, plan.attempt),
        construction=plan.construction,
        query=assembled.query,
        positive=assembled.positive,
        negative_attribute=assembled.negative_attribute,
        negative_object=assembled.negative_object,
        pairs=_bound(assembled.pairs),
        distractors=_bound(assembled.distractors),
        length_words=judgement.length_words,
        band_low=plan.band.low,
        band_high=plan.band.high,
        distance_words=distance,
        window_low=plan.window.low,
        window_high=plan.window.high,
        scene=plan.scene,
        time=plan.time,
        weather=plan.weather,
        writing_register=plan.register,
        opener=plan.opener,
        families=list(judgement.families),
        counterbalanced=plan.orbit_draw is not None,
        kept_pair=assembled.kept_pair,
        swapped_slot=plan.swapped_slot,
        described_first=plan.described_first,
        remarks=list(judgement.remarks),
        writer=writer,
        model=draft.model,
        attempt=plan.attempt,
    )


def _bound(pairs: tuple[Pair, ...]) -> list[BoundPair]:
    return [BoundPair(attributes=list(pair.attributes), object=pair.object) for pair in pairs]
