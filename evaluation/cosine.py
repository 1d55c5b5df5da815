"""Cosine of every query with every gallery scene, in float64, a block of queries at a time.

Models return float32; computed in float64, two vectors that are equal up to order score equally to
1e-12 and better. Knows vectors, and nothing of what they stand for.
"""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse

from artifacts.errors import EmbeddingError
from evaluation.embedders.embedder import Vectors

#: Scores held at a time: 32 MB.
_BLOCK_SCORES = 2**22

#: Rows of length one: NDArray[np.float64], or csr_matrix, which has no types to tell it from.
UnitVectors: TypeAlias = Any


def unit_vectors(vectors: Vectors) -> UnitVectors:
    """Return the rows in float64 with length one; a sparse row without entries stays zero.

    Raises:
        EmbeddingError: a value is not finite, or a dense row is zero and has no direction.

    """
    return _sparse_units(vectors) if issparse(vectors) else _dense_units(vectors)


def cosine_blocks(queries: Vectors, gallery: Vectors) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield the position of a block's first query and the block's scores, shape [block, G].

    `queries` has shape [Q, D] and `gallery` [G, D]; every score is computed once.

    Raises:
        EmbeddingError: the two don't fit each other, or see `unit_vectors`.

    """
    asked, searched = _units_of([queries, gallery])
    size = max(1, _BLOCK_SCORES // max(1, searched.shape[0]))
    for start in range(0, asked.shape[0], size):
        yield start, _products(asked[start : start + size], searched)


def row_cosines(first: Vectors, second: Vectors) -> NDArray[np.float64]:
    """Return the cosine of each row of `first` with the same row of `second`; shape [rows].

    Raises:
        EmbeddingError: the two don't fit each other, or see `unit_vectors`.

    """
    if first.shape[0] != second.shape[0]:
        raise EmbeddingError(
            f"expected as many vectors as they are compared with, found {first.shape[0]} and "
            f"{second.shape[0]}"
        )
    one, other = _units_of([first, second])
    if issparse(one):
        return np.asarray(one.multiply(other).sum(axis=1), dtype=np.float64).reshape(-1)
    return np.asarray(np.einsum("ij,ij->i", one, other))


def _units_of(parts: list[Vectors]) -> list[UnitVectors]:
    _require_fit(parts)
    if issparse(parts[0]):
        parts = _without_empty_columns(parts)
    return [unit_vectors(part) for part in parts]


def _require_fit(parts: list[Vectors]) -> None:
    kinds = {"sparse" if issparse(part) else "dense" for part in parts}
    shapes = [part.shape for part in parts]
    if len(kinds) > 1 or any(len(shape) != 2 for shape in shapes):
        raise EmbeddingError(f"expected matrices of one kind, found {shapes}, {sorted(kinds)}")
    if shapes[0][1] != shapes[1][1]:
        raise EmbeddingError(
            f"expected vectors of one length to compare, found {shapes[0][1]} and {shapes[1][1]} "
            "numbers: the model has no common space for the two"
        )


def _without_empty_columns(parts: list[csr_matrix]) -> list[Vectors]:
    """Renumber the columns that are in use: hashed ones go up to 2^48."""
    used = np.unique(np.concatenate([part.indices for part in parts]))
    return [
        csr_matrix(
            (part.data, np.searchsorted(used, part.indices), part.indptr),
            shape=(part.shape[0], max(1, len(used))),
        )
        for part in parts
    ]


def _products(asked: UnitVectors, searched: UnitVectors) -> NDArray[np.float64]:
    if not issparse(asked):
        return np.asarray(asked @ searched.T)
    # The block is made dense, not the gallery.
    return np.ascontiguousarray((searched @ asked.T.toarray()).T)


def _dense_units(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    units = np.array(vectors, dtype=np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", units, units))
    _require_finite(lengths)
    if (lengths == 0).any():
        raise EmbeddingError(
            f"expected vectors with a direction, found zero in row {int(np.argmin(lengths))}; "
            "see to what the model was given"
        )
    units /= lengths[:, None]
    return units


def _sparse_units(vectors: csr_matrix) -> csr_matrix:
    units = csr_matrix(vectors, dtype=np.float64, copy=True)
    # In column order, so that equal rows are summed up alike.
    units.sum_duplicates()
    rows = np.repeat(np.arange(units.shape[0]), np.diff(units.indptr))
    lengths = np.sqrt(np.bincount(rows, weights=units.data**2, minlength=units.shape[0]))
    _require_finite(lengths)
    units.data /= lengths[rows]
    return units


def _require_finite(lengths: NDArray[np.float64]) -> None:
    bad = ~np.isfinite(lengths)
    if bad.any():
        raise EmbeddingError(
            f"expected finite numbers, found others in {int(bad.sum())} of {len(lengths)} vectors, "
            f"first in row {int(np.argmax(bad))}; try another precision"
        )
