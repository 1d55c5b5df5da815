"""The one definition of a word, used for lengths, distances, permutations and caps alike.

A word is a maximal run of letters or digits with inner hyphens and apostrophes; articles count:

    "a well-worn tunic"     3   a, well-worn, tunic
    "the baker's 2nd oven"  4   the, baker's, 2nd, oven
    “Don’t!” he said        3   Don’t, he, said        (quotes are no part of a word)
    "stop — now - please"   3   stop, now, please      (a free-standing dash is no word)
    "at 14:30, 3.5 m"       6   at, 14, 30, 3, 5, m    (numerals split at inner punctuation)

Knows nothing of sentences, articles or parts of speech.
"""

import re
from typing import NamedTuple

WORD = re.compile(r"[^\W_]+(?:[-'’‐‑][^\W_]+)*")


class Word(NamedTuple):
    """A word and where it stands: `text[start:end]`."""

    text: str
    start: int
    end: int


def find_words(text: str) -> list[Word]:
    """Return the words of `text` in order, with their character offsets."""
    return [Word(match.group(), match.start(), match.end()) for match in WORD.finditer(text)]


def words_of(text: str) -> list[str]:
    """Return the words of `text` in order, as written."""
    return WORD.findall(text)


def count_words(text: str) -> int:
    """Return the number of words in `text`."""
    return len(WORD.findall(text))
