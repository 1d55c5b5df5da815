"""A caption-only scorer: pairwise logistic regression, tested on word sets it has not seen.

The model is w·x, with no intercept, fitted on x(positive) − x(negative): swapping the two captions
flips the sign of the score and nothing else, so that the orientation in which a pair is presented
can neither help nor hurt. Knows nothing of what the features mean.
"""

from math import inf, isinf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from validators.audit.features import Differences
from validators.audit.pairs import IntArray

FOLDS = 5
#: Two-sided 95 %.
_Z = 1.959964

#: Per pair 1 where the positive scores higher, -1 where the negative does, 0 for a tie.
Outcomes = NDArray[np.int8]


class Interval(NamedTuple):
    """A share in percent with its 95 % interval."""

    value: float
    low: float
    high: float


def fold_of_groups(groups: IntArray, seed: int) -> IntArray:
    """Return the fold of each pair: all of a group in one, the groups spread at random."""
    total = int(groups.max()) + 1
    folds = np.random.default_rng(seed).permutation(total) % FOLDS
    return folds[groups]


def held_out_outcomes(
    differences: Differences, folds: IntArray, *, seed: int, max_pairs: int
) -> Outcomes:
    """Return the outcome of every pair under the model fitted on the other folds.

    A fit learns from at most `max_pairs` pairs, drawn by `seed`; 0 means all of them.
    """
    outcomes = np.zeros(len(folds), np.int8)
    # Sums of threaded BLAS depend on the number of threads, and so would the last bits.
    with threadpool_limits(limits=1, user_api="blas"):
        for fold in np.unique(folds):
            learning = _sample(differences, np.flatnonzero(folds != fold), seed, max_pairs)
            weights = _fit(differences.take(learning))
            testing = np.flatnonzero(folds == fold)
            outcomes[testing] = np.sign(_scores(differences.take(testing), weights))
    return outcomes


def interval_of(outcomes: Outcomes, groups: IntArray) -> Interval:
    """Return the accuracy, ties counting half, and its interval.

    Wilson's interval for as many independent coins as have the variance that the groups show: ties
    lower it, and pairs of a group succeed and fail together. If all tie it is one point, 50 %.
    """
    # In whole numbers until the end, so that a scorer at chance comes out as 50 exactly.
    value = 50 * (int(outcomes.sum(dtype=np.int64)) + len(outcomes)) / len(outcomes)
    coins = _independent_coins(outcomes, groups)
    if isinf(coins):
        return Interval(value, value, value)
    low, high = _wilson(value / 100, coins)
    return Interval(value, 100 * low, 100 * high)


def _sample(differences: Differences, rows: IntArray, seed: int, max_pairs: int) -> IntArray:
    """Return those of `rows` to learn from: a row without entries teaches nothing."""
    informative = rows[differences.starts[rows + 1] > differences.starts[rows]]
    if not 0 < max_pairs < len(informative):
        return informative
    drawn = np.random.default_rng(seed).permutation(len(informative))[:max_pairs]
    return informative[np.sort(drawn)]


def _fit(learning: Differences) -> NDArray[np.float64]:
    """Return one weight per column, 0 for a column that no row of `learning` has."""
    weights = np.zeros(learning.width)
    rows = len(learning.starts) - 1
    if rows < 2:
        return weights
    # A solver takes two classes: every other pair is presented the other way round.
    sides = np.where(np.arange(rows) % 2, -1, 1)
    values = learning.values * np.repeat(sides, np.diff(learning.starts))
    used, columns = np.unique(learning.columns, return_inverse=True)
    matrix = csr_matrix((values, columns, learning.starts), shape=(rows, len(used)))
    # liblinear's primal solver draws no random number.
    model = LogisticRegression(solver="liblinear", fit_intercept=False, max_iter=1_000)
    weights[used] = model.fit(matrix, sides).coef_[0]
    return weights


def _scores(testing: Differences, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    rows = np.repeat(np.arange(len(testing.starts) - 1), np.diff(testing.starts))
    products = testing.values * weights[testing.columns]
    return np.asarray(np.bincount(rows, products, len(testing.starts) - 1), np.float64)


def _independent_coins(outcomes: Outcomes, groups: IntArray) -> float:
    """Return how many independent trials, won or lost, would give as sure a mean."""
    scores = (outcomes + 1) / 2
    share = float(scores.mean())
    if share in (0.0, 1.0):
        # No variance to go by: suppose that the pairs of a group always agree.
        return float(len(scores) ** 2 / (np.bincount(groups) ** 2).sum())
    residuals = np.bincount(groups, scores - share)
    squares = float((residuals**2).sum())
    return share * (1 - share) * len(scores) ** 2 / squares if squares else inf


def _wilson(share: float, trials: float) -> tuple[float, float]:
    middle = (share + _Z**2 / (2 * trials)) / (1 + _Z**2 / trials)
    spread = share * (1 - share) / trials + _Z**2 / (4 * trials**2)
    half = _Z * float(np.sqrt(spread)) / (1 + _Z**2 / trials)
    return middle - half, middle + half
