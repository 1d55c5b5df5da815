"""What a prompt tells a model about words: suggestions, words to avoid, words that are banned.

Knows the ledger's view and the pool (section B.3); nothing of prompts or models.
"""

import random
from dataclasses import dataclass

from artifacts.ledger_view import LedgerView
from vocab.dataset_words import WordBank

#: Suggestions per family.
_SUGGESTED = 3


@dataclass(frozen=True, slots=True)
class Hints:
    """The word lists of one prompt."""

    #: Family → its least-used adjectives that the cap still admits.
    suggestions: dict[str, tuple[str, ...]]
    #: The 100 most recently used words and the 40 most frequent ones, each once.
    avoid: tuple[str, ...]
    #: Words that have reached the cap.
    ban: tuple[str, ...]


def hints(view: LedgerView, bank: WordBank, rng: random.Random) -> Hints:
    """Return the word lists for a plan made against `view`; ties are broken by `rng`."""
    return Hints(
        suggestions={
            family: _least_used(view, words, rng) for family, words in bank.families.items()
        },
        avoid=tuple(dict.fromkeys((*view.recent(), *view.frequent()))),
        ban=(*view.capped("attribute"), *view.capped("object")),
    )


def _least_used(view: LedgerView, words: tuple[str, ...], rng: random.Random) -> tuple[str, ...]:
    free = [word for word in words if not view.is_capped("attribute", word)]
    rng.shuffle(free)
    return tuple(sorted(free, key=lambda word: view.count("attribute", word))[:_SUGGESTED])
