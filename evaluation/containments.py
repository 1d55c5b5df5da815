"""Which gallery scenes hold a part of a query's bindings, and which hold more (section 5.1).

Computed from the bindings themselves. Knows sets of bindings, not why they are as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from evaluation.ragged import Ragged, ragged


@dataclass(frozen=True, slots=True)
class Containments:
    """Per query, positions in the gallery."""

    #: Some of the query's bindings, at least one, and no other.
    subsets: Ragged
    #: All of the query's bindings and more.
    supersets: Ragged


def compare_bindings(
    scenes: NDArray[np.int64],
    attributes: Sequence[str],
    objects: Sequence[str],
    queries: NDArray[np.int64],
    gallery: NDArray[np.int64],
) -> Containments:
    """Compare every query with every gallery scene.

    The first three name a scene, an attribute and an object per binding. `queries`, shape [Q], and
    `gallery`, shape [G], are scenes.
    """
    held = _incidence(scenes, attributes, objects)
    sizes = np.diff(held.indptr)
    query_sizes, gallery_sizes = sizes[queries], sizes[gallery]
    # Sparse: most pairs share no binding.
    shared = (held[queries] @ held[gallery].T).tocoo()
    asked, found = shared.row.astype(np.int64), shared.col.astype(np.int64)
    within = (shared.data == gallery_sizes[found]) & (gallery_sizes[found] < query_sizes[asked])
    beyond = (shared.data == query_sizes[asked]) & (gallery_sizes[found] > query_sizes[asked])
    return Containments(
        subsets=ragged(asked[within], found[within], len(queries)),
        supersets=ragged(asked[beyond], found[beyond], len(queries)),
    )


def _incidence(
    scenes: NDArray[np.int64], attributes: Sequence[str], objects: Sequence[str]
) -> csr_matrix:
    """Return which scene holds which binding: ones, shape [scenes, distinct bindings]."""
    numbers: dict[tuple[str, str], int] = {}
    columns = [
        numbers.setdefault(bound, len(numbers)) for bound in zip(attributes, objects, strict=True)
    ]
    # Each once, however often a scene may name it.
    held = np.unique(np.stack([scenes, columns], axis=1), axis=0)
    ones = np.ones(len(held), dtype=np.int64)
    shape = (int(scenes.max(initial=-1)) + 1, len(numbers))
    return csr_matrix((ones, (held[:, 0], held[:, 1])), shape=shape)
