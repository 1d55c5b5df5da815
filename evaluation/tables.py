"""The tables of the paper, and two of ours: from the figures of runs to rows and columns.

A baseline or a model of the paper may stand beside the runs; only runs compete for best and second
best, and only where no run is shown do the paper's models. Knows nothing of how a table is written
down.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import get_args

from artifacts.records import Pairing
from evaluation.layout import Column, Reader, Row, Table, fill
from evaluation.series import Series, has_any, numbers_of_objects

PAIRINGS: tuple[Pairing, ...] = get_args(Pairing)

#: The pairings as the paper writes them.
ARROWS: dict[Pairing, str] = {pairing: pairing.upper().replace("2", "→") for pairing in PAIRINGS}

#: To be read beside every figure of T→T on templated captions.
ADJACENCY = (
    "T→T on templated captions can be solved by adjacency alone: a baseline that compares nothing "
    "but attribute–object bigrams answers 100 % of the four-way questions. A high T→T figure by "
    "itself shows no understanding of bindings."
)

#: What section 5.1 of the paper says of containment and of the first four places.
_PAPER_ON_CONTAINMENT = (
    "The paper (its models, its images) gives 3.3–17.1 % for a subset above the exact match and "
    "33–39 % above supersets, averaged over pairings; the top four are filled in over 90 % of "
    "queries, but in 27–53 % with the CLIP-based ViT-B/32 models."
)

#: A group of columns: its heading, metric and subset.
_Group = tuple[str, str, str]

_PAPERS: tuple[_Group, ...] = (
    ("MCQ", "mcq_accuracy", "all"),
    ("Retrieval, independent", "map", "independent"),
    ("Retrieval, nested", "map", "nested"),
)
_CONTAINMENT: tuple[_Group, ...] = (
    ("Subset above exact", "subset_above_exact", "nested"),
    ("Subset above superset", "subset_above_superset", "nested"),
    ("Top four", "top_four", "independent"),
)
_TRIPLETS = {
    "triplet_accuracy_test": "Test set",
    "triplet_accuracy_deferred_bind_anaphoric": "deferred_bind_anaphoric",
    "triplet_accuracy_deferred_bind_respective": "deferred_bind_respective",
}
_TRIPLET_PREFIX = "triplet_accuracy_"
_SCATTERED_PREFIX = "scattered_"


# ---- the paper's tables ----


def overall_table(series: Sequence[Series]) -> Table:
    """Table 2: accuracy on the questions, mAP of independent and nested retrieval, by pairing."""
    columns, readers = _by_pairing(_PAPERS)
    return Table(
        name="table2",
        title="SABER: accuracy on four-way questions (MCQ) and mAP over the whole gallery "
        f"(retrieval), in percent; means over {_range(series)} objects, every number alike",
        block_head="",
        columns=columns,
        rows=fill(series, readers),
        notes=_adjacency(series, "mcq_accuracy", "map"),
    )


def triplet_table(series: Sequence[Series]) -> Table:
    """Table 10: triplet accuracy on the test split and on the constructions held out.

    The paper has a row per data set; here, as in every other table, a model has a row.
    """
    # Triplets have no pictures: of them nobody was asked a part.
    series = [replace(one, scope="") for one in series]
    found = {key.metric for one in series for key in one.figures}
    others = sorted(m for m in found if m.startswith(_TRIPLET_PREFIX) and m not in _TRIPLETS)
    heads = _TRIPLETS | {metric: metric.removeprefix(_TRIPLET_PREFIX) for metric in others}
    return Table(
        name="table10",
        title="Triplet accuracy on the text dataset, in percent; chance is 50",
        block_head="",
        columns=tuple(Column("", head) for head in heads.values()),
        rows=fill(series, [_figure("t2t", metric, "all", None) for metric in heads]),
    )


def accuracy_by_n_table(series: Sequence[Series]) -> Table:
    """Table 17: accuracy on the four-way questions by number of objects, for each pairing."""
    title = "SABER-MCQ: accuracy by number of objects, in percent; chance is 25"
    return _by_n("table17", title, "mcq_accuracy", "all", series)


def independent_map_by_n_table(series: Sequence[Series]) -> Table:
    """Table 18: mAP of independent retrieval by number of objects, for each pairing."""
    title = "Retrieval over the whole gallery, independent queries: mAP by number of objects"
    return _by_n("table18", title, "map", "independent", series)


def nested_map_by_n_table(series: Sequence[Series]) -> Table:
    """Table 19: mAP of nested retrieval by number of objects, for each pairing."""
    title = "Retrieval over the whole gallery, nested queries: mAP by number of objects"
    return _by_n("table19", title, "map", "nested", series)


def paper_tables(series: Sequence[Series]) -> tuple[Table, ...]:
    """Return tables 2, 10, 17, 18 and 19, without those of which no series has a figure."""
    wanted = (
        (overall_table, ("mcq_accuracy", "map")),
        (triplet_table, tuple(_TRIPLETS)),
        (accuracy_by_n_table, ("mcq_accuracy",)),
        (independent_map_by_n_table, ("map",)),
        (nested_map_by_n_table, ("map",)),
    )
    return tuple(make(series) for make, metrics in wanted if _measured(series, *metrics))


# ---- ours ----


def containment_table(series: Sequence[Series]) -> Table:
    """Section 5.1's diagnostics, for which the paper has no table; nothing leads here."""
    columns, readers = _by_pairing(_CONTAINMENT)
    return Table(
        name="containment",
        title="Containment, in percent: how often, among nested queries, a candidate with a "
        "subset of the query's bindings ranks above the exact match, and above supersets; and "
        "how often, among independent queries, the correct candidate and its three distractors "
        "fill the first four places",
        block_head="",
        columns=columns,
        rows=fill(series, readers, ranked=False),
        notes=(_PAPER_ON_CONTAINMENT, *_adjacency(series, *(m for _, m, _ in _CONTAINMENT))),
    )


def scattered_table(series: Sequence[Series]) -> Table:
    """The scattered captions, where no attribute stands next to its object; not the paper's."""
    groups = [
        (group, _SCATTERED_PREFIX + metric, subset)
        for group, metric, subset in (*_PAPERS, *_CONTAINMENT)
        if _measured(series, _SCATTERED_PREFIX + metric)
    ]
    places = [
        (group, pairing)
        for group in groups
        for pairing in PAIRINGS
        if any(one.at(pairing, *group[1:], None) is not None for one in series)
    ]
    return Table(
        name="scattered",
        title="Scattered captions, which the paper does not have: no attribute stands next to "
        "its object, so that adjacency tells nothing; in percent",
        block_head="",
        columns=tuple(Column(group[0], ARROWS[pairing]) for group, pairing in places),
        rows=fill(series, [_figure(p, metric, sub, None) for (_, metric, sub), p in places]),
    )


def own_tables(series: Sequence[Series]) -> tuple[Table, ...]:
    """Return the tables that the paper doesn't have, as far as a series has figures for them."""
    scattered = any(
        key.metric.startswith(_SCATTERED_PREFIX) for one in series for key in one.figures
    )
    contained = _measured(series, *(metric for _, metric, _ in _CONTAINMENT))
    return (
        *((containment_table(series),) if contained else ()),
        *((scattered_table(series),) if scattered else ()),
    )


# ---- columns ----


def _by_pairing(groups: Sequence[_Group]) -> tuple[tuple[Column, ...], list[Reader]]:
    columns: list[Column] = []
    readers: list[Reader] = []
    for head, metric, subset in groups:
        columns += [Column(head, ARROWS[pairing]) for pairing in PAIRINGS]
        readers += [_figure(pairing, metric, subset, None) for pairing in PAIRINGS]
        columns.append(Column(head, "Mean"))
        readers.append(partial(_mean_over_pairings, metric=metric, subset=subset))
    return tuple(columns), readers


def _by_n(name: str, title: str, metric: str, subset: str, series: Sequence[Series]) -> Table:
    numbers = [*numbers_of_objects(series, metric), None]
    rows: list[Row] = []
    scored = {key.pairing for one in series for key in one.figures if key.metric == metric}
    # A block in which nobody has a figure says nothing.
    for pairing in (pairing for pairing in PAIRINGS if pairing in scored):
        readers = [_figure(pairing, metric, subset, n) for n in numbers]
        rows += fill(series, readers, block=ARROWS[pairing])
    return Table(
        name=name,
        title=title,
        block_head="Modalities",
        columns=tuple(
            Column("Number of objects" if n else "", str(n) if n else "Mean") for n in numbers
        ),
        rows=tuple(rows),
        notes=_adjacency(series, metric),
    )


def _figure(pairing: Pairing, metric: str, subset: str, n: int | None) -> Reader:
    return lambda series: series.at(pairing, metric, subset, n)


def _mean_over_pairings(series: Series, metric: str, subset: str) -> float | None:
    """Return the mean as printed, or else of the four; None unless all four were measured."""
    printed = series.at(None, metric, subset, None)
    if printed is not None:
        return printed
    values = [series.at(pairing, metric, subset, None) for pairing in PAIRINGS]
    measured = [value for value in values if value is not None]
    return sum(measured) / len(PAIRINGS) if len(measured) == len(PAIRINGS) else None


# ---- words ----


def _measured(series: Sequence[Series], *metrics: str) -> bool:
    return any(has_any(one, metric) for one in series for metric in metrics)


def _adjacency(series: Sequence[Series], *metrics: str) -> tuple[str, ...]:
    keys = {key for one in series for key in one.figures}
    return (ADJACENCY,) if any(k.pairing == "t2t" and k.metric in metrics for k in keys) else ()


def _range(series: Sequence[Series]) -> str:
    numbers = numbers_of_objects(series, "mcq_accuracy", "map")
    if not numbers:
        return "all numbers of"
    return f"{numbers[0]}–{numbers[-1]}" if len(numbers) > 1 else str(numbers[0])
