"""Finds the core words of a draft: the objects and attributes that the writer says it bound.

Each must occur exactly once, case folded; an object may be several words, an attribute is one.
Also says how a core word is written away from the start of a sentence. Knows nothing of moves.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from artifacts.plans import Draft, Violation
from artifacts.words import WORD, words_of

#: Level of an object; attributes have their slot, 0 or 1.
OBJECT = -1

#: What may stand before a word that a sentence, a quotation or a listed item begins with.
_START = re.compile(r"(?:^|[.!?…:;–—]|[\"“”‘’'«(\[])[\s\"“”‘’'«»()\[\]*]*$")

#: Adjectives that keep their capital inside a sentence, where the writer reports them with one.
_PROPER_LINES = """
    Victorian Edwardian Georgian Elizabethan Tudor Gothic Baroque Romanesque Byzantine Roman
    Greek Egyptian Persian Turkish Ottoman Moroccan African Asian European American Mexican Peruvian
    Indian Chinese Japanese Korean Thai Tibetan Russian Polish Bavarian German Swiss Austrian
    French Italian Venetian Spanish Portuguese Dutch Danish Swedish Norwegian Finnish Nordic
    Scottish Irish Celtic Welsh English British Hawaiian Bohemian
"""
_PROPER = frozenset(_PROPER_LINES.split())


class CoreWord(NamedTuple):
    """A core word as it stands in the draft: `text[start:end]` is `written`."""

    start: int
    end: int
    #: Index of the reported pair that it belongs to.
    pair: int
    #: Attribute slot, or `OBJECT`.
    level: int
    written: str
    reported: str


def find_core_words(draft: Draft) -> list[CoreWord] | tuple[Violation, ...]:
    """Return the core words in text order, or why they cannot be told apart (section B.4)."""
    violations = tuple(_unusable_words(draft))
    if violations:
        return violations
    found: list[CoreWord] = []
    missing: list[Violation] = []
    words = list(WORD.finditer(draft.positive))
    folded = [word.group().casefold() for word in words]
    for pair, level, reported in _reported_words(draft):
        phrase = words_of(reported.casefold())
        starts = _find_phrase(folded, phrase)
        if len(starts) != 1:
            missing.append(Violation("core_word_count", f"{reported!r} occurs {len(starts)} times"))
            continue
        start, end = words[starts[0]].start(), words[starts[0] + len(phrase) - 1].end()
        written = draft.positive[start:end]
        if written.casefold() != reported.casefold():
            missing.append(Violation("core_word_count", f"{reported!r} is written {written!r}"))
        found.append(CoreWord(start, end, pair, level, written, reported))
    return tuple(missing) or _in_order(found)


def _reported_words(draft: Draft) -> Iterator[tuple[int, int, str]]:
    for index, pair in enumerate(draft.pairs):
        yield index, OBJECT, pair.object
        for level, attribute in enumerate(pair.attributes):
            yield index, level, attribute


def _unusable_words(draft: Draft) -> Iterator[Violation]:
    seen = set()
    for _, level, reported in _reported_words(draft):
        words = words_of(reported)
        if level != OBJECT and words != [reported]:
            yield Violation("attribute_words", f"attribute {reported!r} is not a single word")
        elif level == OBJECT and " ".join(words) != reported:
            yield Violation("object_words", f"object {reported!r} is not words and single spaces")
        folded = reported.casefold()
        if folded in seen:
            yield Violation("words_distinct", f"{reported!r} is used twice")
        seen.add(folded)


def _find_phrase(words: Sequence[str], phrase: Sequence[str]) -> list[int]:
    head, length = phrase[0], len(phrase)
    if length == 1 and words.count(head) == 1:
        return [words.index(head)]
    starts = range(len(words) - length + 1)
    return [start for start in starts if words[start : start + length] == phrase]


def _in_order(found: list[CoreWord]) -> list[CoreWord] | tuple[Violation, ...]:
    found.sort()
    for left, right in pairwise(found):
        if right.start < left.end:
            detail = f"{left.reported!r} and {right.reported!r} share words"
            return (Violation("words_distinct", detail),)
    return found


def is_capitalised_start(text: str, start: int) -> bool:
    """Whether the word at `start` has its capital from the start of a sentence or quotation."""
    return text[start].isupper() and _START.search(text[:start]) is not None


def own_case(written: str, reported: str) -> str:
    """Return a word written at the start of a sentence as it is written inside of one.

    Only a single initial capital comes from the sentence: "LED", "T-shirt" and "Victorian" keep
    theirs, the last two if the writer reports them so.
    """
    if any(map(str.isupper, written[1:])):
        return written
    keeps = written[1:2] == "-" or written in _PROPER
    return written if keeps and reported[0].isupper() else written[0].lower() + written[1:]


def capitalise(word: str) -> str:
    """Return `word` with its first letter as a capital."""
    return word[0].upper() + word[1:]
