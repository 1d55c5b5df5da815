"""Plots of runs: figures by number of objects, and before against after.

Drawn without pyplot and without its global state; the same figures give the same bytes. Knows
series of figures and nothing of where they were stored or where the plot will lie.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any, Literal

import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from artifacts.records import Pairing
from evaluation.series import Series, numbers_of_objects
from evaluation.tables import ARROWS, PAIRINGS

Format = Literal["png", "svg"]

#: Right answers of a four-way question by guessing, in percent.
CHANCE = 25

# Okabe and Ito's colours, told apart by everyone who sees; then their marks, which print in grey.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKS = ("o", "s", "^", "D", "v", "P", "X")
_GREY = "#666666"
# Whoever runs this may have a style of their own; the plot must not depend on it.
_STYLE: Sequence[Any] = (
    "default",
    {
        "axes.axisbelow": True,
        "axes.grid": True,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "font.family": "DejaVu Sans",
        "font.size": 9,
        "grid.alpha": 0.3,
        "savefig.dpi": 150,
        "svg.hashsalt": "saber",
    },
)
# No date, no version: what changes without the figures changing.
_METADATA: Mapping[Format, Mapping[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
}
#: Width of a letter of the legend, about.
_LETTER_INCHES = 0.075
_SUBSETS = ("independent", "nested")
#: Of the bars: heading, metric, subset.
_BARS = (
    ("MCQ accuracy", "mcq_accuracy", "all"),
    ("mAP, independent", "map", "independent"),
    ("mAP, nested", "map", "nested"),
)


def accuracy_by_n(series: Sequence[Series], form: Format = "png") -> bytes:
    """Plot accuracy on the four-way questions by number of objects: table 17's figures."""
    return _rendered(lambda: _draw_lines(series, "mcq_accuracy", ("all",), "accuracy, %"), form)


def map_by_n(series: Sequence[Series], form: Format = "png") -> bytes:
    """Plot mAP by number of objects, independent above nested: tables 18 and 19's figures."""
    return _rendered(lambda: _draw_lines(series, "map", _SUBSETS, "mAP, %"), form)


def before_after(before: Series, after: Series, form: Format = "png") -> bytes:
    """Plot the means of two runs as bars side by side: table 2's figures."""
    return _rendered(lambda: _draw_bars(before, after), form)


def _rendered(draw: Callable[[], Figure], form: Format) -> bytes:
    """Return the bytes of a figure, drawn and written in our style whatever the reader's is."""
    with style.context(list(_STYLE)):
        figure = draw()
        FigureCanvasAgg(figure)
        buffer = BytesIO()
        figure.savefig(buffer, format=form, metadata=dict(_METADATA[form]))
    return buffer.getvalue()


# ---- lines ----


def _draw_lines(
    series: Sequence[Series], metric: str, subsets: Sequence[str], label: str
) -> Figure:
    """Return a panel per pairing that was measured, a row of panels per subset."""
    pairings = [pairing for pairing in PAIRINGS if _has(series, pairing, metric)]
    figure = Figure(figsize=(1.2 + 2.6 * max(len(pairings), 2), 0.9 + 2.4 * len(subsets)))
    figure.set_layout_engine("constrained")
    panels = figure.subplots(
        len(subsets), max(len(pairings), 1), sharex=True, sharey=True, squeeze=False
    )
    for row, subset in zip(panels, subsets, strict=True):
        for axes, pairing in zip(row, pairings, strict=False):
            _draw_panel(axes, series, (pairing, metric, subset))
            heading = ARROWS[pairing] if len(subsets) == 1 else f"{ARROWS[pairing]}, {subset}"
            axes.set_title(heading, loc="left", fontsize=9, fontweight="bold")
        row[0].set_ylabel(label)
    for axes in panels[-1]:
        axes.set_xlabel("objects")
    _add_legend(figure, panels[0][0])
    return figure


def _draw_panel(axes: Axes, series: Sequence[Series], what: tuple[Pairing, str, str]) -> None:
    pairing, metric, subset = what
    if metric == "mcq_accuracy":
        axes.axhline(CHANCE, color=_GREY, linewidth=1, linestyle=":", label="chance")
    numbers = numbers_of_objects(series, metric)
    for one, look in zip(series, _looks(series), strict=True):
        # A run that wasn't measured here leaves a gap, and keeps its place in the legend.
        values = [one.at(pairing, metric, subset, n) for n in numbers]
        heights = [np.nan if value is None else value for value in values]
        axes.plot(numbers, heights, label=_label(one), **look)
    axes.set_ylim(0, 103)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _looks(series: Sequence[Series]) -> Iterator[dict[str, Any]]:
    """Yield how each is drawn: runs in colours, whatever else in grey and dashed."""
    places = iter(range(len(series)))
    for i, one in enumerate(series):
        mark = {"marker": _MARKS[i % len(_MARKS)], "markersize": 4, "clip_on": False}
        if one.origin == "run":
            yield {"color": _COLOURS[next(places) % len(_COLOURS)], "linewidth": 1.6, **mark}
        else:
            yield {"color": _GREY, "linewidth": 1, "linestyle": "--", **mark}


def _has(series: Sequence[Series], pairing: Pairing, metric: str) -> bool:
    return any(
        key.pairing == pairing and key.metric == metric and key.n is not None
        for one in series
        for key in one.figures
    )


# ---- bars ----


def _draw_bars(before: Series, after: Series) -> Figure:
    pairings = _paired(before, after)
    figure = Figure(figsize=(1.7 + 2 * max(len(pairings), 2), 3.2))
    figure.set_layout_engine("constrained")
    panels = figure.subplots(1, len(_BARS), sharey=True)
    for axes, (heading, metric, subset) in zip(panels, _BARS, strict=True):
        for one, colour, shift in ((before, "#9AA5AE", -0.2), (after, _COLOURS[0], 0.2)):
            values = [one.at(pairing, metric, subset, None) for pairing in pairings]
            _draw_group(axes, values, {"color": colour, "label": _label(one)}, shift)
        axes.set_xticks(range(len(pairings)), [ARROWS[pairing] for pairing in pairings])
        axes.set_xlim(-0.7, len(pairings) - 0.3)
        axes.set_title(heading, loc="left", fontsize=9, fontweight="bold")
        axes.grid(visible=False, axis="x")
        axes.set_ylim(0, 108)
    panels[0].axhline(CHANCE, color=_GREY, linewidth=1, linestyle=":", label="chance")
    panels[0].set_ylabel("%")
    _add_legend(figure, panels[0])
    return figure


def _paired(before: Series, after: Series) -> list[Pairing]:
    """Return the pairings that either has a mean for."""
    wanted = [(metric, subset) for _, metric, subset in _BARS]
    return [
        pairing
        for pairing in PAIRINGS
        if any(
            one.at(pairing, *what, None) is not None for one in (before, after) for what in wanted
        )
    ]


def _draw_group(
    axes: Axes, values: Sequence[float | None], look: Mapping[str, Any], shift: float
) -> None:
    """Draw one run's bars with their figures above; a dash where nothing was measured."""
    places = np.arange(len(values)) + shift
    axes.bar(places, [value or 0 for value in values], width=0.38, **look)
    for place, value in zip(places, values, strict=True):
        text = "–" if value is None else f"{value:.1f}"
        axes.text(place, (value or 0) + 1, text, ha="center", va="bottom", fontsize=7)


# ---- what both have ----


def _label(one: Series) -> str:
    # A leading underscore would hide it from the legend, and a dollar sign begin a formula.
    shown = one.label.replace("$", r"\$")
    return f"\N{ZERO WIDTH SPACE}{shown}" if shown.startswith("_") else shown


def _add_legend(figure: Figure, axes: Axes) -> None:
    """Put the names below, in as many columns as fit beside each other."""
    handles, labels = axes.get_legend_handles_labels()
    if not labels:
        return
    width = _LETTER_INCHES * max(map(len, labels)) + 0.6
    fitting = max(1, int(figure.get_size_inches()[0] / width))
    figure.legend(
        handles, labels, loc="outside lower center", ncols=min(len(labels), fitting), frameon=False
    )
