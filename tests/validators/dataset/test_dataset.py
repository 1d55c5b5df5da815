"""The valid dataset passes, no rule goes untested, and none leans on the generator."""

import ast
from pathlib import Path

import pytest

import validators.dataset
from tests.validators.dataset.tiny_dataset import (
    CONSTRUCTIONS,
    EXPECTED,
    Rows,
    connect,
    findings,
    tiny_rows,
    validate,
)
from validators.dataset import (
    GATES,
    PLACE_RULES,
    ROW_RULES,
    SET_RULES,
    DatasetExpectation,
    dataset_statistics,
)

RULE_NAMES = [
    *(rule.__name__ for rule in SET_RULES),
    *(rule.__name__ for rule in ROW_RULES),
    *(rule.__name__ for rule in PLACE_RULES),
    *(gate.__name__ for gate in GATES),
]


def test_the_tiny_dataset_passes_every_rule() -> None:
    assert findings(tiny_rows()) == {}


def test_reports_bear_the_names_of_their_rules_in_order() -> None:
    assert list(validate(tiny_rows())) == RULE_NAMES


def test_every_rule_has_something_to_check() -> None:
    assert all(report.checked for report in validate(tiny_rows()).values())


def test_every_example_is_put_to_every_rule() -> None:
    reports = validate(tiny_rows())
    assert {reports[rule.__name__].checked for rule in (*ROW_RULES, *PLACE_RULES)} == {14}


def test_empty_views_fail_by_their_quotas_alone() -> None:
    assert findings(Rows([], [], [], [], [], [])) == {
        "quotas_are_exact": [f"{name}: 0 examples of 2" for name in sorted(CONSTRUCTIONS)[:5]]
    }


def test_a_dataset_that_asks_for_nothing_may_be_empty() -> None:
    nothing = DatasetExpectation({}, True, frozenset(), {})
    assert findings(Rows([], [], [], [], [], []), nothing) == {}


@pytest.mark.parametrize("rule", RULE_NAMES)
def test_some_test_breaks_the_rule(rule: str) -> None:
    sources = [path.read_text() for path in Path(__file__).parent.glob("test_*.py")]
    assert any(f'"{rule}"' in source for source in sources)


def test_only_the_constructions_own_rules_share_code_with_the_judgement() -> None:
    (folder,) = validators.dataset.__path__
    for path in Path(folder).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                module = node.module or ""
                assert module.split(".")[0] not in ("generators", "flows")
                judging = module.startswith(("validators.rules", "validators.judge"))
                assert not judging or path.name == "construction_rules.py"
                assert module not in ("validators.ledger", "validators.reading")


def test_statistics_tell_what_each_construction_holds() -> None:
    rows = tiny_rows()
    rows.rejections[0]["reasons"] = ["length", "word_cap", "length"]
    rows.rejections.append({**rows.rejections[0], "attempt": 5, "reasons": ["length"]})
    statistics = {row.construction: row for row in dataset_statistics(connect(rows))}
    assert list(statistics) == sorted(CONSTRUCTIONS)
    pair_swap = statistics["pair_swap"]
    assert (pair_swap.accepted, pair_swap.rejected, pair_swap.acceptance) == (2, 2, 0.5)
    assert pair_swap.reasons == (("length", 2), ("word_cap", 1))
    assert pair_swap.mean_length_words == 13.5
    assert (pair_swap.nouns, pair_swap.adjectives) == (4, 4)
    assert (pair_swap.registers, pair_swap.openers) == (1, 1)
    assert pair_swap.also_in_training is None
    assert statistics["attr_bundle"].adjectives == 8


def test_statistics_count_held_out_words_that_are_trained_on() -> None:
    rows = tiny_rows()
    assert EXPECTED.held_out == {"deferred_bind_anaphoric", "deferred_bind_respective"}
    rows.example("deferred_bind_respective-0")["pairs"] = [
        {"attributes": ["Icy"], "object": "tunic"},
        {"attributes": ["red"], "object": "shroud"},
    ]
    shared = {row.construction: row.also_in_training for row in dataset_statistics(connect(rows))}
    assert shared["deferred_bind_respective"] == 1
    assert shared["deferred_bind_anaphoric"] == 0
