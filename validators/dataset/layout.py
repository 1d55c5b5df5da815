"""A text taken apart: its words, and where its core words and their articles stand.

Written anew for the check of finished rows, apart from the code that made or first judged them;
shared is only the definition of a word. Knows nothing of what a text ought to say.
"""

import re
from collections.abc import Iterable
from operator import attrgetter
from typing import NamedTuple

from artifacts.words import WORD

_ARTICLES = frozenset({"a", "an"})
#: All that may stand between an article and its word: space and opening marks.
_ARTICLE_GAP = re.compile(r"\s[\s\"“”‘’'«»(\[*]*")
#: Space, quotes and brackets: what may stand between a sentence's first word and the one before.
_OPENINGS = " \t\"“”‘’'«»()[]*"
_SENTENCE_ENDS = (".", "!", "?", "…", ":", ";", "–", "—")


class Place(NamedTuple):
    """A core word where it stands: `text[start:stop]`, words `first` to `last`, last excluded."""

    #: Case folded.
    word: str
    is_object: bool
    first: int
    last: int
    start: int
    stop: int


class CoreWord(NamedTuple):
    """A word to look for: case folded, and its own words, more than one for some objects."""

    word: str
    is_object: bool
    words: list[str]


class Layout(NamedTuple):
    """A text with its words and its core words, each in text order."""

    #: The column that the text stands in.
    name: str
    text: str
    #: Where each word begins and ends.
    spans: list[tuple[int, int]]
    #: The words, case folded.
    words: list[str]
    places: list[Place]
    #: The core words that don't stand there exactly once.
    miscounts: list[str]

    @property
    def attributes(self) -> list[str]:
        """The attributes in text order."""
        return [place.word for place in self.places if not place.is_object]

    @property
    def objects(self) -> list[str]:
        """The objects in text order."""
        return [place.word for place in self.places if place.is_object]

    def written(self, place: Place) -> str:
        """Return a core word with the case that it has in this text."""
        return self.text[place.start : place.stop]


def lay_out(name: str, text: str, core_words: Iterable[CoreWord]) -> Layout:
    """Locate core words in a text."""
    # Spans, not `find_words`: making a tuple of each word would double the time of the check.
    spans = [match.span() for match in WORD.finditer(text)]
    words = [text[start:stop].casefold() for start, stop in spans]
    places, miscounts = [], []
    for word, is_object, phrase in core_words:
        starts = _starts(words, phrase)
        if len(starts) != 1:
            miscounts.append(f"{word!r} occurs {len(starts)} times in {name}")
            continue
        first, last = starts[0], starts[0] + len(phrase)
        places.append(Place(word, is_object, first, last, spans[first][0], spans[last - 1][1]))
    places.sort(key=attrgetter("start"))
    return Layout(name, text, spans, words, places, miscounts)


def _starts(words: list[str], phrase: list[str]) -> list[int]:
    if len(phrase) == 1 and words.count(phrase[0]) == 1:
        return [words.index(phrase[0])]
    length = len(phrase)
    return [
        start
        for start in range(len(words) - length + 1)
        if length and words[start : start + length] == phrase
    ]


def article_of(layout: Layout, place: Place) -> tuple[int, int] | None:
    """Return where the indefinite article right before a core word stands, if there is one."""
    if place.first == 0 or layout.words[place.first - 1] not in _ARTICLES:
        return None
    start, stop = layout.spans[place.first - 1]
    return (start, stop) if _ARTICLE_GAP.fullmatch(layout.text, stop, place.start) else None


def frame(layout: Layout) -> list[str]:
    """Return what stands around the core words; of an article before one, the "a" or "A"."""
    pieces, cursor = [], 0
    for place in layout.places:
        article = article_of(layout, place)
        if article is not None:
            pieces.append(layout.text[cursor : article[0] + 1])
            cursor = article[1]
        pieces.append(layout.text[cursor : place.start])
        pieces.append("object" if place.is_object else "attribute")
        cursor = place.stop
    return [*pieces, layout.text[cursor:]]


def starts_sentence(layout: Layout, place: Place) -> bool:
    """Whether a core word begins a sentence, a quotation or a listed item."""
    before = layout.text[: place.start].rstrip()
    return before.rstrip(_OPENINGS) != before or before.endswith(_SENTENCE_ENDS) or not before
