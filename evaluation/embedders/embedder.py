"""What every embedder is: a name, the modalities it has, and vectors for inputs.

Knows nothing of SABER, of caching or of scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

Modality = Literal["text", "image"]

#: One row per input. Sparse where a dense row would be mostly zeros (the baselines).
Vectors: TypeAlias = NDArray[np.float32] | csr_matrix


@dataclass(frozen=True, slots=True)
class TextInput:
    """A text to embed."""

    #: What it is the text of: a scene_id, or a triplet's part. Stored vectors are found by it.
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class ImageInput:
    """A picture to embed."""

    #: The scene_id.
    key: str
    path: Path
    #: Of the file's bytes, in hexadecimal.
    sha256: str


class Embedder(Protocol):
    """A model, or what stands in for one."""

    @property
    def name(self) -> str:
        """As results show it."""

    @property
    def identity(self) -> str:
        """What its vectors depend on besides the input: weights and their revision, instruction.

        Two embedders with one identity return the same vectors.
        """

    @property
    def revision(self) -> str | None:
        """Which of its model's versions it loaded; None where there is no telling them apart."""

    @property
    def instruction(self) -> str | None:
        """What it puts before every text, whether it was set or is its own; None: nothing."""

    @property
    def modalities(self) -> frozenset[Modality]:
        """What it embeds, as the model itself says."""

    @property
    def unit_length(self) -> bool:
        """Whether it promises vectors of length one; then any other is an error."""

    def embed_texts(self, texts: Sequence[TextInput]) -> Vectors:
        """Return one row per text, in order."""

    def embed_images(self, images: Sequence[ImageInput]) -> Vectors:
        """Return one row per picture, in order."""


class Wrapped:
    """An embedder around another, which it is in all that it doesn't say itself."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        """The embedder's."""
        return self._embedder.name

    @property
    def identity(self) -> str:
        """The embedder's."""
        return self._embedder.identity

    @property
    def revision(self) -> str | None:
        """The embedder's."""
        return self._embedder.revision

    @property
    def instruction(self) -> str | None:
        """The embedder's."""
        return self._embedder.instruction

    @property
    def modalities(self) -> frozenset[Modality]:
        """The embedder's."""
        return self._embedder.modalities

    @property
    def unit_length(self) -> bool:
        """The embedder's."""
        return self._embedder.unit_length
