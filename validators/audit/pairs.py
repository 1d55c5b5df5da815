"""The table that an audit reads: pairs of a positive and a negative, and whose they are.

Pairs of one *group* share their words and are never split between learning and testing. Knows
nothing of files; what is known of whole examples is optional.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from artifacts.errors import SettingsError
from artifacts.plans import Pair
from artifacts.words import words_of

IntArray = NDArray[np.int64]


class ExampleFacts(NamedTuple):
    """What the audit reads of one example, beyond its two pairs."""

    construction: str
    positive: str
    #: In the query's order.
    pairs: tuple[Pair, ...]
    #: The mention described first; None outside deferred_bind_anaphoric.
    described_first: int | None


@dataclass(frozen=True, slots=True)
class PairTable:
    """The pairs as columns of equal length."""

    positives: Sequence[str]
    negatives: Sequence[str]
    #: One number per group, from 0 without gaps.
    groups: IntArray
    #: None where the pairs name no construction.
    constructions: Sequence[str] | None = None
    #: Empty where only the pairs are known.
    examples: Sequence[ExampleFacts] = ()

    def __len__(self) -> int:
        return len(self.positives)

    def rows_of(self, construction: str) -> IntArray:
        """Return the indices of the pairs of `construction`."""
        names = self.constructions or ()
        return np.array([row for row, name in enumerate(names) if name == construction], np.int64)


def make_pairs(
    positives: Sequence[str],
    negatives: Sequence[str],
    groups: Iterable[Hashable] | None = None,
    constructions: Sequence[str] | None = None,
    examples: Sequence[ExampleFacts] = (),
) -> PairTable:
    """Return the table; without `groups`, pairs whose positives have the same words share one."""
    keys = map(words_key, positives) if groups is None else groups
    numbers = number_groups(keys)
    if not len(positives) == len(negatives) == len(numbers) > 0:
        raise SettingsError(
            "an audit needs as many positives as negatives and groups, and at least one; "
            f"found {len(positives)}, {len(negatives)}, {len(numbers)}"
        )
    return PairTable(positives, negatives, numbers, constructions, examples)


def words_key(text: str) -> tuple[str, ...]:
    """Return the words of `text` whatever their order, case, and the choice of a or an."""
    return tuple(sorted(map(fold, words_of(text))))


def fold(word: str) -> str:
    """Return the case-folded word, `a` for `an`: an article follows its neighbour's sound."""
    folded = word.casefold()
    return "a" if folded == "an" else folded


def number_groups(keys: Iterable[Hashable]) -> IntArray:
    """Return a number for each key, equal for equal keys, in order of appearance."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)
