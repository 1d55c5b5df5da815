"""The audit itself: every scorer and statistic, pooled and per construction, and the gates.

Knows which figure is gated at what; nothing of how one is measured.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from artifacts.errors import SettingsError
from validators.audit.captions import CaptionPair, read_captions
from validators.audit.example_statistics import example_statistics
from validators.audit.features import (
    Differences,
    bag_differences,
    ngram_differences,
    shared_columns,
    surface_differences,
)
from validators.audit.mentions import mentions_of
from validators.audit.pair_statistics import duplicate_positives, pair_statistics
from validators.audit.pairs import IntArray, PairTable, number_groups
from validators.audit.reports import GATED_PAIRS, AuditReport, GateVerdict, ScorerFigure, Statistic
from validators.audit.scorer import Interval, fold_of_groups, held_out_outcomes, interval_of


@dataclass(frozen=True, slots=True)
class _Scorer:
    name: str
    differences: Callable[[Sequence[CaptionPair]], Differences]
    limit: float
    #: Whether the gate asks for the limit itself.
    exactly: bool = False


_SCORERS = (
    _Scorer("surface", surface_differences, 52.0),
    _Scorer("ngrams", ngram_differences, 55.0),
    # Of a permutation the bag is the same, so that every pair ties.
    _Scorer("bag_of_words", bag_differences, 50.0, exactly=True),
)


def audit(
    pairs: PairTable,
    *,
    family_of: Mapping[str, str] | None = None,
    seed: int = 0,
    max_pairs: int = 0,
) -> AuditReport:
    """Measure what a caption-only scorer can exploit in `pairs`; the same pairs, the same figures.

    `family_of` names the family of an attribute; without it there are no entropies by family.
    `seed` draws the folds, and the sample where a fit learns from `max_pairs` pairs at most; where
    that is 0, it learns from all of them.
    """
    if max_pairs < 0 or seed < 0:
        raise SettingsError(
            f"seed and max_pairs must be 0 or more, found seed={seed}, max_pairs={max_pairs}"
        )
    captions = read_captions(pairs)
    figures = [
        figure
        for scorer in _SCORERS
        for figure in _figures(scorer, scorer.differences(captions), pairs, seed, max_pairs)
    ]
    # Stable, so that the pooled figures come first and each construction's stay together.
    figures.sort(key=lambda figure: figure.construction or "")
    statistics = tuple(_statistics(pairs, captions, family_of or {}))
    return AuditReport(len(pairs), tuple(figures), statistics)


def _figures(
    scorer: _Scorer, differences: Differences, pairs: PairTable, seed: int, max_pairs: int
) -> Iterator[ScorerFigure]:
    for construction, rows in _scopes(pairs):
        groups = number_groups(pairs.groups[rows].tolist())
        shared = shared_columns(differences.take(rows), groups)
        figure = ScorerFigure(scorer.name, construction, len(rows), None, None, None)
        # Of a single group nothing can be held out.
        if groups.max() > 0:
            found = _held_out_interval(shared, groups, seed, max_pairs)
            figure = ScorerFigure(scorer.name, construction, len(rows), *found)
        # Gates are over all constructions pooled.
        yield _gated(figure, scorer) if construction is None else figure


def _held_out_interval(
    differences: Differences, groups: IntArray, seed: int, max_pairs: int
) -> Interval:
    folds = fold_of_groups(groups, seed)
    outcomes = held_out_outcomes(differences, folds, seed=seed, max_pairs=max_pairs)
    return interval_of(outcomes, groups)


def _gated(figure: ScorerFigure, scorer: _Scorer) -> ScorerFigure:
    return replace(figure, limit=scorer.limit, verdict=_verdict(figure, scorer))


def _verdict(figure: ScorerFigure, scorer: _Scorer) -> GateVerdict:
    if figure.accuracy is None or figure.pairs < GATED_PAIRS:
        return "too_few"
    if scorer.exactly:
        return "passed" if figure.accuracy == scorer.limit else "failed"
    return "passed" if figure.accuracy <= scorer.limit else "failed"


def _statistics(
    pairs: PairTable, captions: Sequence[CaptionPair], family_of: Mapping[str, str]
) -> Iterator[Statistic]:
    mentions = [mentions_of(example) for example in pairs.examples]
    for construction, rows in _scopes(pairs):
        yield from pair_statistics([captions[row] for row in rows.tolist()], construction)
        chosen = [
            number
            for number, example in enumerate(pairs.examples)
            if construction is None or example.construction == construction
        ]
        if chosen:
            examples = [pairs.examples[number] for number in chosen]
            places = [mentions[number] for number in chosen]
            yield from example_statistics(examples, places, construction, family_of)
        else:
            positives = [pairs.positives[row] for row in rows.tolist()]
            yield duplicate_positives(positives, construction)


def _scopes(pairs: PairTable) -> Iterator[tuple[str | None, IntArray]]:
    """Yield all pairs under no name, then those of each construction."""
    yield None, np.arange(len(pairs))
    for construction in sorted(set(pairs.constructions or ())):
        yield construction, pairs.rows_of(construction)
