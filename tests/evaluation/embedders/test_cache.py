"""Embeddings are made once per content and identity, whatever happens to the files."""

import multiprocessing
import shutil
from pathlib import Path

import numpy as np
import pytest

from artifacts.errors import EmbeddingError, StoreError
from evaluation.embedders.cache import Cached
from evaluation.embedders.checks import Checked
from tests.evaluation.embedders.doubles import Fake, Returns, images, texts

WORDS = [f"text {number}" for number in range(10)]


def fill(folder: Path, contents: list[str]) -> None:
    """Embed as a process of its own."""
    Cached(Fake(), folder, chunk_inputs=1).embed_texts(texts(*contents))


def parts(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.parquet"))


def test_only_misses_are_embedded(tmp_path: Path) -> None:
    first = Fake()
    Cached(first, tmp_path).embed_texts(texts("a", "b"))
    second = Fake()
    vectors = Cached(second, tmp_path).embed_texts(texts("b", "c", "a", "b"))
    assert second.asked == ["c"]
    np.testing.assert_array_equal(
        np.asarray(vectors), Fake().embed_texts(texts("b", "c", "a", "b"))
    )


def test_a_content_given_twice_is_embedded_once(tmp_path: Path) -> None:
    fake = Fake()
    vectors = np.asarray(Cached(fake, tmp_path).embed_texts(texts("a", "b", "a")))
    assert fake.asked == ["a", "b"]
    np.testing.assert_array_equal(vectors[0], vectors[2])


def test_texts_and_pictures_are_kept_apart(tmp_path: Path) -> None:
    fake, (picture,) = Fake(), images("a")
    Cached(fake, tmp_path).embed_texts(texts(picture.sha256))
    Cached(fake, tmp_path).embed_images([picture, *images("b")])
    assert len(fake.asked) == 3


def test_another_identity_has_vectors_of_its_own(tmp_path: Path) -> None:
    Cached(Fake(), tmp_path).embed_texts(texts("a"))
    other = Fake(identity="fake 2", dimensions=7)
    assert Cached(other, tmp_path).embed_texts(texts("a")).shape == (1, 7)
    assert other.asked == ["a"]


def test_a_part_of_another_identity_is_left_alone(tmp_path: Path) -> None:
    Cached(Fake(identity="fake 2"), tmp_path).embed_texts(texts("a"))
    Cached(Fake(), tmp_path).embed_texts(texts("b"))
    (mine,) = {part.parent for part in parts(tmp_path) if part.parent.parent.name in _own()}
    (foreign,) = [part for part in parts(tmp_path) if part.parent != mine]
    shutil.copy(foreign, mine)
    fake = Fake()
    Cached(fake, tmp_path).embed_texts(texts("a", "b"))
    assert fake.asked == ["a"]
    assert (mine / foreign.name).exists()


def _own() -> set[str]:
    return {Cached(Fake(), Path())._folder.name}


def test_an_interrupted_run_keeps_what_was_embedded(tmp_path: Path) -> None:
    fake = Fake()
    fake.fails_at = WORDS[7]
    with pytest.raises(KeyboardInterrupt):
        Cached(fake, tmp_path, chunk_inputs=3).embed_texts(texts(*WORDS))
    assert fake.asked == WORDS[:6]
    again = Fake()
    vectors = Cached(again, tmp_path, chunk_inputs=3).embed_texts(texts(*WORDS))
    assert again.asked == WORDS[6:]
    np.testing.assert_array_equal(np.asarray(vectors), Fake().embed_texts(texts(*WORDS)))


@pytest.mark.parametrize("damage", ["cut", "flip", "empty"])
def test_a_damaged_part_is_made_anew(tmp_path: Path, damage: str) -> None:
    fake = Fake()
    Cached(fake, tmp_path, chunk_inputs=5).embed_texts(texts(*WORDS))
    part = parts(tmp_path)[0]
    content = bytearray(part.read_bytes())
    content[len(content) // 2] ^= 1
    part.write_bytes({"cut": bytes(content[:100]), "flip": bytes(content), "empty": b""}[damage])
    again = Fake()
    vectors = Cached(again, tmp_path).embed_texts(texts(*WORDS))
    assert sorted(again.asked) in (WORDS[:5], WORDS[5:])
    np.testing.assert_array_equal(np.asarray(vectors), Fake().embed_texts(texts(*WORDS)))
    last = Fake()
    Cached(last, tmp_path).embed_texts(texts(*WORDS))
    assert last.asked == []
    assert len(parts(tmp_path)) == 2


def test_what_else_lies_there_is_left_alone(tmp_path: Path) -> None:
    Cached(Fake(), tmp_path).embed_texts(texts("a"))
    other = parts(tmp_path)[0].with_name("notes.parquet")
    other.write_text("not ours")
    fake = Fake()
    Cached(fake, tmp_path).embed_texts(texts("a"))
    assert fake.asked == []
    assert other.read_text() == "not ours"


def test_two_processes_may_fill_it_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=fill, args=(tmp_path, WORDS)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    fake = Fake()
    vectors = Cached(fake, tmp_path).embed_texts(texts(*WORDS))
    assert fake.asked == []
    np.testing.assert_array_equal(np.asarray(vectors), Fake().embed_texts(texts(*WORDS)))
    assert not list(tmp_path.rglob("*.partial"))


def test_unsound_vectors_are_not_kept(tmp_path: Path) -> None:
    unsound = Returns([[1, 0], [0, np.nan]])
    cached = Cached(Checked(unsound, may_repeat=True), tmp_path)
    with pytest.raises(EmbeddingError):
        cached.embed_texts(texts("a", "b"))
    assert parts(tmp_path) == []


def test_a_model_that_changed_behind_its_name_is_said(tmp_path: Path) -> None:
    Cached(Fake(), tmp_path).embed_texts(texts("a"))
    with pytest.raises(EmbeddingError, match=r"5 dimensions, those kept in .* have 4"):
        Cached(Fake(dimensions=5), tmp_path).embed_texts(texts("a", "b"))


def test_a_cache_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot create"):
        Cached(Fake(), tmp_path / "file").embed_texts(texts("a"))


def test_nothing_asked_is_nothing_embedded(tmp_path: Path) -> None:
    assert Cached(Fake(), tmp_path).embed_texts([]).shape[0] == 0
