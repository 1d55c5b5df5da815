"""Patterns: sequences of banks and literal words that can be filled to an exact length.

"{event} {extent} , and" is an `event`, an `extent`, a comma and the word "and"; "{trait?}" may
stay empty. A pattern knows how every length divides among its banks, so filling it never searches.
Knows nothing of which phrases go together.
"""

import re
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from random import Random

from artifacts.words import count_words
from generators.embedded.lexicon import MIXED, load_lexicon

_PART = re.compile(r"\{([a-z:]+)(\??)\}|([^{}]+)")

#: Weights by length in words.
_Weights = dict[int, float]


@dataclass(frozen=True, slots=True)
class _Share:
    """For each number of words left, how many of them one bank may take, with running weights."""

    by_rest: dict[int, tuple[tuple[int, ...], tuple[float, ...]]]

    def draw(self, rng: Random, rest: int) -> int:
        lengths, weights = self.by_rest[rest]
        return lengths[min(bisect(weights, rng.random() * weights[-1]), len(lengths) - 1)]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A parsed pattern; `parts` are literals (False) and names of banks (True)."""

    parts: tuple[tuple[str, bool], ...]
    #: The lengths that it can take, each with the weight of all its fillings.
    weights: _Weights
    _literal_words: int = field(repr=False)
    _shares: tuple[_Share, ...] = field(repr=False)

    def divide(self, rng: Random, length: int) -> Iterator[int]:
        """Yield the length of each bank's phrase, together with the literals `length` words."""
        rest = length - self._literal_words
        for share in self._shares:
            taken = share.draw(rng, rest)
            rest -= taken
            yield taken


@cache
def parse(source: str) -> Pattern:
    """Parse a pattern and work out every length it can take."""
    parts: list[tuple[str, bool]] = []
    banks: list[_Weights] = []
    for name, optional, literal in _PART.findall(source):
        if name:
            parts.append((name, True))
            banks.append(_weigh(name, optional == "?"))
        elif text := literal.strip():
            parts.append((text, False))
    words = sum(count_words(text) for text, is_bank in parts if not is_bank)
    shares, rest = _divide(banks)
    weights = {length + words: weight for length, weight in sorted(rest.items())}
    return Pattern(tuple(parts), weights, words, shares)


def _divide(banks: list[_Weights]) -> tuple[tuple[_Share, ...], _Weights]:
    """Return each bank's share of any rest, and the weight of every length of them all."""
    shares: list[_Share] = []
    rest: _Weights = {0: 1.0}
    for bank in reversed(banks):
        options: dict[int, list[tuple[int, float]]] = {}
        for length, weight in bank.items():
            for after, others in rest.items():
                options.setdefault(length + after, []).append((length, weight * others))
        rest = {total: sum(weight for _, weight in found) for total, found in options.items()}
        shares.append(_Share({total: _run(found) for total, found in options.items()}))
    return tuple(reversed(shares)), rest


def _run(found: list[tuple[int, float]]) -> tuple[tuple[int, ...], tuple[float, ...]]:
    return tuple(length for length, _ in found), tuple(accumulate(weight for _, weight in found))


@cache
def _weigh(name: str, optional: bool) -> _Weights:
    """Return a bank's lengths, each with a weight.

    Objects of mixed scale have the fewest phrases, so the lengths are those of their bank. The
    square root keeps rare lengths in play without starving the crowded ones.
    """
    bank = next(iter(load_lexicon().voices.values())).banks[MIXED][name]
    weights = {length: len(phrases) ** 0.5 for length, phrases in bank.by_length.items()}
    return {0: max(weights.values()), **weights} if optional else weights
