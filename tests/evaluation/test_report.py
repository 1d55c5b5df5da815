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
    ["triplet_accuracy_test t2t"],
)
SCORED = Scored([*BEFORE, *AFTER], BIGRAMS, {"after": {"Build": "main"}}, COMPARED)


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return make_report(SCORED)


@pytest.fixture(scope="module")
def page(files: dict[str, bytes]) -> str:
    return files[REPORT_NAME].decode()


def section(page: str, title: str) -> str:
    (found,) = re.findall(rf"(?ms)^## {title}\n(.*?)(?=^## |\Z)", page)
    return str(found)


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
    for table in ("SABER: accuracy", "SABER-MCQ", "Retrieval over the whole gallery, nested"):
        assert warning in figures[figures.index(table) :]
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
    assert r"triplet\_accuracy\_test t2t" in told


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
