"""Surface features of a text: length, punctuation, case, digits, articles. No word but a and an.

Knows one text at a time. A feature is a number, so that millions of counts stay small.
"""

import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence

from validators.audit.captions import Caption

_PUNCTUATION = re.compile(r"[^\w\s]|_")
_SPACE = re.compile(r"\s")
_DOUBLE_SPACE = re.compile(r"\s\s")
_FINAL_MARKS = ".!?"

#: A punctuation mark is numbered by its code point, everything else from beyond the last of them.
_FIRST_NUMBER = sys.maxunicode + 1


def surface_counts(caption: Caption) -> Mapping[int, int]:
    """Return the surface features of `caption`, those that are zero perhaps left out."""
    text, words = caption.text, caption.words
    counts = dict(Counter(map(ord, _PUNCTUATION.findall(text))))
    measures = (
        *_lengths(text, words),
        *_cases(text, words),
        *_articles(words),
        *_ends(text),
    )
    counts.update(enumerate(measures, _FIRST_NUMBER))
    return counts


def _lengths(text: str, words: Sequence[str]) -> tuple[int, ...]:
    return (
        len(text),
        len(words),
        len(_SPACE.findall(text)),
        len(_DOUBLE_SPACE.findall(text)),
        sum(map(str.isdigit, text)),
        # Beyond ASCII: curly quotes, dashes and accents take more bytes than characters.
        len(text.encode(errors="replace")) - len(text),
    )


def _cases(text: str, words: Sequence[str]) -> tuple[int, ...]:
    return (
        sum(map(str.isupper, text)),
        sum(word[0].isupper() for word in words),
        sum(len(word) > 1 and word.isupper() for word in words),
        text[:1].isupper(),
    )


def _articles(words: Sequence[str]) -> tuple[int, ...]:
    folded = [word.lower() for word in words if len(word) <= len("an")]
    return folded.count("a"), folded.count("an")


def _ends(text: str) -> tuple[int, ...]:
    last = text.rstrip()[-1:]
    return (
        *(last == mark for mark in _FINAL_MARKS),
        last.isalnum(),
        text != text.strip(),
    )
