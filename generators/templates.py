"""A draft cut at its core words, so that each arrangement of them can be filled in.

All edits happen at character offsets: what is not a core word or an article before one stays as it
was written, quotes, punctuation and spacing included. Knows nothing of which arrangements exist.
"""

import re
from typing import NamedTuple

from artifacts.articles import indefinite
from artifacts.words import words_of
from generators.arrangements import Arrangement
from generators.core_words import (
    OBJECT,
    CoreWord,
    capitalise,
    is_capitalised_start,
    own_case,
)

#: An indefinite article that ends a stretch of text, up to the core word that follows.
_ARTICLE = re.compile(r"(?<![\w'’‐‑-])(an?)(\s+[\"“”‘’'«(\[*]*)$", re.IGNORECASE)
#: The longest tail that `_ARTICLE` is looked for in: article, a space, opening marks.
_TAIL = 8


class Filler(NamedTuple):
    """A core word that can stand in a hole."""

    plain: str
    capitalised: str
    takes_an: bool
    #: The word as pairs and query name it.
    name: str


class Hole(NamedTuple):
    """A place for a core word, with the text before it."""

    before: str
    #: The article as "a" and as "an", both empty where none stands before the hole.
    articles: tuple[str, str]
    #: What stands between article and core word.
    gap: str
    level: int
    slot: int
    starts_sentence: bool


class Template(NamedTuple):
    """The draft's text with holes, and the words that it had in them."""

    holes: tuple[Hole, ...]
    after: str
    #: Fillers per level and slot: level 0, level 1 if any, and the objects last.
    fillers: tuple[tuple[Filler, ...], ...]


def cut(text: str, words: list[CoreWord]) -> Template:
    """Cut `text` at its core words; object slots are numbered in text order."""
    objects = [word.pair for word in words if word.level == OBJECT]
    slot_of = {pair: slot for slot, pair in enumerate(objects)}
    levels = max(word.level for word in words) + 1
    fillers: list[list[Filler | None]] = [[None] * len(objects) for _ in range(levels + 1)]
    # A caption in title case or capitals: its capitals are style, not sentence starts.
    styled = all(word.written[0].isupper() for word in words)
    shouted = text.isupper()
    holes, cursor = [], 0
    for word in words:
        slot, starts = slot_of[word.pair], is_capitalised_start(text, word.start)
        before, articles, gap = _split_article(text[cursor : word.start], shouted)
        holes.append(Hole(before, articles, gap, word.level, slot, starts))
        lowered = starts and not styled
        plain = own_case(word.written, word.reported) if lowered else word.written
        name = word.reported if styled else plain
        fillers[word.level][slot] = _filler(plain, name, shouted)
        cursor = word.end
    complete = tuple(tuple(filler for filler in level if filler) for level in fillers)
    return Template(tuple(holes), text[cursor:], complete)


def _split_article(before: str, shouted: bool) -> tuple[str, tuple[str, str], str]:
    found = _ARTICLE.search(before, max(0, len(before) - _TAIL))
    if found is None:
        return before, ("", ""), ""
    article, gap = found.groups()
    articles = ("a", "an") if article[0] == "a" else ("A", "AN" if shouted else "An")
    return before[: found.start()], articles, gap


def _filler(plain: str, name: str, shouted: bool) -> Filler:
    spoken = words_of(plain)[0]
    takes_an = indefinite(spoken.lower() if shouted else spoken) == "an"
    return Filler(plain, capitalise(plain), takes_an, name)


def fill(template: Template, arrangement: Arrangement) -> str:
    """Return the text with its core words arranged, articles and sentence starts made to fit."""
    # `OBJECT` is -1: objects are the last level of both.
    sources = (*arrangement.attributes, arrangement.objects)
    pieces: list[str] = []
    for before, articles, gap, level, slot, starts_sentence in template.holes:
        filler = template.fillers[level][sources[level][slot]]
        pieces += (
            before,
            articles[filler.takes_an],
            gap,
            filler.capitalised if starts_sentence else filler.plain,
        )
    pieces.append(template.after)
    return "".join(pieces)
