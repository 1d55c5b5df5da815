"""What every question of SABER scores for one pairing, from vectors (sections 3 and 5.1).

Each block of scores is read once, for all metrics. Knows no model and no file.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from artifacts.errors import EmbeddingError
from evaluation.cosine import cosine_blocks
from evaluation.embedders.embedder import Vectors
from evaluation.metrics.containment import fills_top, share_above
from evaluation.metrics.mcq import mcq_credit
from evaluation.metrics.ranking import average_precision
from evaluation.saber import Saber

_NOT_ASKED = float("nan")


@dataclass(frozen=True, slots=True)
class QuestionScores:
    """Shares from 0 to 1, one per question, in the questions' order; NaN where none applies."""

    #: 1 right, 0 wrong, 1/k tied with k - 1 others.
    mcq_accuracy: NDArray[np.float64]
    #: Average precision over the gallery.
    map: NDArray[np.float64]
    #: Nested: of the subset candidates, those that rank above the exact match.
    subset_above_exact: NDArray[np.float64]
    #: Nested: of the pairs of a subset and a superset, those in which the subset ranks above.
    subset_above_superset: NDArray[np.float64]
    #: Independent: 1 where the four candidates fill the top four of the gallery.
    top_four: NDArray[np.float64]


def score_pairing(saber: Saber, queries: Vectors, gallery: Vectors) -> QuestionScores:
    """Score one pairing: `queries`, shape [Q, D], against `gallery`, shape [G, D].

    The rows are those of `saber.queries` and `saber.gallery`, of either modality.

    Raises:
        EmbeddingError: another number of rows, or vectors that cannot be compared.

    """
    _require_rows("queries", queries, len(saber.queries.ids))
    _require_rows("the gallery", gallery, len(saber.gallery.ids))
    blocks = [_score_block(saber, *block) for block in cosine_blocks(queries, gallery)]
    return QuestionScores(
        *(
            np.concatenate([getattr(block, field.name) for block in blocks])
            for field in fields(QuestionScores)
        )
    )


def _require_rows(what: str, vectors: Vectors, expected: int) -> None:
    found = vectors.shape[0]
    if found != expected:
        raise EmbeddingError(f"expected {expected} vectors of {what}, found {found}")


def _score_block(saber: Saber, start: int, scores: NDArray[np.float64]) -> QuestionScores:
    """Score the queries from `start` on; `scores` has shape [block, G]."""
    block = slice(start, start + len(scores))
    presented = np.take_along_axis(scores, saber.questions.candidates[block], axis=1)
    ranked = np.array([_rank(saber, start + row, line) for row, line in enumerate(scores)])
    return QuestionScores(mcq_credit(presented, saber.questions.answer[block]), *ranked.T)


def _rank(
    saber: Saber, query: int, scores: NDArray[np.float64]
) -> tuple[float, float, float, float]:
    """Return all that depends on a query's whole ranking; `scores` has shape [G]."""
    precision = average_precision(scores, saber.positives.row(query))
    candidates = saber.questions.candidates[query]
    if not saber.questions.nested[query]:
        return precision, _NOT_ASKED, _NOT_ASKED, float(fills_top(scores, candidates))
    exact = candidates[[saber.questions.answer[query]]]
    subsets, supersets = saber.subsets.row(query), saber.supersets.row(query)
    above_exact = share_above(scores, subsets, exact)
    return precision, above_exact, share_above(scores, subsets, supersets), _NOT_ASKED
