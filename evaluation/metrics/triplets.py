"""Triplet accuracy (section B.5). Knows vectors, not texts."""

import numpy as np
from numpy.typing import NDArray

from evaluation.cosine import row_cosines
from evaluation.embedders.embedder import Vectors
from evaluation.metrics.mcq import TIE


def triplet_credit(queries: Vectors, positives: Vectors, negatives: Vectors) -> NDArray[np.float64]:
    """Return 1 where the positive is closer to the query, 0 where the negative is, 1/2 tied.

    Cosines within `TIE` are tied. All three have shape [T, D]; the result has shape [T].

    Raises:
        EmbeddingError: vectors that cannot be compared.

    """
    lead = row_cosines(queries, positives) - row_cosines(queries, negatives)
    return np.where(np.abs(lead) <= TIE, 0.5, (lead > 0).astype(np.float64))
