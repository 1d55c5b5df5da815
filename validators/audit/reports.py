"""What an audit finds: the figures of its scorers, its statistics, and the gates among them.

Knows nothing of how a figure is measured or printed. Shares are in percent throughout.
"""

from dataclasses import dataclass
from typing import Literal

GateVerdict = Literal["passed", "failed", "too_few"]
Unit = Literal["percent", "bits", "count"]

#: Pairs below which a gate gives no verdict: at 10,000 independent pairs chance alone stays within
#: one point of 50 % in 95 of 100 audits, so that 52 % means something.
GATED_PAIRS = 10_000


@dataclass(frozen=True, slots=True)
class ScorerFigure:
    """How often one scorer prefers the positive, a tie counting half; chance is 50 %."""

    #: surface, ngrams or bag_of_words.
    name: str
    #: The construction; None for all of them pooled.
    construction: str | None
    pairs: int
    #: In percent; None where all pairs share one group, so that nothing can be held out.
    accuracy: float | None
    #: The 95 % interval; see `scorer.interval_of`. None where the accuracy is None.
    low: float | None
    high: float | None
    #: The gate, in percent; None where there is none: gates are over all constructions pooled.
    limit: float | None = None
    verdict: GateVerdict | None = None


@dataclass(frozen=True, slots=True)
class Statistic:
    """One property of the texts, measured without fitting anything."""

    name: str
    #: The construction; None for all of them pooled.
    construction: str | None
    value: float
    unit: Unit
    #: How many pairs, examples, words or mentions it is measured on.
    counted: int
    #: What it is about where one name has several values: a family, a pair's place in the query.
    subject: str | None = None
    #: What an even spread gives; None where nothing in particular is expected.
    expected: float | None = None
    #: How far from it a gate lets the value be; None where there is no gate.
    tolerance: float | None = None
    verdict: GateVerdict | None = None


@dataclass(frozen=True, slots=True)
class AuditReport:
    """All that an audit found, pooled figures first."""

    pairs: int
    scorers: tuple[ScorerFigure, ...]
    statistics: tuple[Statistic, ...]


def failed_gates(report: AuditReport) -> list[str]:
    """Return one line for each gate that failed, with what was found and what was allowed."""
    return [_scorer_line(figure) for figure in report.scorers if figure.verdict == "failed"] + [
        _statistic_line(found) for found in report.statistics if found.verdict == "failed"
    ]


def _scorer_line(figure: ScorerFigure) -> str:
    bound = "exactly" if figure.name == "bag_of_words" else "at most"
    return (
        f"{figure.name}: a caption-only scorer is right on {figure.accuracy:.3f} % of "
        f"{figure.pairs:,} pairs; {bound} {figure.limit:g} % allowed"
    )


def _statistic_line(found: Statistic) -> str:
    place = f"{found.construction}, {found.name}" if found.construction else found.name
    return (
        f"{place}: {found.value:.2f} % of {found.counted:,}; "
        f"{found.expected:g} ± {found.tolerance:g} % allowed"
    )
