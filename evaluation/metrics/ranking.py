"""Average precision over a gallery, exact and without sorting it (section 3).

Only the positives' ranks matter, and a rank is a count of scores. Ties are broken against the
positives. Knows scores and positions.
"""

import numpy as np
from numpy.typing import NDArray

#: Scores this close are equal: float64 sums of the same products differ by less.
EQUAL = 1e-12

#: Up to so many thresholds it is faster to count for each than to look every score up among them.
_FEW = 8


def average_precision(scores: NDArray[np.float64], positives: NDArray[np.int64]) -> float:
    """Return the average precision of one query, 0 to 1.

    Non-positives within `EQUAL` of a positive rank before it: a constant scorer gets the worst
    order, not the order in which the gallery happens to be stored. `scores` has shape [G],
    `positives` [at least one], positions in it.
    """
    hits = np.sort(scores[positives])
    thresholds = hits - EQUAL
    wrong = count_at_or_above(scores, thresholds) - count_at_or_above(hits, thresholds)
    right = np.arange(len(hits), 0, -1)
    return float(np.mean(right / (right + wrong)))


def count_at_or_above(
    values: NDArray[np.float64], thresholds: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return how many of `values` are at or above each of the ascending `thresholds`."""
    if len(thresholds) <= _FEW:
        return np.array([np.count_nonzero(values >= one) for one in thresholds], dtype=np.int64)
    reached = np.searchsorted(thresholds, values, side="right")
    # A value that reaches k thresholds counts for the first k.
    counts = np.bincount(reached, minlength=len(thresholds) + 1)
    return np.asarray(np.cumsum(counts[:0:-1])[::-1], dtype=np.int64)
