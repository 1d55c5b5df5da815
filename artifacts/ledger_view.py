"""What a planner and a rule may read of a construction's ledger: counts, caps and recent words.

The ledger itself lives with the rules; this is the part that plans are made from (section B.3).
Words are case folded here, so that a caller may ask for a word however it is written.
"""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Literal, NamedTuple, Protocol

from artifacts.plans import Pair

#: Caps are kept apart for the two roles that a core word can have.
WordRole = Literal["attribute", "object"]

#: How many of the most recently used words a prompt asks to avoid.
RECENT_WORDS = 100
#: How many of the most frequent ones.
FREQUENT_WORDS = 40

#: A planner asks after the same words again and again.
_KEPT_WORDS = 10_000


class AcceptedWords(NamedTuple):
    """The core words of one accepted example, case folded.

    Both in pair order: with two attributes a pair, the first two belong to the first object.
    """

    attributes: tuple[str, ...]
    objects: tuple[str, ...]


class LedgerView(Protocol):
    """One construction's running state as of some accepted example."""

    @property
    def accepted(self) -> int:
        """How many examples have been accepted so far."""
        ...

    @property
    def cap(self) -> int:
        """How often a word may have occurred and still not be used again."""
        ...

    def count(self, role: WordRole, word: str) -> int:
        """Return how many accepted examples use `word` in `role`."""
        ...

    def is_capped(self, role: WordRole, word: str) -> bool:
        """Whether `word` may not be used in `role` now."""
        ...

    def capped(self, role: WordRole) -> tuple[str, ...]:
        """Return every word that may not be used in `role` now, in alphabetical order."""
        ...

    def recent(self) -> tuple[str, ...]:
        """Return the most recently used distinct words, the latest first."""
        ...

    def frequent(self) -> tuple[str, ...]:
        """Return the most frequent words, the most frequent first."""
        ...

    def holds(self, words: AcceptedWords) -> bool:
        """Whether an accepted example has exactly these attributes and objects."""
        ...


@lru_cache(_KEPT_WORDS)
def fold_word(word: str) -> str:
    """Return the form under which `word` is counted: case folded, single spaces."""
    return " ".join(word.casefold().split())


def accepted_words(pairs: Sequence[Pair]) -> AcceptedWords:
    """Return the words that an example with these pairs adds to the ledger."""
    return AcceptedWords(
        tuple(fold_word(attribute) for pair in pairs for attribute in pair.attributes),
        tuple(fold_word(pair.object) for pair in pairs),
    )


def digest_words(words: AcceptedWords) -> int:
    """Hash the complete set of attributes and objects (section B.3), whatever their pairing."""
    core = "\x1e".join("\x1f".join(sorted(role)) for role in words)
    # Not `hash`: that one differs between processes, and a resumed build must agree.
    return int.from_bytes(blake2b(core.encode(), digest_size=8).digest(), "big")
