"""What the scorers see: for each pair, the features of its positive minus those of its negative.

A difference says nothing of the order in which the two captions were presented. What both captions
have in common cancels out, so a row holds a few numbers. Knows nothing of scorers.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from validators.audit.captions import Caption, CaptionPair, Numbering
from validators.audit.pairs import IntArray, fold
from validators.audit.surface import surface_counts

Counts = Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Differences:
    """One sparse row per pair: row `i` holds entries `starts[i]` to `starts[i + 1]`."""

    starts: IntArray
    columns: IntArray
    values: NDArray[np.float64]
    width: int

    def take(self, rows: IntArray) -> "Differences":
        """Return the given rows, in the given order."""
        sizes = self.starts[rows + 1] - self.starts[rows]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        entries = np.arange(starts[-1]) + np.repeat(self.starts[rows] - starts[:-1], sizes)
        return Differences(starts, self.columns[entries], self.values[entries], self.width)


def surface_differences(captions: Sequence[CaptionPair]) -> Differences:
    """Return differences of length, punctuation, case, digits and articles."""
    return _scaled(_differences(captions, surface_counts))


def bag_differences(captions: Sequence[CaptionPair]) -> Differences:
    """Return differences of word counts, case folded, `an` counted as `a`."""
    numbering = Numbering(fold)

    def bag(caption: Caption) -> Counts:
        return Counter(map(numbering.__getitem__, caption.words))

    return _differences(captions, bag)


def ngram_differences(captions: Sequence[CaptionPair]) -> Differences:
    """Return differences of the counts of words and of two words in a row, case folded."""
    numbering = Numbering(str.casefold)

    def ngrams(caption: Caption) -> Counts:
        words = [numbering[word] for word in caption.words]
        # Both kinds as one integer each, which is far smaller than a tuple or a string in millions.
        counts = Counter([(first + 1) << 32 | second for first, second in pairwise(words)])
        counts.update(words)
        return counts

    return _differences(captions, ngrams)


def shared_columns(found: Differences, groups: IntArray) -> Differences:
    """Leave out the columns that only one group has: never both learnt from and tested on."""
    rows = np.repeat(np.arange(len(groups)), np.diff(found.starts))
    seen = np.unique(found.columns * (groups.max() + 1) + groups[rows])
    kept = np.bincount(seen // (groups.max() + 1), minlength=found.width)[found.columns] > 1
    sizes = np.bincount(rows[kept], minlength=len(groups))
    kinds, columns = np.unique(found.columns[kept], return_inverse=True)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return Differences(starts, columns, found.values[kept], len(kinds))


def _differences(
    captions: Sequence[CaptionPair], count: Callable[[Caption], Counts]
) -> Differences:
    sizes, keys, values = array("q", [0]), array("q"), array("q")
    positive_counts: Counts = {}
    previous = None
    for positive, negative in captions:
        # Pairs of one example follow each other and share the positive.
        if positive is not previous:
            positive_counts, previous = count(positive), positive
        net = _net(positive_counts, count(negative))
        sizes.append(len(net))
        keys.extend(net.keys())
        values.extend(net.values())
    kinds, columns = np.unique(np.array(keys, np.int64), return_inverse=True)
    starts = np.cumsum(np.array(sizes, np.int64))
    return Differences(starts, columns, np.array(values, np.float64), len(kinds))


def _net(positive: Counts, negative: Counts) -> dict[int, int]:
    net = dict(positive)
    for key, count in negative.items():
        net[key] = net.get(key, 0) - count
    return {key: count for key, count in net.items() if count}


def _scaled(found: Differences) -> Differences:
    """Divide each column by its root mean square, so that no unit outweighs another."""
    rows = max(len(found.starts) - 1, 1)
    squares = np.bincount(found.columns, found.values**2, found.width)
    scale = np.sqrt(squares / rows)
    return replace(found, values=found.values / scale[found.columns])
