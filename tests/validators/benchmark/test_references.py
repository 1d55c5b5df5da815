"""Counts and identifiers: each fault is found by its own rule and named."""

from collections.abc import Callable

import pytest

from tests.validators.benchmark.tiny_build import VOCABULARY, Rows, findings, rows_of, tiny_drafts
from validators.benchmark import BenchmarkExpectation


def test_counts_are_those_asked_for() -> None:
    expected = BenchmarkExpectation({2: (1, 1), 3: (2, 1)}, VOCABULARY)
    assert findings(rows_of(tiny_drafts()), expected) == {
        "questions_per_n_and_subset": ["N=3 independent: expected 2 questions, found 1"]
    }


def test_an_n_that_nobody_asked_for_is_found() -> None:
    expected = BenchmarkExpectation({2: (1, 1)}, VOCABULARY)
    found = findings(rows_of(tiny_drafts()), expected)
    assert found["questions_per_n_and_subset"] == [
        "N=3 independent: expected 0 questions, found 1",
        "N=3 nested: expected 0 questions, found 1",
    ]


def same_role_twice(rows: Rows) -> None:
    rows.candidate("i2", "object_swap")["role"] = "attribute_swap"


def same_position_twice(rows: Rows) -> None:
    rows.candidate("i2", "object_swap")["position"] = 2


def candidate_of_no_question(rows: Rows) -> None:
    row = rows.candidate("i2", "object_swap")
    rows.candidates.append({**row, "question_id": "lost", "scene_id": "lost-0"})
    rows.scenes.append({**rows.scene("i2-object_swap"), "scene_id": "lost-0"})


def question_stored_twice(rows: Rows) -> None:
    rows.questions.append(dict(rows.question("i3")))


def scene_stored_twice(rows: Rows) -> None:
    rows.scenes.append(dict(rows.scene("i3-query")))


def positive_listed_twice(rows: Rows) -> None:
    rows.relevance.append(dict(rows.relevance[0]))


def scene_of_no_question(rows: Rows) -> None:
    rows.scenes.append({**rows.scene("i2-query"), "scene_id": "lost"})


def scene_in_two_questions(rows: Rows) -> None:
    rows.scenes.remove(rows.scene("i2-object_swap"))
    rows.candidate("i2", "object_swap")["scene_id"] = "i2-attribute_swap"


def scene_not_stored(rows: Rows) -> None:
    rows.scenes.remove(rows.scene("c3-joint_swap"))


def chain_not_named(rows: Rows) -> None:
    rows.question("c2")["chain_id"] = None


def chain_named_by_an_independent_question(rows: Rows) -> None:
    rows.question("i2")["chain_id"] = "d"


@pytest.mark.parametrize(
    ("rule", "break_rows", "finding"),
    [
        (
            "one_candidate_per_role",
            same_role_twice,
            "i2: roles ['attribute_swap', 'attribute_swap', 'joint_swap', 'preserving']",
        ),
        (
            "four_positions_per_question",
            same_position_twice,
            "i2: candidates at positions [0, 1, 2, 2]",
        ),
        (
            "four_positions_per_question",
            candidate_of_no_question,
            "lost: candidates at positions [3]",
        ),
        ("identifiers_are_unique", question_stored_twice, "questions i3: 2 rows"),
        ("identifiers_are_unique", scene_stored_twice, "scenes i3-query: 2 rows"),
        ("identifiers_are_unique", positive_listed_twice, "relevance i2 i2-preserving: 2 rows"),
        ("every_scene_used_once", scene_of_no_question, "lost: used in 0 slots"),
        ("every_scene_used_once", scene_in_two_questions, "i2-attribute_swap: used in 2 slots"),
        ("every_scene_used_once", scene_not_stored, "c3-joint_swap: used but not stored"),
        ("chain_ids_mark_nested_questions", chain_not_named, "c2: nested with chain None"),
        (
            "chain_ids_mark_nested_questions",
            chain_named_by_an_independent_question,
            "i2: independent with chain d",
        ),
    ],
)
def test_a_broken_reference_is_named(
    rule: str, break_rows: Callable[[Rows], None], finding: str
) -> None:
    rows = rows_of(tiny_drafts())
    break_rows(rows)
    assert findings(rows)[rule] == [finding]


def test_a_question_without_candidates_is_named() -> None:
    rows = rows_of(tiny_drafts())
    rows.candidates = [row for row in rows.candidates if row["question_id"] != "i2"]
    found = findings(rows)
    assert found["one_candidate_per_role"] == ["i2: roles None"]
    assert found["four_positions_per_question"] == ["i2: candidates at positions None"]
