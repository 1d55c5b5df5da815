"""What an embedder returns is refused where it cannot be scored, with what is wrong in it."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from artifacts.errors import EmbeddingError
from evaluation.embedders.baselines import BagOfWords, Constant
from evaluation.embedders.checks import Checked, require_sound_rows
from tests.evaluation.embedders.doubles import Fake, Returns, images, texts


def test_sound_vectors_come_back_as_they_are() -> None:
    fake = Fake()
    vectors = Checked(fake).embed_texts(texts("a", "b"))
    np.testing.assert_array_equal(np.asarray(vectors), fake.embed_texts(texts("a", "b")))


def test_nothing_asked_is_nothing_embedded() -> None:
    fake = Fake()
    assert Checked(fake).embed_texts([]).shape[0] == 0
    assert fake.asked == []


@pytest.mark.parametrize(
    ("vectors", "words"),
    [
        ([[1, 0]], r"shape \(1, 2\) for scene-0, scene-1, expected \(2, dimensions\)"),
        ([[1, 0], [0, 1], [1, 1]], r"shape \(3, 2\)"),
        ([1, 0], r"shape \(2,\)"),
        ([[], []], r"shape \(2, 0\)"),
        ([[1, 0], [0, np.nan]], r"scene-1 that aren't finite \(1 of 2\)"),
        ([[np.inf, 0], [0, 1]], "scene-0 that aren't finite"),
        ([[1, 0], [0, 0]], "scene-1 that aren't other than zero"),
        ([[1, 0], [1, 0]], "one and the same vector for scene-0, scene-1, which differ"),
    ],
)
def test_unsound_vectors_are_refused(vectors: list[object], words: str) -> None:
    with pytest.raises(EmbeddingError, match=words):
        Checked(Returns(vectors)).embed_texts(texts("a", "b"))


@pytest.mark.parametrize("length", [0.9985, 1.0015, 1e-30, 1e30])
def test_a_promise_of_unit_length_is_kept(length: float) -> None:
    with pytest.raises(EmbeddingError, match="scene-1 that aren't of length one"):
        Checked(Returns([[1, 0], [0, length]], unit_length=True)).embed_texts(texts("a", "b"))


@pytest.mark.parametrize("length", [0.9995, 1.0005])
def test_rounding_is_no_broken_promise(length: float) -> None:
    Checked(Returns([[1, 0], [0, length]], unit_length=True)).embed_texts(texts("a", "b"))


def test_lengths_that_nobody_promised_may_be_any() -> None:
    Checked(Returns([[1e-20, 0], [0, 1e20]])).embed_texts(texts("a", "b"))


def test_two_long_texts_may_have_one_vector_where_others_have_theirs() -> None:
    Checked(Returns([[1, 0], [1, 0], [0, 1]])).embed_texts(texts("a", "b", "c"))


def test_one_text_twice_has_one_vector() -> None:
    Checked(Returns([[1, 0], [1, 0]])).embed_texts(texts("a", "a"))


def test_two_pictures_never_have_one_vector() -> None:
    with pytest.raises(EmbeddingError, match=r"scene-0 \(.*\) and scene-2 \(.*\)"):
        Checked(Returns([[1, 0], [0, 1], [1, 0]])).embed_images(images("a", "b", "c"))


def test_one_picture_twice_has_one_vector() -> None:
    Checked(Returns([[1, 0], [0, 1], [1, 0]])).embed_images(images("a", "b", "a"))


def test_one_embedder_has_one_number_of_dimensions() -> None:
    fake = Fake(dimensions=4)
    checked = Checked(fake)
    checked.embed_texts(texts("a", "b"))
    fake.dimensions = 5
    with pytest.raises(EmbeddingError, match=r"5 dimensions for scene-0.*, of 4 before"):
        checked.embed_images(images("a", "b"))


def test_a_modality_that_an_embedder_lacks_is_said() -> None:
    with pytest.raises(EmbeddingError, match=r"bag-of-words embeds text, was given 1 of .* image"):
        Checked(BagOfWords()).embed_images(images("a"))


def test_baselines_may_repeat_themselves() -> None:
    assert Checked(Constant(), may_repeat=True).embed_texts(texts("a", "b")).shape == (2, 1)
    assert Checked(BagOfWords(), may_repeat=True).embed_texts(texts("a b", "b a")).shape[0] == 2


def test_a_text_of_unknown_words_is_a_sparse_row_of_zeros() -> None:
    vectors = csr_matrix(np.array([[1, 0], [0, 0]], dtype=np.float32))
    require_sound_rows("words", texts("a", "b"), vectors, unit_length=False)
    vectors = csr_matrix(np.array([[1, 0], [0, np.nan]], dtype=np.float32))
    with pytest.raises(EmbeddingError, match="finite"):
        require_sound_rows("words", texts("a", "b"), vectors, unit_length=False)


def test_many_inputs_at_fault_are_counted_and_three_named() -> None:
    contents = [f"text {number}" for number in range(5_000)]
    with pytest.raises(EmbeddingError, match=r"scene-0, scene-1, scene-2 and 4,997 more"):
        Checked(Returns(np.zeros((5_000, 2)))).embed_texts(texts(*contents))


class InTurn(Returns):
    """Returns one row after another, over all calls."""

    def _embed(self, contents: Sequence[str]) -> NDArray[np.float32]:
        found, self._vectors = np.split(self._vectors, [len(contents)])
        return found


def test_two_pictures_of_different_calls_never_have_one_vector() -> None:
    checked = Checked(InTurn([[1, 0], [0, 1], [1, 0], [0, 1]]))
    asked = images("a", "b", "a", "c")
    checked.embed_images(asked[:2])
    with pytest.raises(EmbeddingError, match=r"one vector for .* scene-1 \(.*\) and scene-3 \("):
        checked.embed_images(asked[2:])


def test_scenes_of_which_no_picture_is_known_may_share_a_vector_but_not_all() -> None:
    def stored(*vectors: list[int]) -> Checked:
        return Checked(Returns(vectors), sees_pictures=False)

    assert stored([1, 0], [0, 1], [1, 0]).embed_images(images("a", "b", "c")).shape == (3, 2)
    with pytest.raises(EmbeddingError, match=r"one and the same vector for scene-0, .* the file"):
        stored([1, 0], [1, 0], [1, 0]).embed_images(images("a", "b", "c"))
