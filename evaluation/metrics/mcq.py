"""Four-way accuracy (section 3). Knows scores and answers, not what was compared."""

import numpy as np
from numpy.typing import NDArray

#: Scores this close are tied: a model's own arithmetic breaks true ties by less.
TIE = 1e-6


def mcq_credit(scores: NDArray[np.float64], answers: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what each question earns: 1 if the answer scores best, 0 if not, 1/k if k are tied.

    Scores within `TIE` of the best are tied with it, so that no order in which candidates are
    presented helps. `scores` has shape [Q, candidates], `answers` [Q]; so has the result.
    """
    best = scores.max(axis=1, keepdims=True)
    tied = scores >= best - TIE
    right = tied[np.arange(len(answers)), answers]
    return np.asarray(right / tied.sum(axis=1), dtype=np.float64)
