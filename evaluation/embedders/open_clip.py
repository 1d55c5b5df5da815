"""Any open_clip model: texts and pictures in one space.

Knows open_clip's own names of architectures and weights only through its lists.
"""

import difflib
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from artifacts.devices import device_of
from artifacts.errors import ModelMissingError, SettingsError
from artifacts.model_settings import EvaluationSettings
from artifacts.weights import require_packages
from evaluation.embedders.devices import out_of_memory_told, use_threads
from evaluation.embedders.embedder import ImageInput, Modality, TextInput
from evaluation.embedders.fingerprints import identity_of, weights_checksum
from evaluation.embedders.input_pictures import batches, read_pictures

#: The method of a model for each modality, which is how it says what it embeds.
_METHODS: dict[Modality, str] = {"text": "encode_text", "image": "encode_image"}


@dataclass(frozen=True, slots=True)
class OpenClipEmbedder:
    """A loaded model, its tokenizer and its preprocessing."""

    name: str
    identity: str
    modalities: frozenset[Modality]
    _model: Any
    _tokenizer: Any
    _preprocess: Any
    _instruction: str
    _device: str
    _batch_size: int

    @property
    def revision(self) -> str | None:
        """The name of its weights says which they are."""
        return None

    @property
    def instruction(self) -> str | None:
        """What was set: it has none of its own."""
        return self._instruction or None

    @property
    def unit_length(self) -> bool:
        """The model is asked to normalise."""
        return True

    def embed_texts(self, texts: Sequence[TextInput]) -> NDArray[np.float32]:
        """Return one row per text, in order."""
        return self._encode(
            texts,
            lambda batch: self._tokenizer([f"{self._instruction}{text.text}" for text in batch]),
            self._model.encode_text,
        )

    def embed_images(self, images: Sequence[ImageInput]) -> NDArray[np.float32]:
        """Return one row per picture, in order."""
        import torch

        return self._encode(
            images,
            lambda batch: torch.stack([self._preprocess(one) for one in read_pictures(batch)]),
            self._model.encode_image,
        )

    def _encode(
        self, inputs: Sequence[Any], prepare: Callable[[Any], Any], encode: Callable[..., Any]
    ) -> NDArray[np.float32]:
        import torch

        rows = []
        with out_of_memory_told(self.name, self._batch_size), torch.inference_mode():
            for batch in batches(inputs, self._batch_size):
                vectors = encode(prepare(batch).to(self._device), normalize=True)
                rows.append(vectors.float().cpu().numpy())
        return np.concatenate(rows)


def load_open_clip(settings: EvaluationSettings, model: str) -> OpenClipEmbedder:
    """Load `model`, `ARCHITECTURE/WEIGHTS`: weights are a tag that open_clip knows, or a file."""
    require_packages(
        f"the embedder {settings.embedder}", "clip", "torch", "torchvision", "open_clip"
    )
    architecture, _, weights = model.partition("/")
    device = device_of(settings.device)
    use_threads(settings.threads)
    with _missing_told(model):
        import open_clip
    _require_known(architecture, weights)
    with _missing_told(model):
        loaded, _, preprocess = open_clip.create_model_and_transforms(
            architecture,
            pretrained=weights,
            device=device,
            # OpenAI's weights were trained with another activation than their architecture's
            # default has; open_clip only warns.
            force_quick_gelu=_has_quick_gelu(architecture, weights),
            weights_only=True,
        )
    return OpenClipEmbedder(
        name=settings.embedder,
        identity=identity_of(
            kind="open_clip",
            architecture=architecture,
            weights=weights_checksum(loaded),
            quick_gelu=_has_quick_gelu(architecture, weights),
            instruction=settings.instruction,
        ),
        modalities=frozenset(one for one, method in _METHODS.items() if hasattr(loaded, method)),
        _model=loaded.eval(),
        _tokenizer=open_clip.get_tokenizer(architecture),
        _preprocess=preprocess,
        _instruction=settings.instruction or "",
        _device=device,
        _batch_size=settings.batch_size,
    )


def _require_known(architecture: str, weights: str) -> None:
    import open_clip

    architectures = open_clip.list_models()
    if architecture not in architectures:
        raise SettingsError(_unknown("architecture of open_clip", architecture, architectures))
    tags = open_clip.list_pretrained_tags_by_model(architecture)
    is_tag = bool(open_clip.get_pretrained_cfg(architecture, weights))
    if not is_tag and not Path(weights).is_file():
        raise SettingsError(_unknown(f"open_clip tag for {architecture}, or file,", weights, tags))


def _unknown(what: str, found: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(found, known, n=8, cutoff=0.0)
    return f"expected an {what} in open-clip:…, found {found!r}; near: {', '.join(near)}"


def _has_quick_gelu(architecture: str, weights: str) -> bool:
    import open_clip

    config = open_clip.get_pretrained_cfg(architecture, weights) or {}
    return bool(config.get("quick_gelu"))


@contextmanager
def _missing_told(model: str) -> Iterator[None]:
    """Convert what weights that aren't there, or aren't the architecture's, raise."""
    # No connection, no such file; a package that it needs.
    absent = (OSError, ImportError)
    # What is no checkpoint, or another architecture's.
    wrong = (RuntimeError, ValueError, KeyError, TypeError, AttributeError)
    try:
        yield
    except (*absent, *wrong, EOFError, pickle.UnpicklingError) as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise ModelMissingError(
            f"the open_clip model {model} cannot be loaded: {reason}; "
            "give a connection, or weights that are there as a file"
        ) from error
