"""A text read once for all rules: its words, what stands between them, and where phrases stand.

Everything counts in words, by the one definition in `artifacts.words`. Knows nothing of moves, of
constructions or of how a text came about.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from artifacts.words import WORD

#: Splits a text into gap, word, gap, ..., word, gap in one pass.
_WORD_OR_GAP = re.compile(f"({WORD.pattern})")


class Reading(NamedTuple):
    """The words of a text."""

    text: str
    #: As written.
    written: list[str]
    #: Case folded.
    words: list[str]
    #: What stands before the first word, between word i - 1 and word i, and after the last.
    gaps: list[str]


class Span(NamedTuple):
    """A core word where it stands: words `start` to `end`, the end excluded."""

    word: str
    start: int
    end: int


def read(text: str) -> Reading:
    """Return the words of `text` and the gaps around them."""
    pieces = _WORD_OR_GAP.split(text)
    written = pieces[1::2]
    return Reading(text, written, [word.casefold() for word in written], pieces[0::2])


def find(words: Sequence[str], phrase: Sequence[str]) -> list[int]:
    """Return where `phrase` begins in `words`, once for each occurrence."""
    if len(phrase) == 1:
        if words.count(phrase[0]) == 1:
            return [words.index(phrase[0])]
        return [place for place, word in enumerate(words) if word == phrase[0]]
    length = len(phrase)
    starts = range(len(words) - length + 1)
    return [start for start in starts if words[start : start + length] == phrase]


def words_between(left: Span, right: Span) -> int:
    """Return how many words stand strictly between two spans, whichever comes first."""
    return max(left.start, right.start) - min(left.end, right.end)
