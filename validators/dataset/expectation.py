"""What a dataset was asked to hold: the yardstick for its counts, splits and families.

Doesn't know what the dataset holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DatasetExpectation:
    """The settings and words that a dataset was built with, as far as its rules go by them."""

    #: Examples of each construction.
    quotas: Mapping[str, int]
    #: Whether each positive was drawn from the arrangements of its draft.
    counterbalance: bool
    #: Constructions that are never trained on.
    held_out: frozenset[str]
    #: Family of an attribute, by its case-folded form; not every attribute has one.
    families: Mapping[str, str]
    #: Attempts whose rows and drafts are gone for good; their words still count under the caps.
    lost: Mapping[str, tuple[range, ...]] = field(default_factory=dict)
    #: Attempts whose rows are there and whose drafts are gone for good.
    undrafted: Mapping[str, tuple[range, ...]] = field(default_factory=dict)

    def is_lost(self, construction: str, attempt: int) -> bool:
        """Whether nothing but the words of an attempt is left."""
        return any(attempt in attempts for attempts in self.lost.get(construction, ()))

    def is_undrafted(self, construction: str, attempt: int) -> bool:
        """Whether only the draft of an attempt is gone."""
        return any(attempt in attempts for attempts in self.undrafted.get(construction, ()))
