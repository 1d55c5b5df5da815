"""Vectors made elsewhere, read from a Parquet file: scene_id, modality, vector.

Found by scene, not by content: whoever made them embedded these texts and pictures, or the figures
mean nothing. Knows no model.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from artifacts.errors import EmbeddingError
from artifacts.files import sha256_of_file
from evaluation.embedders.embedder import ImageInput, Modality, TextInput
from evaluation.embedders.fingerprints import identity_of

_COLUMNS = ("scene_id", "modality", "vector")
_MODALITIES: tuple[Modality, ...] = ("text", "image")
#: Powers of two up to which float32 holds a vector's smaller numbers, too.
_HELD = 100
#: Scenes named in a message.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """The vectors of a file."""

    name: str
    identity: str
    _file: Path
    _matrix: NDArray[np.float32]
    #: The row of each scene.
    _rows: dict[Modality, dict[str, int]]

    @property
    def revision(self) -> str | None:
        """A file doesn't say what it was made by."""
        return None

    @property
    def instruction(self) -> str | None:
        """Nor what stood before the texts."""
        return None

    @property
    def modalities(self) -> frozenset[Modality]:
        """Those that the file holds."""
        return frozenset(modality for modality, rows in self._rows.items() if rows)

    @property
    def unit_length(self) -> bool:
        """A file promises nothing."""
        return False

    def embed_texts(self, texts: Sequence[TextInput]) -> NDArray[np.float32]:
        """Return one row per text, in order."""
        return self._find("text", [text.key for text in texts])

    def embed_images(self, images: Sequence[ImageInput]) -> NDArray[np.float32]:
        """Return one row per picture, in order."""
        return self._find("image", [image.key for image in images])

    def _find(self, modality: Modality, keys: Sequence[str]) -> NDArray[np.float32]:
        rows = self._rows[modality]
        missing = [key for key in keys if key not in rows]
        if missing:
            raise _wrong(
                self._file,
                f"a vector of modality {modality} for each of {len(keys):,} scenes",
                f"none for {_named(missing)}",
            )
        return self._matrix[[rows[key] for key in keys]]


def load_vectors(name: str, file: Path) -> StoredVectors:
    """Read `file`; raises EmbeddingError where it is no table of vectors."""
    table = _read(file)
    rows: dict[Modality, dict[str, int]] = {modality: {} for modality in _MODALITIES}
    scenes = cast(list[str], table["scene_id"].to_pylist())
    modalities = cast(list[Modality], table["modality"].to_pylist())
    _require_known(file, modalities)
    _require_once(file, list(zip(scenes, modalities, strict=True)))
    for row, (scene, modality) in enumerate(zip(scenes, modalities, strict=True)):
        rows[modality][scene] = row
    return StoredVectors(
        name=name,
        identity=identity_of(kind="vectors", file=sha256_of_file(file)),
        _file=file,
        _matrix=_matrix(file, scenes, table["vector"].combine_chunks()),
        _rows=rows,
    )


def _read(file: Path) -> pa.Table:
    if file.exists() and not file.is_file():
        raise _wrong(file, "a Parquet file of vectors", "something that is no file")
    try:
        schema = pq.read_schema(file)
        missing = [column for column in _COLUMNS if column not in schema.names]
        if missing:
            raise _wrong(file, f"the columns {', '.join(_COLUMNS)}", f"{', '.join(schema.names)}")
        table = pq.read_table(file, columns=list(_COLUMNS), partitioning=None)
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise _wrong(file, "a Parquet file of vectors", reason) from error
    _require_types(file, table)
    return table


def _require_types(file: Path, table: pa.Table) -> None:
    types = {column: table.schema.field(column).type for column in _COLUMNS}
    for column in ("scene_id", "modality"):
        if not _is_text(types[column]):
            raise _wrong(file, f"text in {column}", str(types[column]))
    vector = types["vector"]
    is_list = any(
        is_kind(vector)
        for is_kind in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    )
    if not is_list or not pa.types.is_floating(vector.value_type):
        raise _wrong(file, "a list of floats in vector", str(vector))
    if not table.num_rows:
        raise _wrong(file, "vectors", "no row")
    for column in _COLUMNS:
        if table[column].null_count:
            raise _wrong(file, f"no null in {column}", f"{table[column].null_count:,}")


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def _require_known(file: Path, modalities: Sequence[str]) -> None:
    unknown = sorted(set(modalities) - set(_MODALITIES))
    if unknown:
        raise _wrong(file, "text or image in modality", ", ".join(map(repr, unknown[:_NAMED])))


def _require_once(file: Path, keys: Sequence[tuple[str, str]]) -> None:
    twice = [f"{scene} ({kind})" for (scene, kind), times in Counter(keys).items() if times > 1]
    if twice:
        raise _wrong(file, "each scene once per modality", f"{_named(twice)} more than once")


def _matrix(file: Path, scenes: Sequence[str], vectors: "pa.Array[Any]") -> NDArray[np.float32]:
    lengths = pc.list_value_length(vectors).to_numpy(zero_copy_only=False)
    odd = np.flatnonzero(lengths != lengths[0])
    if odd.size or not lengths[0]:
        row = int(odd[0]) if odd.size else 0
        expected = f"vectors of {lengths[0] or 1} dimensions, as the first has"
        raise _wrong(file, expected, f"{lengths[row]} for {scenes[row]}")
    values = pc.list_flatten(vectors).to_numpy(zero_copy_only=False)
    matrix = np.ascontiguousarray(values).reshape(len(scenes), int(lengths[0]))
    # A null among the values is not a number here, either.
    bad = np.flatnonzero(~np.isfinite(matrix).all(axis=1))
    if bad.size:
        named = _named([scenes[int(row)] for row in bad])
        raise _wrong(file, "finite numbers", f"others in the vectors of {named}")
    return _single(matrix)


def _single(matrix: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """Return the rows as float32; one of float64 that it can't hold times a power of two.

    A cosine doesn't change by that, and no vector becomes zero or infinite.
    """
    if matrix.dtype == np.float64:
        _, exponents = np.frexp(np.abs(matrix).max(axis=1, keepdims=True))
        matrix = np.ldexp(matrix, np.where(np.abs(exponents) > _HELD, -exponents, 0))
    return matrix.astype(np.float32, copy=False)


def _named(keys: Sequence[str]) -> str:
    more = len(keys) - _NAMED
    return ", ".join(keys[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _wrong(file: Path, expected: str, found: str) -> EmbeddingError:
    return EmbeddingError(f"{file}: expected {expected}, found {found}; make the file again")
