"""The report: one page that names its files, the paper apart, the warning where it belongs."""

import re

import pytest

from evaluation.comparison import Comparison
from evaluation.markdown import escape
from evaluation.report import REPORT_NAME, Compared, Scored, make_report
from evaluation.tables import ADJACENCY
from tests.evaluation.figures_of_runs import result, saber_results

BEFORE = saber_results(40, run="before", model="all-MiniLM-L6-v2")
AFTER = [
    *saber_results(80, run="after", model="trained"),
    result("scattered_mcq_accuracy", 61.5, run="after", model="trained"),
    result("triplet_accuracy_test", 93.2, run="after", model="trained"),
]
BIGRAMS = [result("mcq_accuracy", 100, n=n, run="bigrams", model="bigrams") for n in (2, 3, None)]
COMPARED = Compared(
    "before",
    "after",
    [
        Comparison("t2t", "mcq_accuracy", "all", 42.5, 82.5, 38.04, 42.01, 1_800, 1_000),
        Comparison("t2t", "map", "nested", 22.5, 22.0, -2.0, 1.0, 900, 100),
        Comparison("i2i", "map", "nested", 22.5, 22.0, None, None, 9, 1),
    ],
    {
        "triplet_accuracy_test t2t": "only one of the two has it",
        "map i2t": "the two were asked different questions",
        "mcq_accuracy i2t": "the two were asked different questions",
    },
)
SCORED = Scored(
    [*BEFORE, *AFTER],
    BIGRAMS,
    {"after": {"Build": "main"}},
    compared=[COMPARED],
    unpaired={"other": "its base wasn't scored"},
)


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return make_report(SCORED)


@pytest.fixture(scope="module")
def page(files: dict[str, bytes]) -> str:
    return files[REPORT_NAME].decode()


def section(page: str, title: str) -> str:
    (found,) = re.findall(rf"(?ms)^## {title}\n(.*?)(?=^## |\Z)", page)
    return str(found)


def tables_of(section: str) -> list[str]:
    """Return each table, from its title to the next one's, without what stands before the first."""
    return re.split(r"(?m)^\*\*", section)[1:]


def test_every_picture_that_the_page_shows_is_among_the_files(
    files: dict[str, bytes], page: str
) -> None:
    shown = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page)
    assert len(shown) == 3
    assert set(shown) <= set(files)


def test_every_table_is_there_in_latex_too(files: dict[str, bytes]) -> None:
    tex = {name for name in files if name.endswith(".tex")}
    papers = {"table2", "table10", "table17", "table18", "table19"}
    assert tex == {
        *(f"tables/{name}.tex" for name in (*papers, "scattered")),
        *(f"tables/paper-{name}.tex" for name in papers),
    }
    labels = [label for name in tex for label in re.findall(rb"\\label{(.*)}", files[name])]
    assert len(set(labels)) == len(tex)


def test_the_page_says_what_was_scored(page: str) -> None:
    assert r"| before | all-MiniLM-L6-v2 | T→T | mcq\_accuracy, map |" in page
    assert "- **after**: Build: main" in page


def test_the_paper_stands_in_a_section_of_its_own(page: str) -> None:
    own = section(page, "The paper's figures, for reference")
    assert "arXiv 2610.22602" in own
    assert own.count("Ours-8B (paper)") == 1 + 1 + 3 * 4
    assert page.count("(paper)") == own.count("(paper)")
    assert "trained" not in own


def test_the_warning_and_the_baseline_stand_beside_t2t(page: str) -> None:
    figures = section(page, "Figures")
    warning = escape(ADJACENCY)
    for title in ("SABER: accuracy", "SABER-MCQ", "Retrieval over the whole gallery, nested"):
        (table,) = (part for part in tables_of(figures) if part.startswith(title))
        assert warning in table
    assert warning in section(page, "Before and after")
    assert re.search(r"(?m)^\| bigrams \(baseline\) \| 100\.0 ", figures)


def test_scattered_captions_are_kept_from_the_paper_s_tables(page: str) -> None:
    assert "61.5" in section(page, "Beyond the paper's tables")
    assert "61.5" not in section(page, "Figures")


def test_before_and_after_have_their_interval(page: str) -> None:
    told = section(page, "Before and after")
    assert "after against before" in told
    assert r"| mcq\_accuracy T→T | 42.5 | 82.5 | +40.0 | +38.0 … +42.0 | yes |" in told
    assert "| map, nested T→T | 22.5 | 22.0 | -0.5 | -2.0 … +1.0 | no |" in told
    assert "| map, nested I→I | 22.5 | 22.0 | -0.5 | – | – |" in told


def test_what_can_t_be_compared_is_told_with_the_reason(page: str) -> None:
    told = section(page, "Before and after")
    one = r"Not compared, since only one of the two has it: triplet\_accuracy\_test t2t."
    assert one in told
    other = "since the two were asked different questions: map i2t, mcq\\_accuracy i2t."
    assert other in told
    assert "other isn't held against its base: its base wasn't scored." in told


def test_two_runs_with_nothing_in_common_have_no_empty_table_nor_plot() -> None:
    nothing = Compared("before", "after", [], {"map t2t": "only one of the two has it"})
    files = make_report(Scored([*BEFORE, *AFTER], compared=[nothing]))
    told = section(files[REPORT_NAME].decode(), "Before and after")
    assert "after and before have nothing to compare." in told
    assert "| figure |" not in told
    assert not any("before_after" in name for name in files)


def test_every_trained_model_is_shown_beside_its_base() -> None:
    third = saber_results(90, run="third", model="trained again")
    two = [COMPARED, Compared("before", "third", COMPARED.comparisons)]
    files = make_report(Scored([*BEFORE, *AFTER, *third], compared=two))
    page = files[REPORT_NAME].decode()
    told = section(page, "Before and after")
    assert "after against before" in told
    assert "third against before" in told
    for name in ("before_after-after", "before_after-third"):
        assert f"figures/{name}.png" in page
        assert {f"figures/{name}.png", f"figures/{name}.svg"} <= set(files)


def test_a_plot_of_two_runs_shows_what_they_can_be_compared_by() -> None:
    retrieval = Compared("before", "after", [COMPARED.comparisons[1]])
    name = "figures/before_after.svg"
    both = make_report(Scored([*BEFORE, *AFTER], compared=[COMPARED]))
    assert make_report(Scored([*BEFORE, *AFTER], compared=[retrieval]))[name] != both[name]


def test_a_run_that_was_asked_a_part_is_marked_wherever_its_figures_are() -> None:
    part = {"after": "5 of 1,800 questions"}
    files = make_report(Scored([*BEFORE, *AFTER], BIGRAMS, scopes=part, compared=[COMPARED]))
    page = files[REPORT_NAME].decode()
    assert "marked “n of N questions” was asked only those" in page
    tables = tables_of(section(page, "Figures") + section(page, "Beyond the paper's tables"))
    of_saber = [table for table in tables if not table.startswith("Triplet accuracy")]
    assert len(of_saber) == len(tables) - 1 == 5
    assert all("trained, 5 of 1,800 questions |" in table for table in of_saber)
    # Of triplets it was asked all, and a table of fewer questions has no best.
    assert not any("of 1,800" in table for table in set(tables) - set(of_saber))
    assert not any("**8" in table for table in of_saber)
    assert b"trained, 5 of 1,800 questions" in files["tables/table17.tex"]
    assert b"marked" not in make_report(SCORED)[REPORT_NAME]


def test_one_run_alone_has_a_report_without_a_comparison() -> None:
    files = make_report(Scored(BEFORE))
    page = files[REPORT_NAME].decode()
    assert "## Before and after" not in page
    assert "## Beyond the paper's tables" not in page
    assert "before_after" not in page
    assert not any("before_after" in name for name in files)


def test_a_run_of_images_alone_needs_no_warning() -> None:
    page = make_report(Scored(saber_results(40, pairings=("i2i",))))[REPORT_NAME].decode()
    apart = section(page, "The paper's figures, for reference")
    assert escape(ADJACENCY) not in page.replace(apart, "")


def test_the_same_figures_give_the_same_files(files: dict[str, bytes]) -> None:
    assert make_report(SCORED) == files
