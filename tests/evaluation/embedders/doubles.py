"""Embedders that stand in for models, and inputs for them."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluation.embedders.embedder import ImageInput, Modality, TextInput


def texts(*contents: str) -> list[TextInput]:
    return [TextInput(f"scene-{number}", content) for number, content in enumerate(contents)]


def images(*contents: str) -> list[ImageInput]:
    """Pictures by content; no file lies at their paths."""
    return [
        ImageInput(
            f"scene-{number}",
            Path(f"pictures/scene-{number}.png"),
            hashlib.sha256(content.encode()).hexdigest(),
        )
        for number, content in enumerate(contents)
    ]


class Fake:
    """Hashes contents into vectors of length one, and counts what it is asked."""

    name = "fake"
    revision: str | None = None
    instruction: str | None = None
    modalities: frozenset[Modality] = frozenset({"text", "image"})
    unit_length = True

    def __init__(self, dimensions: int = 4, identity: str = "fake 1") -> None:
        self.identity = identity
        self.dimensions = dimensions
        self.asked: list[str] = []
        #: Raises where it is asked for this.
        self.fails_at: str | None = None

    def embed_texts(self, texts: Sequence[TextInput]) -> NDArray[np.float32]:
        return self._embed([text.text for text in texts])

    def embed_images(self, images: Sequence[ImageInput]) -> NDArray[np.float32]:
        return self._embed([image.sha256 for image in images])

    def _embed(self, contents: Sequence[str]) -> NDArray[np.float32]:
        if self.fails_at in contents:
            raise KeyboardInterrupt
        self.asked += contents
        return np.stack([self.vector(content) for content in contents])

    def vector(self, content: str) -> NDArray[np.float32]:
        seed = int.from_bytes(hashlib.sha256(content.encode()).digest()[:4])
        vector = np.random.default_rng(seed).standard_normal(self.dimensions)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


class Returns(Fake):
    """Returns given vectors, whatever it is asked."""

    def __init__(self, vectors: object, *, unit_length: bool = False) -> None:
        super().__init__()
        self.unit_length = unit_length
        self._vectors = np.array(vectors, dtype=np.float32)

    def _embed(self, contents: Sequence[str]) -> NDArray[np.float32]:
        return self._vectors
