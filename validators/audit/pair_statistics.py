"""Statistics of any pairs: permutations, duplicates, pairs that are no pair.

Knows two texts a row; nothing of objects and attributes.
"""

from collections.abc import Hashable, Iterable, Sequence

from validators.audit.captions import Caption, CaptionPair, Numbering
from validators.audit.pairs import fold
from validators.audit.reports import Statistic


def pair_statistics(captions: Sequence[CaptionPair], construction: str | None) -> list[Statistic]:
    """Return the statistics of the given pairs."""

    def statistic(name: str, found: int) -> Statistic:
        return Statistic(name, construction, found, "count", len(captions))

    def share(name: str, found: int) -> Statistic:
        return Statistic(name, construction, 100 * found / len(captions), "percent", len(captions))

    texts = [(positive.text, negative.text) for positive, negative in captions]
    return [
        share("permutation_share", _permutations(captions, Numbering(fold))),
        share("exact_permutation_share", _permutations(captions, Numbering(str.casefold))),
        statistic("identical_texts", sum(positive == negative for positive, negative in texts)),
        statistic("duplicate_pairs", repeats(texts)),
    ]


def duplicate_positives(texts: Sequence[str], construction: str | None) -> Statistic:
    """Return how many positives, one a row, are exactly an earlier one."""
    return Statistic("duplicate_positives", construction, repeats(texts), "count", len(texts))


def repeats(items: Iterable[Hashable]) -> int:
    """Return how many items equal an earlier one."""
    seen: set[Hashable] = set()
    total = 0
    for item in items:
        seen.add(item)
        total += 1
    return total - len(seen)


def _permutations(captions: Sequence[CaptionPair], numbering: Numbering) -> int:
    """Count the negatives that have the positive's words, as `numbering` tells words apart."""

    def key(caption: Caption) -> list[int]:
        return sorted(map(numbering.__getitem__, caption.words))

    return sum(key(positive) == key(negative) for positive, negative in captions)
