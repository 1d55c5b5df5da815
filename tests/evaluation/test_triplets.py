"""Triplet accuracy: closer, further, tied."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from artifacts.errors import EmbeddingError
from evaluation.metrics.triplets import triplet_credit
from tests.evaluation.references import cosines


def test_closer_is_one_further_is_none_tied_is_half() -> None:
    query = np.array([[1, 0]] * 4, dtype=np.float32)
    near, far = [3, 1], [1, 2]
    positives = np.array([near, far, near, near], dtype=np.float32)
    negatives = np.array([far, near, near, [3, 1.000001]], dtype=np.float32)
    assert triplet_credit(query, positives, negatives).tolist() == [1, 0, 0.5, 0.5]


def test_sparse_vectors_count_alike_and_an_empty_one_is_far_from_all() -> None:
    query = csr_matrix([[1, 0, 0], [1, 0, 0], [0, 0, 0]])
    positive = csr_matrix([[2, 0, 0], [0, 0, 0], [1, 0, 0]])
    negative = csr_matrix([[1, 1, 0], [1, 1, 0], [0, 1, 0]])
    assert triplet_credit(query, positive, negative).tolist() == [1, 0, 0.5]


def test_as_compared_one_by_one() -> None:
    rng = np.random.default_rng(0)
    query, positive, negative = (rng.standard_normal((50, 8), dtype=np.float32) for _ in range(3))
    to_positive, to_negative = cosines(query, positive), cosines(query, negative)
    expected = [float(to_positive[row][row] > to_negative[row][row]) for row in range(50)]
    assert triplet_credit(query, positive, negative).tolist() == expected


def test_rows_that_do_not_match_are_refused() -> None:
    two, one = np.ones((2, 3), dtype=np.float32), np.ones((1, 3), dtype=np.float32)
    with pytest.raises(EmbeddingError, match="expected as many"):
        triplet_credit(two, one, two)
