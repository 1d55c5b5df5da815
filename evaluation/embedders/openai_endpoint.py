"""Any OpenAI-compatible embeddings endpoint.

The key comes from the environment and is stored nowhere. Knows what the API promises; no server.
"""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from artifacts.errors import EmbeddingError, SettingsError
from artifacts.model_settings import EvaluationSettings
from artifacts.weights import require_packages
from evaluation.embedders.embedder import ImageInput, Modality, TextInput
from evaluation.embedders.endpoint_requests import NO_KEY, Endpoint, Patience, ask_all
from evaluation.embedders.fingerprints import identity_of
from evaluation.embedders.input_pictures import batches

#: Where the key may be, the first that is set.
KEY_VARIABLES = ("SABER_EMBEDDING_KEY", "SABER_LLM_KEY")


@dataclass(frozen=True, slots=True)
class EndpointEmbedder:
    """A model behind a server."""

    name: str
    identity: str
    #: A server doesn't say which weights it serves: a revision is what the user knows of it.
    revision: str | None
    _endpoint: Endpoint = field(repr=False)
    _patience: Patience
    _instruction: str
    _batch_size: int

    @property
    def instruction(self) -> str | None:
        """What was set: a server isn't asked for another."""
        return self._instruction or None

    @property
    def modalities(self) -> frozenset[Modality]:
        """Texts: the API has no pictures."""
        return frozenset({"text"})

    @property
    def unit_length(self) -> bool:
        """The API doesn't promise it; some servers do."""
        return False

    def embed_texts(self, texts: Sequence[TextInput]) -> NDArray[np.float32]:
        """Return one row per text, in order; several requests are in flight at a time."""
        prompted = [f"{self._instruction}{text.text}" for text in texts]
        requests = list(batches(prompted, self._batch_size))
        replies = asyncio.run(ask_all(self._endpoint, requests, self._patience))
        dimensions = sorted({reply.shape[1] for reply in replies})
        if len(dimensions) != 1:
            raise EmbeddingError(
                f"{self.name} returned vectors of {dimensions} dimensions, expected one for all; "
                "see whether several servers answer at this address"
            )
        return np.concatenate(replies)

    def embed_images(self, images: Sequence[ImageInput]) -> NDArray[np.float32]:
        """Refuse."""
        raise EmbeddingError(f"{self.name} embeds text, found {len(images)} pictures; ask for t2t")


def open_endpoint(
    settings: EvaluationSettings, model: str, patience: Patience | None = None
) -> EndpointEmbedder:
    """Return the embedder for `model` at the settings' address; makes no request yet."""
    require_packages(f"the embedder {settings.embedder}", "llm", "openai")
    address = urlsplit(settings.base_url)
    if address.username or address.password:
        raise SettingsError(
            f"base_url holds a name or a password, which results would record; set "
            f"{KEY_VARIABLES[0]} in the environment instead"
        )
    key = next((os.environ[name] for name in KEY_VARIABLES if os.environ.get(name)), NO_KEY)
    base_url = settings.base_url.rstrip("/")
    return EndpointEmbedder(
        name=settings.embedder,
        identity=identity_of(
            kind="endpoint",
            model=model,
            base_url=base_url,
            revision=settings.revision,
            instruction=settings.instruction,
        ),
        revision=settings.revision,
        _endpoint=Endpoint(base_url, model, key),
        _patience=patience or Patience(),
        _instruction=settings.instruction or "",
        _batch_size=settings.batch_size,
    )
