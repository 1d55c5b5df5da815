"""Cosines in blocks, and vectors that have none."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from artifacts.errors import EmbeddingError
from evaluation import cosine
from evaluation.cosine import cosine_blocks
from evaluation.embedders.embedder import Vectors
from tests.evaluation.references import cosines

RNG = np.random.default_rng(1)
QUERIES = RNG.standard_normal((7, 5), dtype=np.float32)
GALLERY = RNG.standard_normal((11, 5), dtype=np.float32)


def all_cosines(queries: Vectors, gallery: Vectors) -> "np.typing.NDArray[np.float64]":
    return np.concatenate([scores for _, scores in cosine_blocks(queries, gallery)])


@pytest.mark.parametrize("block_scores", [1, 23, 10**6])
def test_every_block_size_gives_every_cosine(
    block_scores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cosine, "_BLOCK_SCORES", block_scores)
    starts = [start for start, _ in cosine_blocks(QUERIES, GALLERY)]
    assert starts == list(range(0, 7, max(1, block_scores // 11)))
    np.testing.assert_allclose(
        all_cosines(QUERIES, GALLERY), cosines(QUERIES, GALLERY), rtol=0, atol=1e-14
    )


def test_length_does_not_matter() -> None:
    lengths = 2.0 ** RNG.integers(-60, 60, (11, 1))
    scaled = (GALLERY * lengths).astype(np.float32)
    np.testing.assert_allclose(
        all_cosines(QUERIES, scaled), all_cosines(QUERIES, GALLERY), rtol=0, atol=1e-14
    )


def test_sparse_rows_are_the_same_rows() -> None:
    dense = np.where(RNG.random((11, 5)) < 0.5, GALLERY, 0).astype(np.float32)
    dense[:, 0] = 1
    np.testing.assert_allclose(
        all_cosines(csr_matrix(QUERIES), csr_matrix(dense)),
        all_cosines(QUERIES, dense),
        rtol=0,
        atol=1e-14,
    )


def test_a_sparse_row_without_entries_scores_zero_with_everything() -> None:
    empty = csr_matrix((2, 5), dtype=np.float32)
    assert not all_cosines(empty, csr_matrix(GALLERY)).any()
    assert not all_cosines(csr_matrix(QUERIES), empty).any()
    assert not all_cosines(empty, empty).any()


def test_given_vectors_are_left_as_they_are() -> None:
    dense, sparse = QUERIES.copy(), csr_matrix(QUERIES)
    all_cosines(dense, GALLERY)
    all_cosines(sparse, csr_matrix(GALLERY))
    assert (dense == QUERIES).all()
    assert (sparse.toarray() == QUERIES).all()


def with_value(value: float) -> "np.typing.NDArray[np.float32]":
    vectors = GALLERY.copy()
    vectors[4] = value
    return vectors


@pytest.mark.parametrize(
    ("gallery", "reason"),
    [
        (with_value(np.nan), "first in row 4"),
        (with_value(np.inf), "first in row 4"),
        (csr_matrix(with_value(np.nan)), "one kind"),
        (with_value(0), "found zero in row 4"),
        (GALLERY[:, :4], "found 5 and 4 numbers"),
        (GALLERY[0], "expected matrices"),
    ],
)
def test_what_has_no_cosine_is_refused(gallery: Vectors, reason: str) -> None:
    with pytest.raises(EmbeddingError, match=reason):
        all_cosines(QUERIES, gallery)


def test_sparse_numbers_are_finite_too() -> None:
    with pytest.raises(EmbeddingError, match="first in row 4"):
        all_cosines(csr_matrix(QUERIES), csr_matrix(with_value(np.inf)))
