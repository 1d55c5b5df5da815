"""A caption taken apart again: "A red cube, a blue kite and a golden cannon." into its phrases.

Read with the words of the vocabulary in hand, since a form may hold "and" itself ("a white and
orange striped cube") and names may be of several words. Doesn't know which bindings a caption
should hold.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from vocab.benchmark_words import Vocabulary

_AND_BEFORE_ARTICLE = re.compile(r" and (?=an? )")


class Phrase(NamedTuple):
    """One part of a caption: an article and what it announces."""

    article: str
    #: What follows the article.
    words: str
    #: Every (attribute form, object) that the words may stand for.
    readings: frozenset[tuple[str, str]]


class Captions(NamedTuple):
    """The phrases of a scene's two captions; empty where a caption isn't of the one shape."""

    text: tuple[Phrase, ...]
    generation: tuple[Phrase, ...]


class CaptionReader:
    """Takes captions apart, and remembers the phrases it has met: most recur."""

    def __init__(self, forms: Iterable[str], objects: Iterable[str]) -> None:
        self._forms = frozenset(forms)
        self._objects = frozenset(objects)
        self._met: dict[str, Phrase | None] = {}

    @classmethod
    def of_text(cls, vocabulary: Vocabulary) -> "CaptionReader":
        """Return a reader of text captions, which name the attributes."""
        return cls((attribute.name for attribute in vocabulary.attributes), vocabulary.objects)

    @classmethod
    def of_generation(cls, vocabulary: Vocabulary) -> "CaptionReader":
        """Return a reader of generation captions, which hold the attributes' forms."""
        forms = (form for attribute in vocabulary.attributes for form in attribute.forms)
        return cls(forms, vocabulary.objects)

    def read(self, caption: str) -> tuple[Phrase, ...]:
        """Return the phrases of `caption`, or nothing if it isn't such a caption."""
        if not (caption.startswith(("A ", "An ")) and caption.endswith(".")):
            return ()
        *listed, last_two = f"a{caption[1:-1]}".split(", ")
        first = [self._phrase(words) for words in listed]
        last = self._last_two(last_two)
        phrases = tuple(phrase for phrase in (*first, *last) if phrase is not None)
        return phrases if last and len(phrases) == len(first) + len(last) else ()

    def _last_two(self, words: str) -> tuple[Phrase, ...]:
        for joint in _AND_BEFORE_ARTICLE.finditer(words):
            left = self._phrase(words[: joint.start()])
            right = self._phrase(words[joint.end() :])
            if left is not None and right is not None:
                return left, right
        return ()

    def _phrase(self, text: str) -> Phrase | None:
        if text not in self._met:
            self._met[text] = self._read_phrase(text)
        return self._met[text]

    def _read_phrase(self, text: str) -> Phrase | None:
        article, _, words = text.partition(" ")
        spaces = (place for place, letter in enumerate(words) if letter == " ")
        splits = ((words[:space], words[space + 1 :]) for space in spaces)
        readings = frozenset(
            (form, name) for form, name in splits if form in self._forms and name in self._objects
        )
        return Phrase(article, words, readings) if article in ("a", "an") and readings else None
