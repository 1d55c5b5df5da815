"""Whether scenes with fewer or other bindings push past the right ones (section 5.1).

Ties never favour the right scene. Knows scores and positions.
"""

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics.ranking import EQUAL


def share_above(
    scores: NDArray[np.float64], wrong: NDArray[np.int64], right: NDArray[np.int64]
) -> float:
    """Return the share of pairs (wrong, right) in which the wrong one ranks above; NaN without any.

    `scores` has shape [G]; `wrong` and `right` are positions in it.
    """
    if not (len(wrong) and len(right)):
        return float("nan")
    above = scores[wrong][:, None] >= scores[right] - EQUAL
    return float(above.mean())


def fills_top(scores: NDArray[np.float64], candidates: NDArray[np.int64]) -> bool:
    """Return whether the candidates rank before everything else in the gallery.

    `scores` has shape [G]; `candidates` are positions in it, each once.
    """
    floor = scores[candidates].min() - EQUAL
    return int(np.count_nonzero(scores >= floor)) == len(candidates)
