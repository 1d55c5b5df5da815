"""The valid build passes, and no rule goes untested."""

import ast
from pathlib import Path

import pytest

import validators.benchmark
from tests.validators.benchmark.tiny_build import (
    EXPECTED,
    VOCABULARY,
    Rows,
    findings,
    rows_of,
    tiny_drafts,
    validate,
)
from validators.benchmark import RULES, BenchmarkExpectation

RULE_NAMES = [rule.__name__ for rule in RULES]


def test_the_tiny_build_passes_every_rule() -> None:
    assert findings(rows_of(tiny_drafts())) == {}


def test_reports_bear_the_names_of_their_rules_in_order() -> None:
    assert list(validate(rows_of(tiny_drafts()))) == RULE_NAMES


def test_every_rule_but_the_kinds_of_replacement_has_something_to_check() -> None:
    reports = validate(rows_of(tiny_drafts()))
    assert [name for name, report in reports.items() if not report.checked] == [
        "both_kinds_of_replacement_occur"
    ]


def test_empty_views_fail_by_their_counts_alone() -> None:
    assert list(findings(Rows([], [], [], []))) == ["questions_per_n_and_subset"]


@pytest.mark.parametrize(
    ("kept", "sizes"),
    [(("i2", "i3"), {2: (1, 0), 3: (1, 0)}), (("c2", "c3"), {2: (0, 1), 3: (0, 1)})],
)
def test_a_build_of_one_subset_alone_passes(
    kept: tuple[str, str], sizes: dict[int, tuple[int, int]]
) -> None:
    rows = rows_of({name: draft for name, draft in tiny_drafts().items() if name in kept})
    rows.relevance = [row for row in rows.relevance if row["question_id"] in kept]
    assert findings(rows, BenchmarkExpectation(sizes, VOCABULARY)) == {}


def test_chains_run_from_the_smallest_to_the_largest_n() -> None:
    assert EXPECTED.chain_lengths == [2, 3]
    assert BenchmarkExpectation({4: (1, 3), 5: (0, 3)}, VOCABULARY).chain_lengths == [4, 5]
    assert BenchmarkExpectation({2: (9, 0)}, VOCABULARY).chain_lengths == []


@pytest.mark.parametrize("rule", RULE_NAMES)
def test_some_test_breaks_the_rule(rule: str) -> None:
    sources = [path.read_text() for path in Path(__file__).parent.glob("test_*.py")]
    assert any(f'"{rule}"' in source for source in sources)


def test_rules_share_no_code_with_the_generator() -> None:
    (folder,) = validators.benchmark.__path__
    for path in Path(folder).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] != "generators"
                assert node.module != "artifacts.articles"
