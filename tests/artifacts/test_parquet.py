import dataclasses
from pathlib import Path

import pyarrow as pa
import pytest

from artifacts.errors import DamagedFileError, StoreError
from artifacts.files import FileEntry, sha256_of
from artifacts.parquet import read_verified, write_table
from artifacts.records import Question, Scene
from artifacts.schema import arrow_schema, to_table
from tests.artifacts.rows import scene

SCHEMA = arrow_schema(Scene)
NAME = "benchmark/scenes.parquet"


@pytest.fixture
def entry(tmp_path: Path) -> FileEntry:
    return write_table(tmp_path, NAME, "scenes", some_scenes())


def some_scenes() -> pa.Table:
    return to_table(Scene, [scene(number) for number in range(20)])


def damage_of(root: Path, entry: FileEntry, schema: pa.Schema = SCHEMA) -> str:
    with pytest.raises(DamagedFileError) as caught:
        read_verified(root, entry, schema)
    message = str(caught.value)
    assert str(root / NAME) in message
    assert message.endswith("`saber rerun-failed` repairs it")
    assert "\n" not in message
    return message


def listed_as_found(root: Path, entry: FileEntry) -> FileEntry:
    content = (root / NAME).read_bytes()
    return dataclasses.replace(entry, bytes=len(content), sha256=sha256_of(content))


def test_what_is_written_is_read(tmp_path: Path, entry: FileEntry) -> None:
    assert (entry.name, entry.kind, entry.rows, entry.state) == (NAME, "scenes", 20, "complete")
    assert read_verified(tmp_path, entry, SCHEMA) == some_scenes()


def test_empty_table_is_a_file_too(tmp_path: Path) -> None:
    entry = write_table(tmp_path, NAME, "scenes", SCHEMA.empty_table())
    assert read_verified(tmp_path, entry, SCHEMA).num_rows == 0


def test_missing_file(tmp_path: Path, entry: FileEntry) -> None:
    (tmp_path / NAME).unlink()
    assert "lists a file, found none" in damage_of(tmp_path, entry)


def test_truncated_file(tmp_path: Path, entry: FileEntry) -> None:
    (tmp_path / NAME).write_bytes((tmp_path / NAME).read_bytes()[:-10])
    assert f"lists {entry.bytes:,} bytes, found {entry.bytes - 10:,}" in damage_of(tmp_path, entry)


def test_edited_file_of_the_same_size(tmp_path: Path, entry: FileEntry) -> None:
    content = bytearray((tmp_path / NAME).read_bytes())
    content[100] ^= 1
    (tmp_path / NAME).write_bytes(content)
    assert "was edited" in damage_of(tmp_path, entry)


def test_file_that_is_no_parquet(tmp_path: Path, entry: FileEntry) -> None:
    (tmp_path / NAME).write_bytes(b"words, words")
    assert "lists a Parquet file" in damage_of(tmp_path, listed_as_found(tmp_path, entry))


def test_other_columns(tmp_path: Path, entry: FileEntry) -> None:
    assert "lists the columns question_id" in damage_of(tmp_path, entry, arrow_schema(Question))


def test_other_number_of_rows(tmp_path: Path, entry: FileEntry) -> None:
    claimed = dataclasses.replace(entry, rows=21)
    assert "lists 21 rows, found 20" in damage_of(tmp_path, claimed)


@pytest.mark.parametrize("name", ["../scenes.parquet", "/scenes.parquet", "a/../../b.parquet"])
def test_name_that_leads_out_of_the_build_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError, match="use a relative path"):
        write_table(tmp_path, name, "scenes", some_scenes())


def test_missing_build_folder_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such folder"):
        write_table(tmp_path / "typo", NAME, "scenes", some_scenes())
    assert not (tmp_path / "typo").exists()


def test_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "benchmark").write_text("a file where the folder should be")
    with pytest.raises(StoreError, match="cannot create"):
        write_table(tmp_path, NAME, "scenes", some_scenes())
