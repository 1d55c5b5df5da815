"""Rules that need the ledger: caps on words, and no example twice (section B.3)."""

from collections.abc import Iterator

from artifacts.ledger_view import LedgerView, WordRole
from artifacts.plans import Violation
from validators.evidence import Evidence


def word_cap(evidence: Evidence, view: LedgerView) -> Iterator[Violation]:
    """Every core word is still below its cap, in its role."""
    roles: tuple[WordRole, WordRole] = ("attribute", "object")
    for role, words in zip(roles, evidence.words, strict=True):
        for word in words:
            if view.is_capped(role, word):
                found = f"{view.count(role, word)} of {view.accepted} accepted, cap {view.cap}"
                yield Violation("word_cap", f"{role} {word!r}: {found}")


def duplicate(evidence: Evidence, view: LedgerView) -> Iterator[Violation]:
    """No accepted example has the same set of attribute-object pairs."""
    if view.holds(evidence.words):
        pairs = ", ".join(sorted(f"{word} {noun}" for word, noun in evidence.queried))
        yield Violation("duplicate", f"{pairs}: accepted before")
