"""What every embedder's output must be before it is scored, whatever the embedder.

A fault found here would otherwise be a figure: a constant vector scores as chance, a NaN as wrong.
Knows vectors and inputs; no embedder.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from artifacts.errors import EmbeddingError
from evaluation.embedders.embedder import (
    Embedder,
    ImageInput,
    Modality,
    TextInput,
    Vectors,
    Wrapped,
)

Inputs: TypeAlias = Sequence[TextInput] | Sequence[ImageInput]
Input = TypeVar("Input", TextInput, ImageInput)

#: How far from one a length may be: bfloat16 rounds by less.
_LENGTH_TOLERANCE = 1e-3
#: Inputs named in a message.
_NAMED = 3


class Checked(Wrapped):
    """An embedder whose vectors are checked; a fault raises EmbeddingError.

    A model that has seen two different pictures has two vectors for them, whichever calls they came
    in. Of vectors that were stored for scenes, nobody knows the pictures: one may have
    been drawn once for all scenes with the same bindings, or the vectors computed from these. Then
    equal ones are what they should be, and where they are ties they favour no answer. What is never
    meant is one vector for all.
    """

    def __init__(
        self, embedder: Embedder, *, may_repeat: bool = False, sees_pictures: bool = True
    ) -> None:
        """`may_repeat`: equal vectors for different inputs are no fault; so it is for baselines.

        `sees_pictures`: the inputs' checksums are of pictures, not of names that stand for them.
        """
        super().__init__(embedder)
        self._may_repeat = may_repeat
        self._sees_pictures = sees_pictures
        self._dimensions: int | None = None
        #: The first picture of each vector, over all calls: queries and candidates come in two.
        self._first: dict[bytes, ImageInput] = {}

    def embed_texts(self, texts: Sequence[TextInput]) -> Vectors:
        """Return one row per text, in order."""
        vectors = self._embed("text", texts, self._embedder.embed_texts)
        if not self._may_repeat:
            contents = {text.text for text in texts}
            require_some_difference(self.name, texts, vectors, len(contents))
        return vectors

    def embed_images(self, images: Sequence[ImageInput]) -> Vectors:
        """Return one row per picture, in order."""
        vectors = self._embed("image", images, self._embedder.embed_images)
        if self._may_repeat:
            return vectors
        if self._sees_pictures:
            self._require_every_difference(images, vectors)
        else:
            contents = {image.sha256 for image in images}
            require_some_difference(self.name, images, vectors, len(contents))
        return vectors

    def _embed(
        self,
        modality: Modality,
        inputs: Sequence[Input],
        embed: Callable[[Sequence[Input]], Vectors],
    ) -> Vectors:
        if modality not in self.modalities:
            raise EmbeddingError(
                f"{self.name} embeds {' and '.join(sorted(self.modalities))}, was given "
                f"{len(inputs):,} of modality {modality}; ask for pairings that it can"
            )
        if not inputs:
            return np.zeros((0, self._dimensions or 0), dtype=np.float32)
        vectors = embed(inputs)
        require_sound_rows(self.name, inputs, vectors, unit_length=self.unit_length)
        self._require_same_dimensions(inputs, vectors)
        return vectors

    def _require_same_dimensions(self, inputs: Inputs, vectors: Vectors) -> None:
        found = vectors.shape[1]
        if self._dimensions not in (None, found):
            raise EmbeddingError(
                f"{self.name} returned vectors of {found} dimensions for {_named(inputs)}, of "
                f"{self._dimensions} before; one embedder has one: see to the model or the file"
            )
        self._dimensions = found

    def _require_every_difference(self, images: Sequence[ImageInput], vectors: Vectors) -> None:
        """Raise EmbeddingError where two different pictures have one vector."""
        for image, digest in zip(images, _digests(vectors), strict=True):
            first = self._first.setdefault(digest, image)
            if first.sha256 != image.sha256:
                raise EmbeddingError(
                    f"{self.name} has one vector for the pictures of {first.key} ({first.path}) "
                    f"and {image.key} ({image.path}), which are different files; see whether the "
                    "pictures were read at all, and whether both files show the same"
                )


def require_sound_rows(name: str, inputs: Inputs, vectors: Vectors, *, unit_length: bool) -> None:
    """Raise EmbeddingError unless there is one row per input, finite, and as long as promised.

    A dense row of zeros has no direction and is a fault. A sparse one, of a baseline, is a text
    without any word that the baseline knows.
    """
    if vectors.ndim != 2 or vectors.shape[0] != len(inputs) or vectors.shape[1] == 0:
        raise EmbeddingError(
            f"{name} returned an array of shape {vectors.shape} for {_named(inputs)}, expected "
            f"({len(inputs)}, dimensions): one vector per input, in order; see to the model"
        )
    if issparse(vectors):
        _require(name, inputs, np.array([np.isfinite(vectors.data).all()]), "finite")
        return
    dense = np.asarray(vectors)
    _require(name, inputs, np.isfinite(dense).all(axis=1), "finite")
    lengths = np.sqrt(np.einsum("ij,ij->i", dense, dense, dtype=np.float64))
    _require(name, inputs, lengths > 0, "other than zero")
    if unit_length:
        _require(name, inputs, np.abs(lengths - 1) <= _LENGTH_TOLERANCE, "of length one", lengths)


def require_some_difference(name: str, inputs: Inputs, vectors: Vectors, contents: int) -> None:
    """Raise EmbeddingError where inputs of several contents all have one vector.

    Two of them may: a model that truncates returns equal vectors for long texts that differ late.
    """
    if contents > 1 and len(set(_digests(vectors))) == 1:
        raise EmbeddingError(
            f"{name} has one and the same vector for {_named(inputs)}, which differ; expected "
            "vectors that tell them apart: see to the model, its adapter, the server or the file"
        )


def _require(
    name: str,
    inputs: Inputs,
    is_good: NDArray[np.bool_],
    expected: str,
    lengths: NDArray[np.float64] | None = None,
) -> None:
    """Raise EmbeddingError naming the inputs whose vectors aren't as expected."""
    if is_good.all():
        return
    bad = np.flatnonzero(~is_good)
    found = "" if lengths is None else f", found {lengths[bad[0]]:.4f}"
    at_fault = [inputs[int(row)] for row in bad] if len(is_good) == len(inputs) else inputs
    raise EmbeddingError(
        f"{name} returned vectors for {_named(at_fault)} that aren't {expected}{found} "
        f"({len(bad):,} of {len(inputs):,}); see to the model's precision, weights or server"
    )


def _named(inputs: Sequence[TextInput | ImageInput]) -> str:
    keys = ", ".join(one.key for one in inputs[:_NAMED])
    more = len(inputs) - _NAMED
    return f"{keys} and {more:,} more" if more > 0 else keys


def _digests(vectors: Vectors) -> list[bytes]:
    """Return a short digest of each row; equal rows alone have equal ones.

    Sparse vectors are the baselines', which may repeat: none comes here.
    """
    rows = np.asarray(vectors)
    return [hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in rows]
