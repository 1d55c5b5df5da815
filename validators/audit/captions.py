"""The captions of a pair table taken apart into words, once for all that read them.

Knows words as written; how a reader folds them is its own affair, for which there is `Numbering`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from artifacts.words import words_of
from validators.audit.pairs import PairTable


@dataclass(frozen=True, slots=True)
class Caption:
    """A text and its words, as written."""

    text: str
    words: Sequence[str]


#: A positive and a negative.
CaptionPair = tuple[Caption, Caption]


class Numbering(dict[str, int]):
    """A number for each word that is looked up, the same for words that fold to the same."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        """Start empty."""
        self._fold = fold
        self._folded: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        """Number a spelling not seen before."""
        self[word] = self._folded.setdefault(self._fold(word), len(self._folded))
        return self[word]


def read_captions(pairs: PairTable) -> list[CaptionPair]:
    """Return both captions of every pair; equal positives in a row are one object."""
    known: dict[str, str] = {}
    captions: list[CaptionPair] = []
    positive = Caption("", ())
    for positive_text, negative_text in zip(pairs.positives, pairs.negatives, strict=True):
        if positive_text != positive.text:
            positive = _read(positive_text, known)
        captions.append((positive, _read(negative_text, known)))
    return captions


def _read(text: str, known: dict[str, str]) -> Caption:
    # One string per spelling: as slices of their texts the words would outweigh these.
    return Caption(text, tuple(known.setdefault(word, word) for word in words_of(text)))
