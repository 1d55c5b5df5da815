from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from artifacts.builds import Build
from artifacts.errors import BuildMissingError, TrainingError
from artifacts.manifest import write_manifest
from artifacts.records import Scene
from tests.artifacts.rows import dataset_build, manifest, scene, store
from tests.trainer.builds import recipe, texts_build, triplet_table
from trainer.overlap import SaberWords
from trainer.triplets import COLUMNS, read_triplets, select_triplets

#: Two of the five are words of the scene in `add_saber`.
WORDS = ("red", "cube", "tin", "jar", "hen")
TEXTS = [f"text {number} of a {WORDS[(number + number // 10) % 5]}" for number in range(40)]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    return texts_build(tmp_path, TEXTS)


def add_saber(build: Build) -> None:
    files = [store(build, "benchmark/scenes.parquet", Scene, [scene(0)])]
    write_manifest(build.manifest("benchmark"), manifest("benchmark", files))


def test_each_example_gives_two_triplets_of_its_split(build: Build) -> None:
    read = read_triplets(build, recipe())
    assert (len(read.train), len(read.validation)) == (28 * 2, 8 * 2)
    first = read.train[0]
    assert first.kind == "attribute"
    assert first.negative == f"{first.positive} attribute"
    assert read.dataset == manifest("dataset", []).fingerprint


def test_overlap_goes_by_the_words_of_the_build_s_own_benchmark(build: Build) -> None:
    add_saber(build)
    none = read_triplets(build, recipe(overlap="none"))
    only = read_triplets(build, recipe(overlap="only"))
    assert all("red" not in row.positive and "cube" not in row.positive for row in none.train)
    assert all("red" in row.positive or "cube" in row.positive for row in only.train)
    assert len(none.train) + len(only.train) == 28 * 2
    assert len(none.validation) + len(only.validation) == 8 * 2


def test_overlap_goes_by_words_that_are_given(build: Build) -> None:
    none = read_triplets(build, recipe(overlap="none"), SaberWords(["hen"]))
    assert {row.positive.split()[-1] for row in none.train} == {"red", "cube", "tin", "jar"}


def test_overlap_without_a_benchmark_is_refused(build: Build) -> None:
    with pytest.raises(TrainingError, match="has no benchmark; run `saber benchmark`"):
        read_triplets(build, recipe(overlap="none"))


def test_a_dataset_that_is_not_finished_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BuildMissingError, match="no manifest"):
        read_triplets(dataset_build(tmp_path), recipe())


def test_a_draw_takes_whole_examples_and_a_larger_one_holds_it(build: Build) -> None:
    small = read_triplets(build, recipe(max_triplets=10)).train
    large = read_triplets(build, recipe(max_triplets=20)).train
    assert large[:10] == small
    assert len({row.example_id for row in small}) == 5
    assert [row.kind for row in small] == ["attribute", "object"] * 5


def test_the_seed_draws(build: Build) -> None:
    drawn = [read_triplets(build, recipe(max_triplets=10, seed=seed)) for seed in (0, 0, 1)]
    assert drawn[0].fingerprint() == drawn[1].fingerprint() != drawn[2].fingerprint()


@pytest.mark.parametrize("missing", COLUMNS)
def test_a_missing_column_is_named(missing: str) -> None:
    with pytest.raises(TrainingError, match=f"without {missing}$"):
        select_triplets(triplet_table(4).drop_columns([missing]), recipe(), None, "")


def test_a_column_of_numbers_is_refused() -> None:
    table = triplet_table(4)
    numbers = table.set_column(table.column_names.index("query"), "query", pa.array([1, 2, 3, 4]))
    with pytest.raises(TrainingError, match="column query: expected text, found int64"):
        select_triplets(numbers, recipe(), None, "")


@pytest.mark.parametrize("hole", [None, ""])
def test_a_row_without_text_is_refused(hole: str | None) -> None:
    table = triplet_table(2)
    texts = pa.array(["a caption", hole])
    holed = table.set_column(table.column_names.index("positive"), "positive", texts)
    with pytest.raises(TrainingError, match="column positive: expected text in every row"):
        select_triplets(holed, recipe(), None, "")


def test_no_triplets_at_all_is_said() -> None:
    with pytest.raises(TrainingError, match=r"expected triplets .* found none"):
        select_triplets(triplet_table(4).slice(0, 0), recipe(), None, "")


@pytest.mark.parametrize("split", ["train", "validation"])
def test_an_empty_split_is_named(split: str) -> None:
    other = {"train": "validation", "validation": "train"}[split]
    with pytest.raises(TrainingError, match=f"no triplets of the split {split}: 0 are there"):
        select_triplets(triplet_table(4, other), recipe(), None, "")


def test_a_split_that_overlap_empties_is_named() -> None:
    words = SaberWords(["positive"])
    with pytest.raises(TrainingError, match="split train: 4 are there, none with overlap = none"):
        select_triplets(triplet_table(4), recipe(overlap="none"), words, "")


def test_without_validation_its_split_may_be_empty() -> None:
    unvalidated = replace(recipe(), validation_triplets=0)
    assert select_triplets(triplet_table(4), unvalidated, None, "").validation == ()
