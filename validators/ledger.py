"""The running state of one construction: word counts, caps and what has been accepted (B.3).

A word is admitted while its count is below max(10, floor(f * n)), n examples accepted so far; f is
0.75 % for each attribute of an example. Memory is flat but for the set of duplicates, which keeps
eight bytes of a hash for each example. Knows nothing of files, shards or attempts.
"""

import heapq
from collections import Counter
from collections.abc import Iterable

from artifacts.ledger_view import (
    FREQUENT_WORDS,
    RECENT_WORDS,
    AcceptedWords,
    WordRole,
    accepted_words,
    digest_words,
    fold_word,
)
from artifacts.plans import Assembled

#: Occurrences that every word may have, however few examples there are.
LEAST_CAP = 10
#: Share of the accepted examples per attribute of an example, in ten-thousandths: 0.75 %.
SHARE_PER_ATTRIBUTE = 75


def cap_of(accepted: int, attributes_per_example: int) -> int:
    """Return max(10, floor(f * n)) in whole numbers: 0.015 * 1000 need not be 15 in floats."""
    return max(LEAST_CAP, SHARE_PER_ATTRIBUTE * attributes_per_example * accepted // 10_000)


class Ledger:
    """Counts what one construction has accepted; a live `LedgerView`."""

    def __init__(self, attributes_per_example: int) -> None:
        """Start empty. `attributes_per_example` is two, three or four in section B.3."""
        self._attributes_per_example = attributes_per_example
        self._accepted = 0
        self._cap = LEAST_CAP
        self._counts: dict[WordRole, dict[str, int]] = {"attribute": {}, "object": {}}
        #: Words by last use, the latest last; a dictionary keeps the order of insertion.
        self._recent: dict[str, None] = {}
        self._digests: set[int] = set()

    @classmethod
    def replay(cls, attributes_per_example: int, history: Iterable[AcceptedWords]) -> "Ledger":
        """Return the ledger that has accepted `history`, in this order."""
        ledger = cls(attributes_per_example)
        for words in history:
            ledger.record(words)
        return ledger

    def accept(self, example: Assembled) -> AcceptedWords:
        """Count an accepted example and return its words, which `replay` takes back."""
        words = accepted_words(example.pairs)
        self.record(words)
        return words

    def record(self, words: AcceptedWords) -> None:
        """Count the words of an accepted example."""
        self._accepted += 1
        self._cap = cap_of(self._accepted, self._attributes_per_example)
        roles: tuple[WordRole, WordRole] = ("attribute", "object")
        for role, used in zip(roles, words, strict=True):
            counts = self._counts[role]
            for word in used:
                counts[word] = counts.get(word, 0) + 1
                self._recent.pop(word, None)
                self._recent[word] = None
        while len(self._recent) > RECENT_WORDS:
            del self._recent[next(iter(self._recent))]
        self._digests.add(digest_words(words))

    @property
    def accepted(self) -> int:
        """How many examples have been accepted so far."""
        return self._accepted

    @property
    def cap(self) -> int:
        """How often a word may have occurred and still not be used again."""
        return self._cap

    def count(self, role: WordRole, word: str) -> int:
        """Return how many accepted examples use `word` in `role`."""
        return self._counts[role].get(fold_word(word), 0)

    def is_capped(self, role: WordRole, word: str) -> bool:
        """Whether `word` may not be used in `role` now."""
        return self._counts[role].get(fold_word(word), 0) >= self._cap

    def capped(self, role: WordRole) -> tuple[str, ...]:
        """Return every word that may not be used in `role` now, in alphabetical order."""
        return tuple(sorted(word for word, n in self._counts[role].items() if n >= self._cap))

    def recent(self) -> tuple[str, ...]:
        """Return the most recently used distinct words, the latest first."""
        return tuple(reversed(self._recent))

    def frequent(self) -> tuple[str, ...]:
        """Return the most frequent words over both roles; ties in alphabetical order."""
        totals = Counter(self._counts["attribute"])
        totals.update(self._counts["object"])
        ranked = heapq.nsmallest(FREQUENT_WORDS, ((-n, word) for word, n in totals.items()))
        return tuple(word for _, word in ranked)

    def holds(self, words: AcceptedWords) -> bool:
        """Whether an accepted example has exactly these attributes and objects."""
        return digest_words(words) in self._digests
