"""The metrics once more: slow, in plain Python, by sorting, sharing nothing with the product."""

from collections.abc import Collection, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray


def slow_average_precision(scores: Sequence[float], positives: Collection[int]) -> float:
    """Walk down the ranking; of equal scores the non-positives come first."""
    ranking = sorted(range(len(scores)), key=lambda item: (-scores[item], item in positives))
    found, total = 0, Fraction(0)
    for rank, item in enumerate(ranking, start=1):
        if item in positives:
            found += 1
            total += Fraction(found, rank)
    return float(total / len(positives))


def slow_credit(scores: Sequence[float], answer: int) -> float:
    best = max(scores)
    tied = [index for index, score in enumerate(scores) if best - score <= 1e-6]
    return 1 / len(tied) if answer in tied else 0.0


def cosines(first: NDArray[np.float32], second: NDArray[np.float32]) -> list[list[float]]:
    """Every cosine, one row of `first` a line."""
    return [
        [
            float(np.dot(a.astype(float), b.astype(float)))
            / (float(np.linalg.norm(a.astype(float))) * float(np.linalg.norm(b.astype(float))))
            for b in second
        ]
        for a in first
    ]
