"""Where a positive first mentions each queried pair.

Knows one example at a time; words are found as whole words, case folded, an object of several
words as a run of them.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from artifacts.plans import Pair
from artifacts.words import words_of
from validators.audit.pairs import ExampleFacts


class Mentions(NamedTuple):
    """The queried pairs of one example, in the query's order."""

    #: First word of each pair, its object or one of its attributes: 0 at the text's start, below 1.
    places: tuple[float, ...]
    #: Whether the text mentions the objects in the query's order.
    in_query_order: bool


def mentions_of(example: ExampleFacts) -> Mentions | None:
    """Return the mentions, or None where the text lacks one of the queried words."""
    words = [word.casefold() for word in words_of(example.positive)]
    objects = [_find(words, pair.object) for pair in example.pairs]
    firsts = [_first(words, pair) for pair in example.pairs]
    if None in objects or None in firsts:
        return None
    found = [place for place in objects if place is not None]
    in_order = all(earlier < later for earlier, later in pairwise(found))
    return Mentions(tuple(place / len(words) for place in firsts if place is not None), in_order)


def _first(words: Sequence[str], pair: Pair) -> int | None:
    places = [_find(words, core) for core in (pair.object, *pair.attributes)]
    found = [place for place in places if place is not None]
    return min(found) if len(found) == len(places) else None


def _find(words: Sequence[str], core: str) -> int | None:
    """Return the index of the first word of `core` in `words`, or None."""
    sought = words_of(core.casefold())
    width = len(sought)
    starts = range(len(words) - width + 1)
    return next((at for at in starts if words[at : at + width] == sought), None)
