"""Rows of different lengths as two arrays: which gallery scenes belong to which query.

Knows positions only, not what they stand for.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of positions: row i is `items[starts[i]:starts[i + 1]]`, in ascending order."""

    #: Shape [rows + 1].
    starts: NDArray[np.int64]
    #: Shape [all items].
    items: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def row(self, index: int) -> NDArray[np.int64]:
        """Return the items of one row."""
        return self.items[self.starts[index] : self.starts[index + 1]]

    def row_of_items(self) -> NDArray[np.int64]:
        """Return the row of every item; shape [all items]."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))


def ragged(rows: NDArray[np.int64], items: NDArray[np.int64], row_count: int) -> Ragged:
    """Return the pairs (row, item), given in any order, as `row_count` rows."""
    order = np.lexsort((items, rows))
    starts = np.zeros(row_count + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=row_count), out=starts[1:])
    return Ragged(starts, items[order].astype(np.int64))


def select(pairs: Ragged, kept_rows: NDArray[np.bool_], kept_items: NDArray[np.bool_]) -> Ragged:
    """Return the rows and items that are kept, renumbered without gaps.

    `kept_rows` has shape [rows], `kept_items` one element per position that an item may have.
    """
    rows = pairs.row_of_items()
    kept = kept_rows[rows] & kept_items[pairs.items]
    new_rows, new_items = np.cumsum(kept_rows) - 1, np.cumsum(kept_items) - 1
    return ragged(new_rows[rows[kept]], new_items[pairs.items[kept]], int(kept_rows.sum()))
