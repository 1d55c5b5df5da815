"""Any sentence-transformers model, alone or with a trained adapter.

Vectors are computed in the precision that the weights are stored in, without autocast: bfloat16
moves a cosine by more than the margin within which scores count as tied. Knows no name of a model.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from artifacts.devices import device_of
from artifacts.model_settings import EvaluationSettings
from artifacts.model_source import ModelSource, load, locate
from artifacts.weights import is_packaged, require_packages
from evaluation.embedders.adapters import Adapter, put_on, require_files
from evaluation.embedders.devices import out_of_memory_told, use_threads
from evaluation.embedders.embedder import ImageInput, Modality, TextInput
from evaluation.embedders.fingerprints import adapter_checksum, identity_of
from evaluation.embedders.input_pictures import batches, read_pictures

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_MODALITIES: tuple[Modality, ...] = ("text", "image")
#: Lengths that bfloat16 rounds are off by less, 0.4 % where it was measured.
_ROUNDING = 1e-2


@dataclass(frozen=True, slots=True)
class SentenceTransformerEmbedder:
    """A loaded model."""

    name: str
    identity: str
    #: The commit on the Hub; a folder has none.
    revision: str | None
    modalities: frozenset[Modality]
    #: Whether the model's own last step is to normalise.
    unit_length: bool
    _model: Any
    _instruction: str | None
    _batch_size: int

    @property
    def instruction(self) -> str | None:
        """What was set, or else the model's own default."""
        if self._instruction is not None:
            return self._instruction or None
        default = self._model.default_prompt_name
        return None if default is None else str(self._model.prompts[default]) or None

    def embed_texts(self, texts: Sequence[TextInput]) -> NDArray[np.float32]:
        """Return one row per text, in order."""
        return self._encode([text.text for text in texts])

    def embed_images(self, images: Sequence[ImageInput]) -> NDArray[np.float32]:
        """Return one row per picture, in order."""
        return np.concatenate(
            [self._encode(read_pictures(batch)) for batch in batches(images, self._batch_size)]
        )

    def _encode(self, inputs: Sequence[Any]) -> NDArray[np.float32]:
        with out_of_memory_told(self.name, self._batch_size):
            vectors = self._model.encode(
                list(inputs),
                # None is the model's own default; for a picture it counts only where the model
                # reads both as parts of one message.
                prompt=self._instruction,
                batch_size=self._batch_size,
                show_progress_bar=False,
            )
        single = np.ascontiguousarray(vectors, dtype=np.float32)
        return _exact_lengths(single) if self.unit_length else single


def load_sentence_transformer(
    settings: EvaluationSettings, model: str
) -> SentenceTransformerEmbedder:
    """Load `model`, a packaged name, a folder or a name on the Hub."""
    _prepare(settings)
    source = locate(model, None if is_packaged(model) else settings.revision)
    loaded = _load(settings, source)
    return _embedder(settings, loaded, settings.instruction, source)


def load_adapted(settings: EvaluationSettings, adapter: Adapter) -> SentenceTransformerEmbedder:
    """Load the base of `adapter` and put the adapter on it; its instruction unless one is set."""
    require_files(adapter.folder)
    _prepare(settings)
    source = locate(adapter.base, adapter.revision)
    loaded = _load(settings, source)
    put_on(loaded.transformers_model, adapter.folder)
    return _embedder(
        settings,
        loaded,
        adapter.instruction if settings.instruction is None else settings.instruction,
        source,
        adapter=adapter_checksum(adapter.folder),
    )


def _prepare(settings: EvaluationSettings) -> None:
    require_packages(
        f"the embedder {settings.embedder}", "train", "torch", "sentence_transformers", "peft"
    )
    use_threads(settings.threads)


def _load(settings: EvaluationSettings, source: ModelSource) -> "SentenceTransformer":
    return load(source, device_of(settings.device)).eval()


def _embedder(
    settings: EvaluationSettings,
    loaded: "SentenceTransformer",
    instruction: str | None,
    source: ModelSource,
    *,
    adapter: str | None = None,
) -> SentenceTransformerEmbedder:
    from sentence_transformers.base.modules import Normalize

    return SentenceTransformerEmbedder(
        name=settings.embedder,
        identity=identity_of(
            kind="sentence-transformers",
            model=source.identity,
            adapter=adapter,
            instruction=instruction,
            precision=str(loaded.dtype),
        ),
        revision=source.commit,
        modalities=frozenset(one for one in _MODALITIES if loaded.supports(one)),
        unit_length=isinstance(list(loaded)[-1], Normalize),
        _model=loaded,
        _instruction=instruction,
        _batch_size=settings.batch_size,
    )


def _exact_lengths(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return vectors of length one where a model that normalises in bfloat16 came near it.

    Others are left as they are, for the checks to refuse.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    is_near = np.abs(lengths - 1) < _ROUNDING
    return np.divide(vectors, np.where(is_near, lengths, 1), dtype=np.float32)
