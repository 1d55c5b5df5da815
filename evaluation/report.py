"""The report of one or several runs: a Markdown page, the same tables in LaTeX, and plots.

Makes the files' contents and leaves writing and listing them to the caller. Reads records that it
is handed; knows nothing of builds, nor of how a run came about.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from artifacts.records import Result
from evaluation.comparison import Comparison
from evaluation.figures import Format, accuracy_by_n, before_after, map_by_n
from evaluation.latex import latex_table
from evaluation.layout import Table
from evaluation.markdown import escape, markdown_rows, markdown_table
from evaluation.reference.paper import SOURCE, paper_figures
from evaluation.series import Series, has_any, series_of_paper, series_of_runs
from evaluation.tables import ADJACENCY, ARROWS, PAIRINGS, own_tables, paper_tables

REPORT_NAME = "report.md"

_PAPER_TITLE = f"The paper's own figures ({SOURCE}), on its images"
_PARTIAL = (
    "A run that is marked “n of N questions” was asked only those whose query and four candidates "
    "have a picture, over a gallery of the candidates that have one. Its figures are no figures of "
    "the whole benchmark, and it isn't ranked."
)
_FORMATS: tuple[Format, ...] = ("png", "svg")
#: The plot of two runs.
_BARS = "before_after"


@dataclass(frozen=True, slots=True)
class Compared:
    """What a comparison of two runs found; the second is held against the first."""

    before: str
    after: str
    comparisons: Sequence[Comparison]
    #: What they can't be compared by, as the comparison names it, and why.
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scored:
    """What a report is about."""

    #: Of one or several runs; of two, the first is what the second is held against.
    results: Sequence[Result]
    #: Of scorers that need no model, shown beside the runs and never ranked among them.
    baselines: Sequence[Result] = ()
    #: By run: what a reader should know of it, such as the build, the captions, the revision.
    facts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    #: By run, where it isn't all: what part of SABER it was asked, "5 of 1,800 questions".
    scopes: Mapping[str, str] = field(default_factory=dict)
    compared: Sequence[Compared] = ()
    #: Of the runs that were to be compared: why one has nothing to be held against.
    unpaired: Mapping[str, str] = field(default_factory=dict)


def make_report(scored: Scored) -> dict[str, bytes]:
    """Return the files of a report by their names below its folder; `report.md` leads the rest."""
    runs = series_of_runs(scored.results, scopes=scored.scopes)
    shown = (*runs, *series_of_runs(scored.baselines, "baseline", scored.scopes))
    paper = series_of_paper(paper_figures())
    tables, own, papers = paper_tables(shown), own_tables(shown), _labelled(paper_tables(paper))
    plots = _plots(shown, _pairs(scored, runs))
    page = "\n".join(
        (
            _opening(scored),
            *_section("Figures", [_images(plots), *map(markdown_table, tables)]),
            *_section("Beyond the paper's tables", map(markdown_table, own)),
            *_section("Before and after", _comparisons(scored)),
            *_paper_section(papers),
        )
    )
    return {
        REPORT_NAME: page.encode(),
        **_latex((*tables, *own, *papers)),
        **plots,
    }


# ---- sections ----


def _opening(scored: Scored) -> str:
    heads = ("run", "model", "pairings", "metrics")
    rows = dict.fromkeys((row.run, row.model) for row in (*scored.results, *scored.baselines))
    scores = [_scope(run, model, (*scored.results, *scored.baselines)) for run, model in rows]
    lines = ["# SABER: report of an evaluation", "", "What was scored:", ""]
    lines.append(markdown_rows(heads, scores))
    for run, facts in scored.facts.items():
        told = "; ".join(f"{escape(key)}: {escape(value)}" for key, value in facts.items())
        lines.append(f"- **{escape(run)}**: {told}")
    if scored.scopes:
        lines += ["", f"> {escape(_PARTIAL)}"]
    if any(row.pairing == "t2t" for row in scored.results):
        lines += ["", f"> {escape(ADJACENCY)}"]
    return "\n".join(lines) + "\n"


def _scope(run: str, model: str, results: Iterable[Result]) -> tuple[str, str, str, str]:
    own = [row for row in results if (row.run, row.model) == (run, model)]
    pairings = [ARROWS[p] for p in PAIRINGS if any(row.pairing == p for row in own)]
    metrics = dict.fromkeys(row.metric for row in own)
    return run, model, ", ".join(pairings), ", ".join(metrics)


def _section(title: str, parts: Iterable[str]) -> list[str]:
    filled = [part for part in parts if part]
    return [f"## {title}\n", *filled] if filled else []


def _comparisons(scored: Scored) -> Iterator[str]:
    for compared in scored.compared:
        yield from _comparison(compared)
    for run, why in scored.unpaired.items():
        yield f"{escape(run)} isn't held against its base: {escape(why)}.\n"


def _comparison(compared: Compared) -> Iterator[str]:
    """Yield a figure per row, then what can't be compared."""
    if compared.comparisons:
        yield from _compared_figures(compared)
    else:
        yield f"{escape(compared.after)} and {escape(compared.before)} have nothing to compare.\n"
    for reason in dict.fromkeys(compared.left_out.values()):
        names = [name for name, why in compared.left_out.items() if why == reason]
        yield f"Not compared, since {escape(reason)}: {', '.join(map(escape, names))}.\n"


def _compared_figures(compared: Compared) -> Iterator[str]:
    heads = ("figure", compared.before, compared.after, "difference", "95 % interval", "not chance")
    yield (
        f"{escape(compared.after)} against {escape(compared.before)}. Paired bootstrap over the "
        "questions that both answered; a chain's nested questions, and the two triplets of an "
        "example, are drawn together. In the last column: whether the interval excludes 0.\n"
    )
    yield markdown_rows(heads, map(_comparison_row, compared.comparisons), figures=True)
    if any(
        one.pairing == "t2t" and not one.metric.startswith(("scattered_", "triplet_"))
        for one in compared.comparisons
    ):
        yield f"*{escape(ADJACENCY)}*\n"


def _comparison_row(one: Comparison) -> tuple[str, ...]:
    subset = "" if one.subset == "all" else f", {one.subset}"
    known = one.low is not None and one.high is not None
    return (
        f"{one.metric}{subset} {ARROWS[one.pairing]}",
        f"{one.before:.1f}",
        f"{one.after:.1f}",
        f"{one.difference:+.1f}",
        f"{one.low:+.1f} … {one.high:+.1f}" if known else "–",
        ("yes" if one.excludes_zero else "no") if known else "–",
    )


def _paper_section(tables: Sequence[Table]) -> list[str]:
    told = (
        f"These are the paper's own figures ({SOURCE}), of its models on its images and captions. "
        "None was measured here, and other images and captions give other figures.\n"
    )
    return _section("The paper's figures, for reference", [told, *map(markdown_table, tables)])


# ---- files beside the page ----


def _labelled(tables: Iterable[Table]) -> tuple[Table, ...]:
    """Return tables of the paper's figures under names and titles that no run's table has."""
    return tuple(
        replace(table, name=f"paper-{table.name}", title=f"{_PAPER_TITLE}: {table.title}")
        for table in tables
    )


def _latex(tables: Iterable[Table]) -> dict[str, bytes]:
    return {f"tables/{table.name}.tex": latex_table(table).encode() for table in tables}


def _pairs(scored: Scored, runs: Sequence[Series]) -> dict[str, Sequence[Series]]:
    """Return the runs that are held against each other, by the name of their plot."""
    if not scored.compared:
        return {_BARS: runs} if len(runs) == 2 else {}
    alone = len(scored.compared) == 1
    return {
        _BARS if alone else f"{_BARS}-{compared.after}": _pair(scored, compared)
        for compared in scored.compared
    }


def _pair(scored: Scored, compared: Compared) -> Sequence[Series]:
    """Return two runs with the figures that they can be compared by."""
    common = {(one.pairing, one.metric) for one in compared.comparisons}
    rows = (
        row
        for name in (compared.before, compared.after)
        for row in scored.results
        if row.run == name and (row.pairing, row.metric) in common
    )
    return series_of_runs(rows, scopes=scored.scopes)


def _plots(shown: Sequence[Series], pairs: Mapping[str, Sequence[Series]]) -> dict[str, bytes]:
    """Return the plots that there are figures for, in both formats."""
    plots: dict[str, bytes] = {}
    for form in _FORMATS:
        if any(has_any(one, "mcq_accuracy") for one in shown):
            plots[f"figures/accuracy_by_n.{form}"] = accuracy_by_n(shown, form)
        if any(has_any(one, "map") for one in shown):
            plots[f"figures/map_by_n.{form}"] = map_by_n(shown, form)
        for name, pair in pairs.items():
            if any(has_any(one, metric) for one in pair for metric in ("mcq_accuracy", "map")):
                plots[f"figures/{name}.{form}"] = before_after(pair[0], pair[1], form)
    return plots


def _images(plots: Iterable[str]) -> str:
    captions = {
        "figures/accuracy_by_n.png": "Accuracy on the four-way questions by number of objects",
        "figures/map_by_n.png": "mAP by number of objects",
    }
    shown = [name for name in plots if name.endswith(".png")]
    lines = [f"![{captions.get(name, 'Two runs side by side')}]({name})\n" for name in shown]
    return "\n".join(lines)
