"""What an embeddings endpoint answers, read and checked.

Two kinds of wrong: a body that is no answer may be another's at the next try (`Malformed`); one
that answers something else than was asked will answer so again (EmbeddingError). Knows no HTTP.
"""

import base64
import binascii
import json
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from artifacts.errors import EmbeddingError
from artifacts.server_words import words_of_server


class MalformedReply(Exception):  # noqa: N818  (never leaves this package)
    """A body that is no reply of an embeddings endpoint."""


def read_reply(body: bytes, count: int) -> NDArray[np.float32]:
    """Return the vectors of a reply to `count` texts, in the texts' order."""
    entries = _entries(body)
    if len(entries) != count:
        raise EmbeddingError(
            f"the server returned {len(entries)} vectors for {count} texts; see to the server"
        )
    indices = [entry.get("index") for entry in entries]
    if sorted(map(repr, indices)) != sorted(map(repr, range(count))):
        raise EmbeddingError(
            f"the server numbered {count} vectors {indices[:8]}, expected each of 0 to {count - 1} "
            "once; see to the server"
        )
    ordered = sorted(zip(indices, entries, strict=True), key=lambda pair: int(str(pair[0])))
    vectors = [_vector(entry.get("embedding")) for _, entry in ordered]
    dimensions = sorted({len(vector) for vector in vectors})
    if len(dimensions) != 1 or not dimensions[0]:
        raise EmbeddingError(
            f"the server returned vectors of {dimensions} dimensions in one reply, expected one "
            "length for all; see to the server"
        )
    return np.stack(vectors)


def _entries(body: bytes) -> Sequence[Mapping[str, object]]:
    try:
        content = json.loads(body)
    except ValueError as error:
        raise MalformedReply(f"no JSON: {body[:80].decode(errors='replace')!r}") from error
    data = content.get("data") if isinstance(content, dict) else None
    if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
        raise MalformedReply(f"no list of vectors: {words_of_server(content)}")
    return data


def _vector(embedding: object) -> NDArray[np.float32]:
    """Return a vector that is told as numbers or as the base64 of its float32 bytes."""
    try:
        if isinstance(embedding, str):
            return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
        vector = np.array(embedding, dtype=np.float32)
    except (binascii.Error, ValueError, TypeError) as error:
        raise MalformedReply(f"a vector that is none: {error}") from error
    if vector.ndim != 1:
        raise MalformedReply(f"a vector that is none: {str(embedding)[:80]}")
    return vector
