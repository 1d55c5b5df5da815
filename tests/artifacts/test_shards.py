import dataclasses

import pytest

from artifacts.builds import Build, shard_name
from artifacts.catalog import list_entries
from artifacts.files import FileEntry
from artifacts.records import Example
from artifacts.shards import shard_state, shard_states
from tests.artifacts.rows import example, store


@pytest.fixture
def entry(dataset_build: Build) -> FileEntry:
    (found,) = [
        e for e in list_entries(dataset_build) if e.name.endswith("pair_swap/00001.parquet")
    ]
    return found


def test_intact(dataset_build: Build) -> None:
    entries = list_entries(dataset_build)
    assert shard_states(dataset_build.path, entries) == ["complete"] * 3


def test_missing(dataset_build: Build, entry: FileEntry) -> None:
    (dataset_build.path / entry.name).unlink()
    assert shard_state(dataset_build.path, entry) == "missing"


def test_corrupt_by_size_and_by_checksum(dataset_build: Build, entry: FileEntry) -> None:
    path = dataset_build.path / entry.name
    content = path.read_bytes()
    path.write_bytes(content[:-1])
    assert shard_state(dataset_build.path, entry) == "corrupt"
    path.write_bytes(content[:99] + bytes([content[99] ^ 1]) + content[100:])
    assert shard_state(dataset_build.path, entry) == "corrupt"


def test_short(dataset_build: Build, entry: FileEntry) -> None:
    name = shard_name("examples", "pair_swap", 1)
    store(dataset_build, name, Example, [example("pair_swap", 3)])
    assert shard_state(dataset_build.path, entry) == "short"


def test_whole_file_of_other_rows_is_corrupt(dataset_build: Build, entry: FileEntry) -> None:
    rows = [example("pair_swap", attempt) for attempt in range(70, 73)]
    store(dataset_build, entry.name, Example, rows)  # type: ignore[arg-type]
    assert shard_state(dataset_build.path, entry) == "corrupt"


def test_failed_is_what_validation_marked(dataset_build: Build, entry: FileEntry) -> None:
    marked = dataclasses.replace(entry, state="failed")
    assert shard_state(dataset_build.path, marked) == "failed"
