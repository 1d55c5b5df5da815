"""Which examples mention a word of SABER: the three training sets of section C.1.

An example mentions one if a SABER attribute or object stands anywhere in its texts, bound or not,
as a word, as a part of a hyphenated one, or with a plural ending: "red", "cherry-red" and "two
kayaks" all do. That is strict on purpose, so that what is trained without overlap has seen nothing
of SABER. The negatives permute the positive, so query and positive hold every word there is.

Knows words and texts; not where either comes from.
"""

import re
from collections.abc import Iterable

from artifacts.words import words_of

_INNER = re.compile(r"[-'’‐‑]")


class SaberWords:
    """The attributes and objects of a benchmark, ready to be looked for in texts."""

    def __init__(self, phrases: Iterable[str]) -> None:
        self._by_first: dict[str, set[tuple[str, ...]]] = {}
        for phrase in phrases:
            parts = _parts(phrase)
            for ending in _forms(parts[-1]) if parts else ():
                form = (*parts[:-1], ending)
                self._by_first.setdefault(form[0], set()).add(form)

    def __bool__(self) -> bool:
        return bool(self._by_first)

    def mentioned_in(self, *texts: str) -> bool:
        """Say whether one of `texts` mentions one of the words."""
        return any(self._in_text(text) for text in texts)

    def _in_text(self, text: str) -> bool:
        parts = _parts(text)
        return any(
            tuple(parts[start : start + len(form)]) == form
            for start, part in enumerate(parts)
            for form in self._by_first.get(part, ())
        )


def _parts(text: str) -> list[str]:
    return [part for word in words_of(text.casefold()) for part in _INNER.split(word)]


def _forms(word: str) -> tuple[str, ...]:
    plurals = [f"{word}s", f"{word}es"]
    if word.endswith("y"):
        plurals.append(f"{word[:-1]}ies")
    if word.endswith(("f", "fe")):
        plurals.append(f"{word.rstrip('e')[:-1]}ves")
    return (word, *plurals)
