"""Tables: the paper's forms, marks for the leading runs, dashes for what wasn't measured."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.records import Result
from evaluation import latex, markdown
from evaluation.latex import latex_table
from evaluation.layout import Table, mark_leaders
from evaluation.markdown import markdown_table
from evaluation.reference.paper import paper_figures
from evaluation.series import Series, series_of_paper, series_of_runs
from evaluation.tables import (
    ADJACENCY,
    accuracy_by_n_table,
    containment_table,
    independent_map_by_n_table,
    nested_map_by_n_table,
    overall_table,
    own_tables,
    paper_tables,
    scattered_table,
    triplet_table,
)
from tests.evaluation.figures_of_runs import ALL, result, saber_results, saber_series

GOLDEN = Path(__file__).parents[1] / "golden" / "tables"
PAPER = series_of_paper(paper_figures())


def small_table() -> Table:
    """Table 17's form of two runs, a baseline and a model of the paper, with two pairings."""
    runs = [
        *saber_results(40, run="r1", model="all_MiniLM & co"),
        *saber_results(80, run="r2", model="trained", pairings=("t2t", "i2i")),
    ]
    baseline = [result("mcq_accuracy", 100, n=n, model="bigrams") for n in (2, 3, None)]
    return accuracy_by_n_table(
        (*series_of_runs(runs), *series_of_runs(baseline, "baseline"), PAPER[0])
    )


def texts(table: Table, row: int = 0) -> list[str]:
    return [cell.text for cell in table.rows[row].cells]


def marks(table: Table, column: int) -> list[str]:
    return [row.cells[column].mark for row in table.rows]


def unescaped(text: str, character: str) -> int:
    return len(re.findall(rf"(?<!\\){re.escape(character)}", text))


# ---- written down ----


@pytest.mark.parametrize(("name", "write"), [("md", markdown_table), ("tex", latex_table)])
def test_a_small_table_is_written_as_ever(name: str, write: object) -> None:
    assert callable(write)
    assert write(small_table()) == (GOLDEN / f"table17.{name}").read_text(encoding="utf-8")


@pytest.mark.parametrize("table", [*paper_tables(PAPER), small_table()], ids=lambda t: t.name)
def test_latex_is_balanced_and_every_line_has_every_cell(table: Table) -> None:
    written = latex_table(table)
    assert unescaped(written, "{") == unescaped(written, "}")
    assert written.count(r"\begin{") == written.count(r"\end{") == 2
    assert unescaped(written, "$") % 2 == 0
    (spec,) = re.findall(r"\\begin\{tabular\}\{([lr]+)\}", written)
    lines = [line for line in written.splitlines() if line.endswith(r"\\")]
    # A cell over several columns stands for as many.
    spans = [sum(int(n) - 1 for n in re.findall(r"multicolumn\{(\d+)\}", line)) for line in lines]
    assert {unescaped(lines[i], "&") + 1 + spans[i] for i in range(len(lines))} == {len(spec)}
    rules = [r"\toprule", r"\midrule", r"\bottomrule"]
    assert [written.index(rule) for rule in rules] == sorted(map(written.index, rules))


@pytest.mark.parametrize("table", [*paper_tables(PAPER), small_table()], ids=lambda t: t.name)
def test_markdown_has_as_many_cells_in_every_line(table: Table) -> None:
    lines = [line for line in markdown_table(table).splitlines() if line.startswith("|")]
    assert len(lines) == len(table.rows) + 2
    assert len({unescaped(line, "|") for line in lines}) == 1


@given(st.text(min_size=1))
def test_no_name_breaks_a_latex_table(name: str) -> None:
    written = latex.escape(name)
    plain = re.sub(r"\\[{}&%$#_]", "", written)
    assert plain.count("{") == plain.count("}")
    assert not set("&%#_~^\n") & set(plain)
    assert plain.replace(r"$\to$", "").count("$") == 0


def test_latex_s_own_characters_are_printed() -> None:
    assert latex.escape(r"50% of a_b & {c} \d #1 $2 x^y ~z") == (
        r"50\% of a\_b \& \{c\} \textbackslash{}d \#1 \$2 x\textasciicircum{}y \textasciitilde{}z"
    )
    # After a row's end, these would be its options.
    assert latex.escape("[v2]*") == "{[}v2{]}{*}"


@given(st.text(min_size=1))
def test_no_name_breaks_a_markdown_table(name: str) -> None:
    written = markdown.escape(name)
    assert "\n" not in written
    assert re.sub(r"\\[\\|]", "", written).count("|") == 0


def test_markdown_s_own_characters_are_shown() -> None:
    assert markdown.escape("a_b|c*d<e>\nf") == r"a\_b\|c\*d\<e\> f"


def test_the_paper_s_models_are_labelled_in_every_line() -> None:
    table = overall_table((saber_series(40), *PAPER))
    for written in (markdown_table(table), latex_table(table)):
        assert written.count(" (paper)") == len(PAPER)


# ---- forms ----


def test_table_2_has_three_groups_of_four_pairings_and_their_mean() -> None:
    table = overall_table([saber_series(40, pairings=ALL)])
    heads = [(column.group, column.head) for column in table.columns]
    pairings = ["T→T", "T→I", "I→T", "I→I", "Mean"]
    groups = ["MCQ", "Retrieval, independent", "Retrieval, nested"]
    assert heads == [(group, head) for group in groups for head in pairings]
    assert texts(table) == ["42.5"] * 5 + ["32.5"] * 5 + ["22.5"] * 5


def test_the_paper_s_table_2_has_its_printed_means() -> None:
    table = overall_table(PAPER)
    assert [row.cells[4].text for row in table.rows[-2:]] == ["56.4", "84.2"]
    assert marks(table, 4) == [""] * 8 + ["second", "best"]


def test_what_was_not_measured_is_a_dash_and_has_no_mean() -> None:
    table = overall_table([saber_series(40, pairings=("t2t", "t2i", "i2t"))])
    assert texts(table)[:5] == ["42.5", "42.5", "42.5", "–", "–"]
    assert table.rows[0].cells[3].value is None


def test_a_measured_nought_is_a_nought() -> None:
    results = [result("mcq_accuracy", 0.0)]
    assert texts(overall_table(series_of_runs(results)))[:2] == ["0.0", "–"]


def test_table_10_has_a_column_per_set_of_triplets_and_takes_further_ones() -> None:
    results = [
        result("triplet_accuracy_test", 84.0),
        result("triplet_accuracy_deferred_bind_anaphoric", 59.4),
        result("triplet_accuracy_validation", 70.0),
    ]
    table = triplet_table((*series_of_runs(results), *PAPER))
    heads = [column.head for column in table.columns]
    assert heads == [
        "Test set",
        "deferred_bind_anaphoric",
        "deferred_bind_respective",
        "validation",
    ]
    assert texts(table) == ["84.0", "59.4", "–", "70.0"]
    assert texts(table, -1) == ["93.6", "72.9", "56.6", "–"]


@pytest.mark.parametrize(
    ("make", "value"),
    [
        (accuracy_by_n_table, 50.0),
        (independent_map_by_n_table, 40.0),
        (nested_map_by_n_table, 30.0),
    ],
)
def test_tables_by_n_have_the_numbers_that_the_data_have(make: object, value: float) -> None:
    assert callable(make)
    table = make([saber_series(38, pairings=ALL, numbers=(12, 3, 21))])
    assert [column.head for column in table.columns] == ["3", "12", "21", "Mean"]
    assert [row.block for row in table.rows] == ["T→T", "T→I", "I→T", "I→I"]
    assert [row.cells[1].value for row in table.rows] == [value] * 4


def test_beside_the_paper_a_smaller_run_leaves_its_numbers_empty() -> None:
    table = accuracy_by_n_table((saber_series(40, numbers=(2, 12)), PAPER[-1]))
    assert [column.head for column in table.columns][-3:] == ["10", "12", "Mean"]
    assert texts(table, 0) == ["42.0", *"–" * 8, "52.0", "47.0"]
    assert texts(table, 1)[-2:] == ["–", "99.3"]


def test_tables_without_a_figure_are_not_made() -> None:
    assert [table.name for table in paper_tables([saber_series(40)])] == [
        "table2",
        "table17",
        "table18",
        "table19",
    ]
    assert own_tables([saber_series(40)]) == ()


def test_containment_stands_apart_and_nobody_leads_in_it() -> None:
    rows: list[Result] = []
    for run, value in (("a", 3.3), ("b", 17.1)):
        rows += [
            result("subset_above_exact", value, subset="nested", run=run, model=run),
            result("subset_above_superset", 35.0, subset="nested", run=run, model=run),
            result("top_four", 91.0, subset="independent", run=run, model=run),
        ]
    table = containment_table(series_of_runs(rows))
    assert [texts(table)[i] for i in (0, 5, 10)] == ["3.3", "35.0", "91.0"]
    assert {cell.mark for row in table.rows for cell in row.cells} == {""}
    assert own_tables(series_of_runs(rows)) == (table,)


def test_scattered_captions_stand_apart_from_the_paper_s_numbers() -> None:
    rows = [*saber_results(40), result("scattered_mcq_accuracy", 31.0)]
    series = series_of_runs(rows)
    table = scattered_table(series)
    assert [(column.group, column.head) for column in table.columns] == [("MCQ", "T→T")]
    assert texts(table) == ["31.0"]
    assert "31.0" not in "".join(map(markdown_table, paper_tables(series)))


# ---- the warning, and who leads ----


def test_every_t2t_figure_on_templated_captions_has_the_warning_beside_it() -> None:
    series = [saber_series(40)]
    for table in paper_tables(series):
        assert ADJACENCY in table.notes
        assert latex.escape(ADJACENCY) in latex_table(table)
        assert markdown.escape(ADJACENCY) in markdown_table(table)
    assert overall_table([saber_series(40, pairings=("i2i",))]).notes == ()


def test_best_and_second_are_marked_among_the_runs_alone() -> None:
    runs = [saber_series(base, str(base)) for base in (40, 60, 50)]
    table = overall_table((*runs, Series("bigrams", "baseline", runs[1].figures), *PAPER))
    assert marks(table, 0) == ["", "best", "second"] + [""] * 11


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([50.0, 60.0, 60.0, 50.0, 40.0], ["second", "best", "best", "second", ""]),
        # What looks alike leads alike.
        ([50.04, 49.96, 40.0], ["best", "best", "second"]),
        ([None, 50.0, 40.0], ["", "best", "second"]),
        ([None, 50.0], ["", ""]),
        ([50.0], [""]),
        ([], []),
    ],
)
def test_equals_share_a_mark_and_one_alone_has_none(
    values: list[float | None], expected: list[str]
) -> None:
    assert list(mark_leaders(values, [True] * len(values))) == expected


def test_two_runs_of_one_model_are_told_apart() -> None:
    rows = [*saber_results(40, run="before"), *saber_results(50, run="after")]
    names = [one.name for one in series_of_runs(rows)]
    assert names == ["model, before", "model, after"]
