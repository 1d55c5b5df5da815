"""Reads the pictures that an embedder is given.

Knows files; no model.
"""

import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from artifacts.errors import EmbeddingError
from evaluation.embedders.embedder import ImageInput

if TYPE_CHECKING:
    from PIL.Image import Image

Item = TypeVar("Item")


def batches(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """Yield `items` in order, `size` at a time."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def read_pictures(images: Sequence[ImageInput]) -> "list[Image]":
    """Return the pictures in RGB; raises EmbeddingError naming one that can't be read."""
    return [_read(image) for image in images]


def _read(image: ImageInput) -> "Image":
    from PIL import Image, UnidentifiedImageError

    # Pillow raises SyntaxError and ValueError, too, for files that are damaged in their middle.
    unreadable = (
        OSError,
        SyntaxError,
        ValueError,
        UnidentifiedImageError,
        Image.DecompressionBombError,
    )
    try:
        # Of a picture of many pixels Pillow warns, of one of twice as many it raises.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(image.path) as picture:
                return picture.convert("RGB")
    except unreadable as error:
        raise EmbeddingError(
            f"the picture of {image.key}, {image.path}, cannot be read: {error}; replace it"
        ) from error
