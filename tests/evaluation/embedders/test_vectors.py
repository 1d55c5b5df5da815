"""A file of vectors is read as it is, or refused with what is wrong in it."""

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from artifacts.errors import EmbeddingError
from evaluation.embedders.vectors import load_vectors
from tests.evaluation.embedders.doubles import images, texts

ROWS: dict[str, list[Any]] = {
    "scene_id": ["scene-1", "scene-0", "scene-0"],
    "modality": ["text", "text", "image"],
    "vector": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
}


def write(folder: Path, changes: dict[str, list[Any]] | None = None) -> Path:
    file = folder / "vectors.parquet"
    pq.write_table(pa.table({**ROWS, **(changes or {})}), file)
    return file


def test_vectors_are_found_by_scene_and_modality(tmp_path: Path) -> None:
    stored = load_vectors("vectors:mine", write(tmp_path))
    assert stored.modalities == {"text", "image"}
    np.testing.assert_array_equal(stored.embed_texts(texts("a", "b")), [[3, 4], [1, 2]])
    np.testing.assert_array_equal(stored.embed_images(images("a")), [[5, 6]])


def test_modalities_are_those_in_the_file(tmp_path: Path) -> None:
    stored = load_vectors(
        "vectors:mine",
        write(tmp_path, {"modality": ["text"] * 3, "scene_id": ["a", "b", "c"]}),
    )
    assert stored.modalities == {"text"}


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.float32()),
        pa.list_(pa.float64(), 2),
        pa.large_list(pa.float64()),
        pa.list_(pa.float16()),
    ],
)
def test_any_list_of_floats_will_do(tmp_path: Path, kind: pa.DataType) -> None:
    vectors = pa.array(ROWS["vector"]).cast(kind)
    table = pa.table({**ROWS, "vector": vectors, "more": [1, 2, 3]})
    pq.write_table(table, tmp_path / "vectors.parquet")
    stored = load_vectors("vectors:mine", tmp_path / "vectors.parquet")
    np.testing.assert_array_equal(stored.embed_texts(texts("a")), [[3, 4]])


def test_the_identity_is_the_content_s(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    first = load_vectors("a", write(tmp_path))
    second = load_vectors("b", write(tmp_path / "other"))
    assert first.identity == second.identity
    changed = load_vectors("a", write(tmp_path, {"vector": [[1.0], [2.0], [3.0]]}))
    assert changed.identity != first.identity


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"vector": [[1.0, 2.0], [3.0], [5.0, 6.0]]}, "of 2 dimensions.*found 1 for scene-0"),
        ({"vector": [np.zeros(0)] * 3}, "of 1 dimensions.*found 0 for scene-1"),
        ({"vector": [[1.0, np.nan], [3.0, 4.0], [5.0, 6.0]]}, "finite numbers.*scene-1"),
        ({"vector": [[1.0, 2.0], [3.0, None], [5.0, 6.0]]}, "finite numbers.*scene-0"),
        ({"vector": [[1.0, 2.0], None, [5.0, 6.0]]}, "no null in vector, found 1"),
        ({"vector": [1.0, 2.0, 3.0]}, "a list of floats in vector, found double"),
        ({"vector": [["1"], ["2"], ["3"]]}, "a list of floats in vector"),
        ({"scene_id": [1, 2, 3]}, "text in scene_id, found int64"),
        ({"modality": ["text", "text", "audio"]}, "text or image in modality, found 'audio'"),
        ({"scene_id": ["scene-0"] * 3}, r"once per modality, found scene-0 \(text\) more"),
        ({"scene_id": ["a", None, "b"]}, "no null in scene_id, found 1"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, changes: dict[str, list[Any]], words: str) -> None:
    with pytest.raises(EmbeddingError, match=words):
        load_vectors("vectors:mine", write(tmp_path, changes))


@pytest.mark.parametrize("scale", [1e-300, 1e-60, 1e-44, 1e60, 1e300])
def test_a_vector_beyond_single_precision_keeps_its_direction(tmp_path: Path, scale: float) -> None:
    vectors = [[scale * value for value in vector] for vector in ROWS["vector"]]
    plain, stored = load_vectors("a", write(tmp_path)), None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stored = load_vectors("b", write(tmp_path, {"vector": vectors}))
    expected, found = (each.embed_texts(texts("a", "b")) for each in (plain, stored))
    lengths = np.linalg.norm(expected, axis=1) * np.linalg.norm(found, axis=1)
    np.testing.assert_allclose((expected * found).sum(axis=1) / lengths, 1, rtol=1e-6)


def test_a_scene_without_a_vector_is_said(tmp_path: Path) -> None:
    stored = load_vectors("vectors:mine", write(tmp_path))
    with pytest.raises(EmbeddingError, match="text for each of 3 scenes, found none for scene-2"):
        stored.embed_texts(texts("a", "b", "c"))
    with pytest.raises(EmbeddingError, match=r"image for each of 6.*scene-1, scene-2.*and 2 more"):
        stored.embed_images(images(*"abcdef"))


def test_a_column_that_is_missing_is_said(tmp_path: Path) -> None:
    file = tmp_path / "vectors.parquet"
    pq.write_table(pa.table({"scene": ["a"], "vector": [[1.0]]}), file)
    with pytest.raises(EmbeddingError, match="columns scene_id, modality, vector, found scene, v"):
        load_vectors("vectors:mine", file)


def test_an_empty_table_is_said(tmp_path: Path) -> None:
    file = tmp_path / "vectors.parquet"
    pq.write_table(pa.table(ROWS).slice(0, 0), file)
    with pytest.raises(EmbeddingError, match="expected vectors, found no row"):
        load_vectors("vectors:mine", file)


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(EmbeddingError, match="vectors, found something that is no file"):
            load_vectors("vectors:mine", place)


@pytest.mark.parametrize("content", [None, b"", b"scene_id,modality,vector\n"])
def test_no_parquet_file_is_said(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "vectors.parquet"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(EmbeddingError, match="expected a Parquet file of vectors"):
        load_vectors("vectors:mine", file)
