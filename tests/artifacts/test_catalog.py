from pathlib import Path

import pytest

from artifacts.builds import Build, shard_name
from artifacts.catalog import ALL_VIEWS, connect, list_entries
from artifacts.errors import BuildMissingError, DamagedFileError
from artifacts.manifest import write_manifest
from artifacts.query import query
from artifacts.records import Example
from tests.artifacts.rows import dataset_build as a_dataset_build
from tests.artifacts.rows import example, finish_dataset, manifest, store


def rows(build: Build, sql: str) -> list[tuple[object, ...]]:
    with connect(build, ALL_VIEWS - {"shards"}) as connection:
        return connection.execute(sql).fetchall()


def test_every_view_exists_and_is_empty_without_its_stage(benchmark_build: Build) -> None:
    counts = {view: rows(benchmark_build, f"SELECT count(*) FROM {view}") for view in ALL_VIEWS}
    filled = {view for view, count in counts.items() if count != [(0,)]}
    assert filled == {"questions", "candidates", "scenes", "relevance"}


def test_construction_comes_from_the_folder(dataset_build: Build) -> None:
    sql = "SELECT construction, count(*) FROM examples GROUP BY 1 ORDER BY 1"
    assert rows(dataset_build, sql) == [("attr_bundle", 3), ("pair_swap", 6)]


def test_root_that_looks_like_a_hive_folder_is_no_value(tmp_path: Path) -> None:
    root = tmp_path / "construction=triple_bind_swap"
    root.mkdir()
    sql = "SELECT DISTINCT construction FROM examples ORDER BY 1"
    assert rows(a_dataset_build(root), sql) == [("attr_bundle",), ("pair_swap",)]


def test_split_is_null_until_there_are_splits(dataset_build: Build) -> None:
    sql = "SELECT DISTINCT construction, split FROM examples ORDER BY 1"
    assert rows(dataset_build, sql) == [("attr_bundle", None), ("pair_swap", None)]
    finish_dataset(dataset_build)
    assert rows(dataset_build, sql) == [("attr_bundle", "held_out"), ("pair_swap", "train")]


def test_triplets_are_two_per_example(dataset_build: Build) -> None:
    finish_dataset(dataset_build)
    sql = "SELECT kind, negative, query, split FROM triplets WHERE example_id = 'pair_swap-4'"
    assert sorted(rows(dataset_build, sql)) == [
        ("attribute", "attribute moved", "query 4", "train"),
        ("object", "object moved", "query 4", "train"),
    ]
    assert rows(dataset_build, "SELECT count(*) FROM triplets") == [(18,)]


def test_stored_rows_keep_their_order(benchmark_build: Build) -> None:
    found = rows(benchmark_build, "SELECT scene_id FROM scenes")
    assert found == [(f"s{number}",) for number in range(5)]


def test_file_that_no_manifest_lists_is_not_read(dataset_build: Build) -> None:
    store(dataset_build, shard_name("examples", "pair_swap", 9), Example, [example("x", 99)])
    assert rows(dataset_build, "SELECT count(*) FROM examples") == [(9,)]


def test_constructions_own_manifest_is_the_newer_one(dataset_build: Build) -> None:
    stale = list_entries(dataset_build)
    name = shard_name("examples", "pair_swap", 0)
    entry = store(dataset_build, name, Example, [example("pair_swap", 0)])
    write_manifest(dataset_build.stream("pair_swap"), manifest("dataset", [entry]))
    write_manifest(dataset_build.manifest("dataset"), manifest("dataset", stale))
    assert entry in list_entries(dataset_build)
    assert len(list_entries(dataset_build)) == 3


def test_build_without_manifest(tmp_path: Path) -> None:
    Build(tmp_path, "empty").path.mkdir()
    with pytest.raises(BuildMissingError, match=r"no manifest in .*run `saber benchmark`"):
        query(Build(tmp_path, "empty"), "SELECT 1")


def test_unfinished_stage_is_not_taken_for_an_empty_one(dataset_build: Build) -> None:
    dataset_build.benchmark.mkdir()
    with pytest.raises(BuildMissingError, match="unfinished; run `saber benchmark`"):
        query(dataset_build, "SELECT count(*) FROM scenes")
    assert query(dataset_build, "SELECT count(*) AS n FROM examples").to_pylist() == [{"n": 9}]


def test_damaged_file_stops_only_queries_that_read_it(dataset_build: Build) -> None:
    shard = dataset_build.path / shard_name("examples", "pair_swap", 1)
    shard.write_bytes(shard.read_bytes()[:-1])
    with pytest.raises(DamagedFileError, match=r"00001\.parquet is damaged: its manifest lists"):
        query(dataset_build, "SELECT count(*) FROM triplets")
    assert query(dataset_build, "SELECT * FROM attempts").num_rows == 0
    states = query(dataset_build, "SELECT state FROM shards WHERE kind = 'examples'")
    assert sorted(row["state"] for row in states.to_pylist()) == ["complete", "complete", "corrupt"]


def test_missing_file_is_named(dataset_build: Build) -> None:
    (dataset_build.path / shard_name("examples", "pair_swap", 1)).unlink()
    with pytest.raises(DamagedFileError, match=r"00001\.parquet is damaged: .*found none"):
        query(dataset_build, "FROM examples")
    with pytest.raises(DamagedFileError):
        connect(dataset_build, {"examples"})


def test_edit_that_keeps_the_size_is_named_when_rows_cannot_be_read(dataset_build: Build) -> None:
    shard = dataset_build.path / shard_name("examples", "pair_swap", 1)
    shard.write_bytes(b"\0" * shard.stat().st_size)
    with pytest.raises(DamagedFileError, match="lists sha256"):
        query(dataset_build, "SELECT query FROM examples")


def test_damaged_manifest_is_named(dataset_build: Build) -> None:
    dataset_build.stream("pair_swap").write_text("{")
    with pytest.raises(DamagedFileError, match=r"manifest .*pair_swap\.json is damaged"):
        query(dataset_build, "SELECT 1")
