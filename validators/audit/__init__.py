"""The audit: what a scorer that sees captions only can exploit in (positive, negative) pairs.

Knows pairs and what it measures on them; nothing of builds, nor of how a caption came about.
"""

from validators.audit.auditing import audit
from validators.audit.examples import pairs_of_examples
from validators.audit.pair_files import read_pairs
from validators.audit.pairs import ExampleFacts, PairTable, make_pairs
from validators.audit.reports import (
    GATED_PAIRS,
    AuditReport,
    GateVerdict,
    ScorerFigure,
    Statistic,
    failed_gates,
)

__all__ = [
    "GATED_PAIRS",
    "AuditReport",
    "ExampleFacts",
    "GateVerdict",
    "PairTable",
    "ScorerFigure",
    "Statistic",
    "audit",
    "failed_gates",
    "make_pairs",
    "pairs_of_examples",
    "read_pairs",
]
