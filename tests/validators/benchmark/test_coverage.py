"""How evenly the words are drawn."""

from tests.validators.benchmark.tiny_build import (
    VOCABULARY,
    connect,
    copies,
    findings,
    rows_of,
    tiny_drafts,
    validate,
)
from validators.benchmark import CoverageRow, coverage_table


def test_the_table_counts_a_chain_once() -> None:
    table = coverage_table(connect(rows_of(tiny_drafts())), VOCABULARY)
    assert table == [
        CoverageRow("objects", words=12, draws=8, fewest=0, middle=1, most=1),
        CoverageRow("attributes", words=11, draws=8, fewest=0, middle=1, most=1),
    ]


def test_the_table_of_an_empty_build_is_zero() -> None:
    table = coverage_table(connect(rows_of({})), VOCABULARY)
    assert [(row.draws, row.most) for row in table] == [(0, 0), (0, 0)]


def test_words_drawn_too_often_and_words_left_out_are_found() -> None:
    drafts = tiny_drafts() | copies(tiny_drafts()["i2"], 2)
    report = validate(rows_of(drafts))["coverage"]
    assert (report.checked, report.failed) == (23, 4 + 7)
    assert report.examples == (
        "cube: drawn 3 times of 12, expected 1 to 2",
        "kite: drawn 3 times of 12, expected 1 to 2",
        "umbrella: drawn 0 times of 12, expected 1 to 2",
        "sneaker: drawn 0 times of 12, expected 1 to 2",
        "spinning top: drawn 0 times of 12, expected 1 to 2",
    )


def test_a_word_may_be_left_out_where_draws_are_few() -> None:
    assert "coverage" not in findings(rows_of(tiny_drafts() | copies(tiny_drafts()["i2"], 1)))


def test_two_independent_questions_that_ask_the_same_are_found() -> None:
    drafts = tiny_drafts()
    drafts["i4"] = copies(drafts["i2"], 1)["i2-0"]
    drafts["i4"].query = drafts["i2"].query[::-1]
    assert findings(rows_of(drafts))["independent_queries_differ"] == ["i2-0: asks what i2 asks"]
