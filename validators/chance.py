"""When a count is too far from what chance gives.

The bound is Chernoff's, in Hoeffding's form: of `trials` independent draws with mean probability p,
the chance that a share of q or more succeeds is at most exp(-trials * KL(q || p)), and the same for
a share of q or less. It holds for any number of trials and for draws of unlike probabilities, so
that a build of four questions is judged as fairly as one of 1,800.
"""

from math import log

#: Five standard deviations: an honest count fails with a chance of at most exp(-25/2) on each side,
#: 4 in a million.
_MOST_SURPRISE = 25 / 2


def is_plausible(successes: int, trials: int, probability: float) -> bool:
    """Whether chance may give this count."""
    return _surprise(successes, trials, probability) <= _MOST_SURPRISE


def is_too_often(successes: int, trials: int, probability: float) -> bool:
    """Whether the count is higher than chance may give."""
    is_above = successes > trials * probability
    return is_above and not is_plausible(successes, trials, probability)


def _surprise(successes: int, trials: int, probability: float) -> float:
    """Return trials * KL(share || probability), the negative logarithm of the bound."""
    failures = trials - successes
    return _term(successes, trials * probability) + _term(failures, trials * (1 - probability))


def _term(found: int, expected: float) -> float:
    return found * log(found / expected) if found else 0.0
