"""Embeddings kept on disk by content and by the embedder's identity, so that none is made twice.

One folder per identity and modality, with Parquet files that only ever appear whole. A file's name
holds the checksum of its content: one that is damaged is removed and its vectors are made anew, one
that is of another identity or none of ours is left alone. Several processes may fill one folder:
each writes files of its own, and at worst both make a vector. Knows no model.
"""

import re
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from artifacts.errors import EmbeddingError, StoreError
from artifacts.files import read_file, replace_file, sha256_of
from evaluation.embedders.embedder import (
    Embedder,
    ImageInput,
    Modality,
    TextInput,
    Vectors,
    Wrapped,
)
from evaluation.embedders.input_pictures import batches

#: Inputs of one file: what an interruption costs at most.
CHUNK_INPUTS = 512

_IDENTITY = b"identity"
_NAME = re.compile(r"([0-9a-f]{64})-[0-9a-f]{32}\.parquet")

Input = TypeVar("Input", TextInput, ImageInput)


class Cached(Wrapped):
    """An embedder that is asked only for what the cache doesn't hold."""

    def __init__(self, embedder: Embedder, folder: Path, chunk_inputs: int = CHUNK_INPUTS) -> None:
        """`folder`: of all embedders; each has its own below."""
        super().__init__(embedder)
        self._folder = folder / sha256_of(embedder.identity.encode())[:32]
        self._chunk_inputs = chunk_inputs

    def embed_texts(self, texts: Sequence[TextInput]) -> Vectors:
        """Return one row per text, in order."""
        contents = [sha256_of(text.text.encode()) for text in texts]
        return self._embed("text", texts, contents, self._embedder.embed_texts)

    def embed_images(self, images: Sequence[ImageInput]) -> Vectors:
        """Return one row per picture, in order."""
        contents = [image.sha256 for image in images]
        return self._embed("image", images, contents, self._embedder.embed_images)

    def _embed(
        self,
        modality: Modality,
        inputs: Sequence[Input],
        contents: Sequence[str],
        embed: Callable[[Sequence[Input]], Vectors],
    ) -> Vectors:
        folder = self._folder / modality
        rows = _Rows(contents)
        self._find(rows, folder)
        # Each content once, however often it is given.
        missing = {
            content: one
            for one, content in zip(inputs, contents, strict=True)
            if content in rows.missing
        }
        for chunk in batches(list(missing), self._chunk_inputs):
            vectors = np.asarray(embed([missing[content] for content in chunk]), dtype=np.float32)
            if not rows.accepts(vectors):
                raise self._changed(folder, vectors, rows)
            _write_part(folder, self.identity, chunk, vectors)
            rows.add(chunk, vectors)
        return rows.vectors

    def _find(self, rows: "_Rows", folder: Path) -> None:
        for file in sorted(folder.glob("*.parquet")):
            if not rows.missing:
                return
            part = _read_part(file, self.identity)
            if part and rows.accepts(part[1]):
                rows.add(*part)

    def _changed(self, folder: Path, vectors: NDArray[np.float32], rows: "_Rows") -> EmbeddingError:
        return EmbeddingError(
            f"{self.name} returned vectors of {vectors.shape[1]} dimensions, those kept in "
            f"{folder} have {rows.vectors.shape[1]}: the model behind the name was changed; "
            "delete that folder, or set a revision"
        )


class _Rows:
    """The rows of some contents, filled as their vectors are found."""

    def __init__(self, contents: Sequence[str]) -> None:
        self.vectors = np.zeros((len(contents), 0), dtype=np.float32)
        #: Where the vector goes of each content that isn't found yet.
        self.missing: dict[str, list[int]] = {}
        for row, content in enumerate(contents):
            self.missing.setdefault(content, []).append(row)

    def accepts(self, vectors: NDArray[np.float32]) -> bool:
        """Whether these have as many dimensions as those found so far."""
        return self.vectors.shape[1] in (0, vectors.shape[1])

    def add(self, contents: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Take what is wanted of some vectors."""
        if not self.vectors.shape[1]:
            self.vectors = np.zeros((len(self.vectors), vectors.shape[1]), dtype=np.float32)
        for content, vector in zip(contents, vectors, strict=True):
            self.vectors[self.missing.pop(content, [])] = vector


def _write_part(
    folder: Path, identity: str, contents: Sequence[str], vectors: NDArray[np.float32]
) -> None:
    dimensions = vectors.shape[1]
    table = pa.table(
        {
            "content": pa.array(contents, pa.string()),
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), dimensions),
        }
    ).replace_schema_metadata({_IDENTITY: identity.encode()})
    sink = pa.BufferOutputStream()
    # Neither makes the bits of floats shorter, and both take time.
    pq.write_table(table, sink, compression="none", use_dictionary=False)
    content = sink.getvalue().to_pybytes()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot create {folder}: {error.strerror}") from error
    replace_file(folder / f"{sha256_of(content)}-{uuid.uuid4().hex}.parquet", content)


def _read_part(file: Path, identity: str) -> tuple[list[str], NDArray[np.float32]] | None:
    """Return contents and vectors of a part; None where it is none of this identity."""
    name = _NAME.fullmatch(file.name)
    if name is None:
        return None
    try:
        content = read_file(file)
    except StoreError:  # removed by another process since it was listed
        return None
    if sha256_of(content) != name[1]:
        file.unlink(missing_ok=True)
        return None
    table = pq.read_table(pa.BufferReader(content))
    if (table.schema.metadata or {}).get(_IDENTITY) != identity.encode():
        return None
    vectors = table["vector"].combine_chunks()
    values = pc.list_flatten(vectors).to_numpy(zero_copy_only=False)
    return cast(list[str], table["content"].to_pylist()), values.reshape(len(vectors), -1)
