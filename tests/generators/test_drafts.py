"""What a writer may return: a draft, or text that is none and says why."""

import json
from dataclasses import replace

import pytest

from artifacts.plans import Draft, DraftPair, Pair
from generators.drafts import MAX_RAW_CHARACTERS, parse_draft
from tests.validators.samples import BASE

PLANNED = replace(BASE, pairs=(Pair(("red",), "tunic"), Pair(("icy",), "shroud")))
POSITIVE = "At dawn a red tunic lay on an icy shroud."


def raw(**changes: object) -> str:
    draft = {
        "pairs": [
            {"attributes": ["icy"], "object": "shroud"},
            {"attributes": ["red"], "object": "tunic"},
        ],
        "positive": POSITIVE,
    }
    return json.dumps({**draft, **changes})


def test_a_draft_may_leave_out_distractors_and_order_its_pairs() -> None:
    draft = parse_draft(raw(), PLANNED)
    assert isinstance(draft, Draft)
    assert draft.positive == POSITIVE
    assert draft.distractors == []


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("empty_draft", ""),
        ("empty_draft", " \n"),
        ("malformed_draft", "At dawn a red tunic lay on an icy shroud."),
        ("malformed_draft", raw()[:-1]),
        ("malformed_draft", "null"),
        ("malformed_draft", "[]"),
        ("malformed_draft", '{"positive": "no pairs", "pairs": null}'),
        ("malformed_draft", f"Here you are: {raw()}"),
        ("other_pairs", '{"positive": "no pairs", "pairs": []}'),
        ("malformed_draft", raw(negative="…")),
        ("malformed_draft", raw(positive=7)),
        ("malformed_draft", raw(pairs=[{"attribute": "red", "object": "tunic"}])),
        ("malformed_draft", f"```json\n{raw()}\n```"),
        ("malformed_draft", '{"positive": "\\ud800", "pairs": []}'),
        ("empty_caption", raw(positive="  ")),
        ("empty_phrase", raw(pairs=[{"attributes": [""], "object": "tunic"}])),
        ("oversized_draft", raw(positive="red " * 400)),
        ("oversized_draft", raw() + " " * MAX_RAW_CHARACTERS),
        ("oversized_draft", raw(pairs=[{"attributes": ["red"], "object": "x" * 61}])),
        ("oversized_draft", raw(pairs=[{"attributes": ["red"], "object": "tunic"}] * 7)),
        ("other_pairs", raw(pairs=[{"attributes": ["red"], "object": "tunic"}])),
        (
            "other_pairs",
            raw(
                pairs=[
                    {"attributes": ["red"], "object": "shroud"},
                    {"attributes": ["icy"], "object": "tunic"},
                ]
            ),
        ),
    ],
)
def test_what_is_no_draft_is_a_named_violation(rule: str, text: str) -> None:
    outcome = parse_draft(text, PLANNED)
    assert isinstance(outcome, tuple)
    assert [violation.rule for violation in outcome] == [rule]
    assert outcome[0].detail


def test_planned_distractors_must_be_reported() -> None:
    plan = replace(BASE, distractors=(Pair(("old",), "lamp"),))
    outcome = parse_draft(raw(), plan)
    assert isinstance(outcome, tuple)
    assert outcome[0].rule == "other_distractors"
    reported = [{"attributes": ["Old"], "object": "lamp"}]
    assert isinstance(parse_draft(raw(distractors=reported), plan), Draft)


def test_a_writer_that_chooses_reports_any_pairs() -> None:
    assert isinstance(parse_draft(raw(), BASE), Draft)


def test_a_reply_without_pairs_takes_the_plan_s() -> None:
    plan = replace(PLANNED, distractors=(Pair(("old",), "lamp"),))
    draft = parse_draft(json.dumps({"positive": POSITIVE}), plan)
    assert isinstance(draft, Draft)
    assert draft == Draft(
        pairs=[
            DraftPair(attributes=["red"], object="tunic"),
            DraftPair(attributes=["icy"], object="shroud"),
        ],
        distractors=[DraftPair(attributes=["old"], object="lamp")],
        positive=POSITIVE,
    )


def test_a_reply_without_pairs_may_not_report_other_distractors() -> None:
    plan = replace(PLANNED, distractors=(Pair(("old",), "lamp"),))
    outcome = parse_draft(json.dumps({"positive": POSITIVE, "distractors": []}), plan)
    assert isinstance(outcome, tuple)
    assert [violation.rule for violation in outcome] == ["other_distractors"]


def test_a_writer_that_chooses_must_report_pairs() -> None:
    outcome = parse_draft(json.dumps({"positive": POSITIVE}), BASE)
    assert isinstance(outcome, tuple)
    assert [violation.rule for violation in outcome] == ["missing_pairs"]


def test_only_whitespace_may_surround_a_draft() -> None:
    assert parse_draft(f"\n  {raw()}\r\n\t", PLANNED) == parse_draft(raw(), PLANNED)
