"""Quotas, attempts and what became of them: each way to be wrong, found and named."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.validators.dataset.tiny_dataset import EXPECTED, Rows, findings, rows_of, tiny_rows
from tests.validators.dataset.tiny_examples import Row, tiny_examples


def _drop_example(rows: Rows) -> None:
    rows.examples.remove(rows.example("predicative-2"))


def _extra_example(rows: Rows) -> None:
    rows.examples.append({**rows.example("predicative-2"), "example_id": "predicative-9"})


def _same_name(rows: Rows) -> None:
    rows.example("pair_swap-2")["example_id"] = "pair_swap-0"


def _gap(rows: Rows) -> None:
    rows.attempts.remove(rows.attempt("pair_swap", 3))


def _twice(rows: Rows) -> None:
    rows.attempts.append(dict(rows.attempt("pair_swap", 4)))


def _early_surplus(rows: Rows) -> None:
    rows.attempt("predicative", 1)["verdict"] = "surplus"
    rows.rejections = [row for row in rows.rejections if row["construction"] != "predicative"]


def _rejection(rows: Rows, construction: str = "predicative") -> Row:
    return next(row for row in rows.rejections if row["construction"] == construction)


def _no_rejection(rows: Rows) -> None:
    rows.rejections.remove(_rejection(rows))


def _rejection_of_accepted(rows: Rows) -> None:
    rows.rejections.append({**_rejection(rows), "attempt": 2})


def _no_reason(rows: Rows) -> None:
    _rejection(rows).update(reasons=[], details=[])


def _reason_without_detail(rows: Rows) -> None:
    _rejection(rows)["reasons"] = ["length", "distance"]


def _other_raw(rows: Rows) -> None:
    _rejection(rows)["raw"] = "no JSON "


def _orphan_words(rows: Rows) -> None:
    rows.accepted_words.append({**rows.accepted_words[0], "attempt": 7, "objects": ["x", "y"]})


Edit = Callable[[Rows], None]


@pytest.mark.parametrize(
    ("rule", "edit", "finding"),
    [
        ("quotas_are_exact", _drop_example, "predicative: 1 examples of 2"),
        ("quotas_are_exact", _extra_example, "predicative: 3 examples of 2"),
        ("example_names_are_unique", _same_name, "pair_swap-0: names 2 examples"),
        ("attempts_numbered_without_gaps", _gap, "pair_swap: attempt 4 follows 2"),
        ("attempts_numbered_without_gaps", _twice, "pair_swap: attempt 4 occurs twice"),
        (
            "attempts_add_up",
            _gap,
            "pair_swap: 5 attempts planned, 4 accounted for: 2 examples, 1 pending, 1 rejections",
        ),
        (
            "attempts_add_up",
            _no_rejection,
            "predicative: 3 attempts planned, 2 accounted for: 2 examples",
        ),
        (
            "pending_and_surplus_come_last",
            _early_surplus,
            "predicative attempt 1: surplus, accepted is 2",
        ),
        (
            "accepted_attempts_have_one_example",
            _drop_example,
            "predicative attempt 2: 0 examples, verdict accepted",
        ),
        (
            "accepted_attempts_have_one_example",
            _extra_example,
            "predicative-2: 2 examples, verdict accepted",
        ),
        (
            "rejected_attempts_have_one_rejection",
            _no_rejection,
            "predicative attempt 1: 0 rejections, verdict rejected",
        ),
        (
            "rejected_attempts_have_one_rejection",
            _rejection_of_accepted,
            "predicative attempt 2: 1 rejections, verdict accepted",
        ),
        ("rejections_say_why", _no_reason, "predicative attempt 1: 0 reasons, 0 details"),
        (
            "rejections_say_why",
            _reason_without_detail,
            "predicative attempt 1: 2 reasons, 1 details",
        ),
        (
            "rejections_repeat_the_raw_draft",
            _other_raw,
            "predicative attempt 1: raw differs from the attempt's",
        ),
        (
            "counted_words_have_an_example",
            _orphan_words,
            "pair_swap attempt 7: 1 rows of words, 0 with an example",
        ),
    ],
)
def test_a_wrong_set_is_found(rule: str, edit: Edit, finding: str) -> None:
    rows = tiny_rows()
    edit(rows)
    assert finding in findings(rows)[rule]


@pytest.mark.parametrize(
    ("rule", "edit"),
    [
        ("pending_and_surplus_come_last", _early_surplus),
        ("rejections_say_why", _no_reason),
        ("rejections_repeat_the_raw_draft", _other_raw),
        ("counted_words_have_an_example", _orphan_words),
    ],
)
def test_nothing_else_fails_with_it(rule: str, edit: Edit) -> None:
    rows = tiny_rows()
    edit(rows)
    assert findings(rows).keys() == {rule}


def test_an_unknown_construction_is_found() -> None:
    rows = tiny_rows()
    rows.example("pair_swap-0")["construction"] = "pair_swop"
    assert findings(rows)["quotas_are_exact"] == [
        "pair_swap: 1 examples of 2",
        "pair_swop: no such construction, 1 examples",
    ]


def test_a_lost_shard_leaves_its_words_and_no_gap() -> None:
    examples = tiny_examples()
    lost = examples.pop("pair_swap-0")
    replacement = {**lost, "example_id": "pair_swap-5", "attempt": 5}
    rows = rows_of([*examples.values(), replacement])
    rows.attempts = [row for row in rows.attempts if row["verdict"] in ("accepted", "rejected")]
    rows.attempts.remove(rows.attempt("pair_swap", 1))
    rows.rejections = [row for row in rows.rejections if row["construction"] != "pair_swap"]
    rows.accepted_words.append(
        {"construction": "pair_swap", "attempt": 0, "attributes": ["a", "b"], "objects": ["c", "d"]}
    )
    known = replace(EXPECTED, lost={"pair_swap": (range(2), range(3, 5))})
    assert findings(rows, known) == {}
    partly = replace(EXPECTED, lost={"pair_swap": (range(1, 2), range(3, 5))})
    assert findings(rows, partly).keys() == {
        "attempts_numbered_without_gaps",
        "attempts_add_up",
        "counted_words_have_an_example",
    }
