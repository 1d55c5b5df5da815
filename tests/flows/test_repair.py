"""Repair: whatever is damaged comes back byte for byte, and nothing else is touched."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pyarrow.compute as pc
import pytest

from artifacts.builds import Build
from artifacts.errors import BuildMissingError, DamagedFileError
from artifacts.manifest import Manifest, read_manifest, write_manifest
from artifacts.parquet import read_verified, write_table
from artifacts.records import Example, Scene
from artifacts.schema import stored_schema
from artifacts.settings import BenchmarkSettings
from flows.progress import Silent
from flows.stages.benchmark import build_benchmark
from flows.stages.build_repair import repair_build
from flows.stages.repairing import Repair
from tests.flows.damages import DAMAGES, flip
from tests.flows.datasets import FakeWriter, broken_rules, contents, make, small, times, use

SETTINGS = small(14, "pair_swap", "attr_bundle", shard_rows=5)
BENCHMARK = BenchmarkSettings(n_max=3, independent_per_n=3, chains=2)
EXAMPLES = "dataset/examples/construction=pair_swap/{:05}.parquet"
LOG = "dataset/log/{}/00000.jsonl.zst"


@dataclass(frozen=True)
class Whole:
    """A finished build that is never touched."""

    build: Build
    contents: dict[str, bytes]

    def copy(self, root: Path) -> Build:
        shutil.copytree(self.build.path, root / "main")
        return Build(root, "main")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    build = Build(tmp_path_factory.mktemp("whole"), "main")
    build_benchmark(build, BENCHMARK, Silent())
    make(build, SETTINGS)
    return Whole(build, contents(build))


@pytest.fixture
def build(whole: Whole, tmp_path: Path) -> Build:
    return whole.copy(tmp_path)


def repair(build: Build) -> list[Repair]:
    return repair_build(build, SETTINGS, Silent())


def names_of(repairs: list[Repair]) -> set[str]:
    return {each.name for each in repairs}


#: Without it nothing tells what the benchmark was made from.
IRREPLACEABLE = {"benchmark/manifest.json"}


@pytest.mark.parametrize("damage", DAMAGES)
def test_any_one_damaged_file_comes_back_and_no_other_is_touched(
    build: Build, whole: Whole, damage: Callable[[Path, Random], None]
) -> None:
    rng = Random(damage.__name__)
    names = sorted(whole.contents.keys() - IRREPLACEABLE)
    for name in names[DAMAGES.index(damage) % 2 :: 2]:
        before = times(build)
        damage(build.path / name, rng)
        assert name in names_of(repair(build)), name
        assert contents(build) == whole.contents, name
        after = times(build)
        assert [other for other in names if after[other] != before[other]] == [name]


def test_a_whole_build_needs_no_repair(build: Build) -> None:
    before = times(build)
    assert repair(build) == []
    assert times(build) == before


@pytest.mark.parametrize("night", range(7))
def test_seven_nights_of_damage(build: Build, whole: Whole, night: int) -> None:
    rng = Random(night)
    # A construction's log, its drafts in the shards and both manifests can't all be made anew.
    names = sorted(name for name in whole.contents if not name.endswith(".json"))
    damaged = rng.sample(names, 1 + 4 * night)
    for name in damaged:
        rng.choice(DAMAGES)(build.path / name, rng)
    assert set(damaged) <= names_of(repair(build))
    assert contents(build) == whole.contents
    assert broken_rules(build, SETTINGS) == []


@pytest.mark.parametrize(
    "lost",
    [
        ("dataset/log",),
        ("dataset/log/pair_swap", "dataset/attempts/construction=pair_swap"),
        ("dataset/streams",),
        ("dataset/streams", "dataset/log/pair_swap"),
        ("dataset/manifest.json", "dataset/splits.parquet"),
        ("dataset/words",),
        ("dataset/examples", "dataset/attempts", "dataset/accepted_words", "dataset/log"),
        ("benchmark/vocabulary",),
    ],
)
def test_whole_folders_come_back(build: Build, whole: Whole, lost: tuple[str, ...]) -> None:
    for name in lost:
        path = build.path / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    repair(build)
    assert contents(build) == whole.contents


def test_swapped_shards_and_segments_are_put_right(build: Build, whole: Whole) -> None:
    for one, other in (
        (EXAMPLES.format(0), EXAMPLES.format(1)),
        (LOG.format("pair_swap"), LOG.format("attr_bundle")),
        ("dataset/streams/pair_swap.json", "dataset/streams/attr_bundle.json"),
    ):
        first, second = build.path / one, build.path / other
        content = first.read_bytes()
        first.write_bytes(second.read_bytes())
        second.write_bytes(content)
        assert names_of(repair(build)) >= {one, other}
        assert contents(build) == whole.contents


def test_files_of_a_smaller_build_are_no_match(build: Build, whole: Whole, tmp_path: Path) -> None:
    old = Build(tmp_path / "old", "main")
    make(old, small(7, "pair_swap", "attr_bundle", shard_rows=5))
    for name in contents(old):
        if not name.endswith(".json"):
            shutil.copy(old.path / name, build.path / name)
    repair(build)
    assert contents(build) == whole.contents


def edit_manifest(path: Path, edit: Callable[[Manifest], Manifest]) -> None:
    """Change a manifest and sign it anew: only what it lists can tell."""
    write_manifest(path, edit(read_manifest(path)))


def test_rows_that_were_edited_with_their_manifests_are_replaced(
    build: Build, whole: Whole
) -> None:
    stream = build.stream("pair_swap")
    name = EXAMPLES.format(1)
    entry = next(entry for entry in read_manifest(stream).files if entry.name == name)
    table = read_verified(build.path, entry, stored_schema(Example))
    upper = pc.utf8_upper(table["positive"])
    table = table.set_column(
        table.schema.get_field_index("positive"), table.schema.field("positive"), upper
    )
    edited = write_table(build.path, name, Example.view, table)
    for path in (stream, build.manifest("dataset")):
        edit_manifest(
            path,
            lambda manifest: manifest.model_copy(
                update={"files": [edited if e.name == name else e for e in manifest.files]}
            ),
        )
    assert Repair(name, "failed", "restored") in repair(build)
    assert contents(build) == whole.contents


def test_a_benchmark_edited_with_its_manifest_is_made_again(build: Build, whole: Whole) -> None:
    entry = next(e for e in read_manifest(build.manifest("benchmark")).files if e.kind == "scenes")
    table = read_verified(build.path, entry, stored_schema(Scene))
    position = table.schema.get_field_index("text")
    upper = pc.utf8_upper(table["text"])
    table = table.set_column(position, table.schema.field("text"), upper)
    edited = write_table(build.path, entry.name, Scene.view, table)
    edit_manifest(
        build.manifest("benchmark"),
        lambda manifest: manifest.model_copy(
            update={"files": [edited if e.name == entry.name else e for e in manifest.files]}
        ),
    )
    assert Repair(entry.name, "failed", "restored") in repair(build)
    assert contents(build) == whole.contents


def _without_a_shard(manifest: Manifest) -> Manifest:
    return manifest.model_copy(update={"shards": manifest.shards[1:]})


def _other_counts(manifest: Manifest) -> Manifest:
    first = manifest.shards[0].model_copy(update={"accepted": 1, "rejected": 9})
    return manifest.model_copy(update={"shards": [first, *manifest.shards[1:]]})


def _stranger(manifest: Manifest) -> Manifest:
    stranger = replace(manifest.files[0], name="dataset/examples/construction=pair_swap/9.parquet")
    return manifest.model_copy(update={"files": [*manifest.files, stranger]})


def _less(manifest: Manifest) -> Manifest:
    return manifest.model_copy(update={"files": manifest.files[2:]})


def _other_seed(manifest: Manifest) -> Manifest:
    return manifest.model_copy(update={"settings": manifest.settings | {"seed": 9}})


@pytest.mark.parametrize("edit", [_without_a_shard, _other_counts, _stranger, _less, _other_seed])
def test_an_edited_manifest_of_a_construction_is_put_right(
    build: Build, whole: Whole, edit: Callable[[Manifest], Manifest]
) -> None:
    edit_manifest(build.stream("pair_swap"), edit)
    repair(build)
    assert contents(build) == whole.contents


def test_an_edited_manifest_of_the_dataset_is_put_right(build: Build, whole: Whole) -> None:
    quotas = {"pair_swap": 3, "attr_bundle": 99}
    edit_manifest(
        build.manifest("dataset"),
        lambda manifest: manifest.model_copy(
            update={"settings": manifest.settings | {"quotas": quotas}, "counts": {"accepted": 1}}
        ),
    )
    assert Repair("dataset/manifest.json", "failed", "restored") in repair(build)
    assert contents(build) == whole.contents


def test_without_any_manifest_nothing_tells_what_the_dataset_was(build: Build) -> None:
    shutil.rmtree(build.streams)
    build.manifest("dataset").unlink()
    with pytest.raises(DamagedFileError, match="nothing tells what it was made from"):
        repair(build)


def test_a_benchmark_without_its_manifest_is_told_after_the_dataset_is_repaired(
    build: Build, whole: Whole
) -> None:
    (build.path / "benchmark/manifest.json").unlink()
    (build.path / EXAMPLES.format(0)).unlink()
    with pytest.raises(DamagedFileError, match="saber benchmark --force"):
        repair(build)
    assert (build.path / EXAMPLES.format(0)).read_bytes() == whole.contents[EXAMPLES.format(0)]


@pytest.mark.parametrize("content", [None, "{"])
def test_a_benchmark_s_manifest_comes_back_from_the_settings_that_made_it(
    build: Build, whole: Whole, content: str | None
) -> None:
    path = build.path / "benchmark/manifest.json"
    path.unlink()
    if content:
        path.write_text(content)
    others = BENCHMARK.model_copy(update={"seed": 9})
    with pytest.raises(
        DamagedFileError, match="rerun-failed` repairs it with the settings that made"
    ):
        repair_build(build, SETTINGS, Silent(), others)
    assert path.exists() == bool(content)
    repairs = repair_build(build, SETTINGS, Silent(), BENCHMARK)
    assert repairs == [
        Repair("benchmark/manifest.json", "corrupt" if content else "missing", "restored")
    ]
    assert contents(build) == whole.contents


def test_nothing_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BuildMissingError, match="nothing to repair"):
        repair(Build(tmp_path, "main"))


def test_an_unfinished_build_is_repaired_and_not_filled(tmp_path: Path) -> None:
    build = Build(tmp_path, "main")
    unfinished = SETTINGS.model_copy(update={"budget_attempts": 9})
    make(build, unfinished)
    before = contents(build)
    (build.path / EXAMPLES.format(0)).unlink()
    flip(build.path / EXAMPLES.format(1), Random(0))
    repair_build(build, unfinished, Silent())
    assert contents(build) == before
    assert not build.manifest("dataset").exists()


def test_the_open_segment_of_an_unfinished_build_gets_its_drafts_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = Build(tmp_path, "main")
    writer = FakeWriter()
    use(monkeypatch, writer)
    make(build, SETTINGS.model_copy(update={"budget_attempts": 9}))
    (build.path / LOG.format("pair_swap")).unlink()
    repair(build)
    asked = len(writer.asked)
    make(build, SETTINGS)
    assert broken_rules(build, SETTINGS) == []
    assert set(writer.asked[asked:]).isdisjoint(range(9))
