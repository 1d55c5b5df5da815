"""The nightly validation: everything found, everything repaired, nothing else touched, and told."""

import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from artifacts.builds import Build, hold_build
from artifacts.catalog import connect
from artifacts.errors import (
    BuildLockedError,
    BuildMissingError,
    DamagedFileError,
    ValidationFailedError,
)
from artifacts.files import FileEntry
from artifacts.manifest import read_manifest, write_manifest
from artifacts.parquet import read_verified, write_table
from artifacts.records import Example, Question
from artifacts.schema import stored_schema
from flows.progress import Silent
from flows.stages.build_repair import repair_build
from flows.stages.dataset import build_dataset
from flows.stages.nightly import StageNight, watch_build
from flows.stages.parsing import parse_build
from flows.stages.runs import unfinished_folder
from tests.flows.builds import edit_and_sign, move_answers, with_column
from tests.flows.nights import DATASET, HARMS, build_both, snapshot, stored_files

if TYPE_CHECKING:
    from prefect.client.schemas.objects import Artifact

STREAM = "dataset/streams/pair_swap.json"
SHARD = "dataset/examples/construction=pair_swap/00001.parquet"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """A finished build; tests copy it."""
    return build_both(tmp_path_factory.mktemp("finished"))


@pytest.fixture
def build(finished: Build, tmp_path: Path) -> Build:
    """A finished build, for a test to break."""
    copy = Build(tmp_path / "builds", finished.name)
    shutil.copytree(finished.path, copy.path)
    return copy


def watch(build: Build) -> dict[str, StageNight]:
    return {night.stage: night for night in watch_build(build, DATASET, Silent())}


def states(build: Build) -> dict[str, str]:
    with connect(build, {"shards"}) as connection:
        return dict(connection.execute("SELECT name, state FROM shards").fetchall())


def edit_example(build: Build) -> None:
    """Change a stored text and sign it, in the stream's manifest: only a rule can notice."""
    manifest = read_manifest(build.path / STREAM)
    old = entry_of(build, SHARD)
    table = read_verified(build.path, old, stored_schema(Example))
    texts = [f"{text} indeed." for text in table.column("positive").to_pylist()]
    new = write_table(build.path, SHARD, Example.view, with_column(table, "positive", list(texts)))
    files = [new if entry == old else entry for entry in manifest.files]
    write_manifest(build.path / STREAM, manifest.model_copy(update={"files": files}))


def entry_of(build: Build, name: str) -> FileEntry:
    (found,) = (e for e in read_manifest(build.path / STREAM).files if e.name == name)
    return found


def test_a_whole_build_stays_as_it_is(build: Build) -> None:
    before = snapshot(build)
    nights = watch(build)
    assert {stage: night.outcome for stage, night in nights.items()} == {
        "benchmark": "whole",
        "dataset": "whole",
    }
    assert snapshot(build) == before


def test_seven_nights_of_damage_leave_no_trace(build: Build) -> None:
    whole = snapshot(build)
    draw = random.Random(7)
    for night in range(7):
        files = stored_files(build)
        for path in draw.sample(files, 4):
            harm = HARMS[draw.randrange(len(HARMS))]
            harm(path, [other for other in files if other.exists()], draw)
        harmed = {name for name in whole if snapshot(build).get(name) != whole[name]}
        told = watch(build)
        found = {name for each in told.values() for name in each.found}
        assert found == harmed, f"night {night}"
        assert all(each.outcome in ("whole", "repaired") for each in told.values())
        assert snapshot(build) == whole, f"night {night}"


def test_an_older_file_put_back_is_found(build: Build, tmp_path: Path) -> None:
    older = Build(tmp_path / "older", "main")
    build_dataset(older, DATASET.model_copy(update={"seed": 1}), Silent())
    whole = snapshot(build)
    shutil.copy(older.path / SHARD, build.path / SHARD)
    night = watch(build)["dataset"]
    assert (night.outcome, night.found) == ("repaired", {SHARD: "corrupt"})
    assert snapshot(build) == whole


@pytest.mark.parametrize("name", ["dataset/manifest.json", STREAM, "dataset/splits.parquet"])
@pytest.mark.parametrize("damage", ["missing", "corrupt"])
def test_lost_manifests_come_back(build: Build, name: str, damage: str) -> None:
    whole = snapshot(build)
    if damage == "missing":
        (build.path / name).unlink()
    else:
        (build.path / name).write_bytes(b"{")
    night = watch(build)["dataset"]
    assert (night.outcome, night.found) == ("repaired", {name: damage})
    assert snapshot(build) == whole


def test_rows_that_break_a_rule_are_restored_from_the_log(build: Build) -> None:
    whole = snapshot(build)
    edit_example(build)
    night = watch(build)["dataset"]
    assert night.outcome == "repaired"
    assert night.found[SHARD] == "failed"
    assert "captions_come_from_their_draft" in night.broken
    assert snapshot(build) == whole


def test_an_edited_benchmark_is_made_again(build: Build) -> None:
    whole = snapshot(build)
    edit_and_sign(build, Question, move_answers)
    night = watch(build)["benchmark"]
    assert night.outcome == "repaired"
    assert night.broken == {"exactly_one_correct_candidate": "30 of 30"}
    assert snapshot(build) == whole


def test_what_can_t_be_repaired_is_marked_until_it_is(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit_example(build)
    with monkeypatch.context() as patch:
        patch.setattr("flows.stages.nightly.repair_dataset", lambda *_: [])
        night = watch(build)["dataset"]
    assert night.outcome == "failed"
    assert "still failing after the repair" in night.why
    assert states(build)[SHARD] == "failed"
    assert watch(build)["dataset"].outcome == "repaired"
    assert set(states(build).values()) == {"complete"}


def test_the_parser_s_opinions_are_restored_too(build: Build) -> None:
    parse_build(build, DATASET.parser, 1, Silent())
    whole = snapshot(build)
    damaged = "dataset/parses/construction=pair_swap/00000.parquet"
    (build.path / damaged).unlink()
    (build.streams / "parses-predicative.json").write_text("{")
    night = watch(build)["dataset"]
    assert night.outcome == "repaired"
    assert night.found == {damaged: "missing", "dataset/streams/parses-predicative.json": "corrupt"}
    assert snapshot(build) == whole


def test_a_dataset_half_way_is_not_judged(build: Build) -> None:
    build.manifest("dataset").unlink()
    manifest = read_manifest(build.path / STREAM)
    write_manifest(build.path / STREAM, manifest.model_copy(update={"complete": False}))
    (build.path / SHARD).unlink()
    before = snapshot(build)
    night = watch(build)["dataset"]
    assert night.outcome == "skipped"
    assert night.why.startswith("unfinished: 6 of 7 constructions are complete")
    assert snapshot(build) == before


def test_a_benchmark_without_its_manifest_is_damaged_and_not_half_way(build: Build) -> None:
    build.manifest("benchmark").unlink()
    nights = watch(build)
    assert nights["dataset"].outcome == "whole"
    assert nights["benchmark"].outcome == "failed"
    assert nights["benchmark"].found == {"benchmark/manifest.json": "missing"}
    assert "saber benchmark --force" in nights["benchmark"].why


def test_runs_without_their_manifest_are_damaged_and_begun_ones_half_way(build: Build) -> None:
    unfinished_folder(build, "training", "minilm")
    assert watch(build)["training"].outcome == "skipped"
    (build.training / "minilm").mkdir()
    (build.training / "minilm" / "adapter").touch()
    night = watch(build)["training"]
    assert (night.outcome, night.found) == ("failed", {"training/manifest.json": "missing"})
    assert "`saber train --force`" in night.why
    with pytest.raises(DamagedFileError, match="saber train --force"):
        repair_build(build, DATASET, Silent())


def test_an_interrupted_re_judging_is_not_judged(build: Build) -> None:
    (build.dataset / ".rejudging").write_text("{}")
    night = watch(build)["dataset"]
    assert night.outcome == "skipped"
    assert "run `saber rejudge` again" in night.why


# ---- the flow ----


@pytest.fixture
def root(build: Build, prefect_server: None) -> Path:
    return build.root


def page_of_last_night() -> "Artifact":
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey
    from prefect.client.schemas.sorting import ArtifactSort

    chosen = ArtifactFilter(key=ArtifactFilterKey(any_=["nightly"]))
    with get_client(sync_client=True) as client:
        newest, *_ = client.read_artifacts(artifact_filter=chosen, sort=ArtifactSort.CREATED_DESC)
    return newest


def test_the_flow_tells_on_a_page_what_was_repaired(root: Path, build: Build) -> None:
    from flows.nightly import nightly_flow

    (build.path / SHARD).unlink()
    nightly_flow(root, None, DATASET)
    page = str(page_of_last_night().data)
    assert "| main | benchmark | whole | 0 | 0 |  |" in page
    assert "| main | dataset | repaired | 1 | 1 |  |" in page
    assert f"| `{SHARD}` | missing | restored |" in page


def test_the_flow_fails_where_something_is_failing_still(root: Path, build: Build) -> None:
    from flows.nightly import nightly_flow

    build.manifest("benchmark").write_text("{")
    with pytest.raises(ValidationFailedError, match=r"benchmark of main: manifest .* is damaged"):
        nightly_flow(root, None, DATASET)
    assert "| main | benchmark | failed |" in str(page_of_last_night().data)


def test_a_build_that_can_t_be_held_keeps_no_other_from_being_looked_at(
    root: Path, build: Build
) -> None:
    from flows.nightly import nightly_flow

    (root / "a_first" / "dataset").mkdir(parents=True)
    (root / "a_first" / ".lock").mkdir()
    (build.path / SHARD).unlink()
    with pytest.raises(ValidationFailedError, match="all of a_first: cannot write build"):
        nightly_flow(root, None, DATASET)
    page = str(page_of_last_night().data)
    assert "| a_first | all | failed |" in page
    assert "| main | dataset | repaired | 1 | 1 |  |" in page


def test_a_build_that_is_written_is_left_alone_and_the_writer_named(
    root: Path, build: Build
) -> None:
    from flows.nightly import nightly_flow

    with hold_build(build, "dataset"):
        (night,) = nightly_flow(root, None, DATASET)
        with pytest.raises(BuildLockedError, match=r"\(dataset\)"):
            nightly_flow(root, "main", DATASET)
    assert (night.outcome, night.stage) == ("skipped", "all")
    assert "is being written by process" in night.why


def test_a_build_that_is_not_there_is_named(root: Path) -> None:
    from flows.nightly import nightly_flow

    with pytest.raises(BuildMissingError, match="no build 'mian'"):
        nightly_flow(root, "mian", DATASET)


def test_of_two_repairs_at_once_one_works_and_the_other_says_who(build: Build) -> None:
    """Two processes that meet at the lock; whoever comes first repairs."""
    (build.path / SHARD).unlink()
    code = """
import sys
from pathlib import Path
from artifacts.builds import Build
from artifacts.errors import BuildLockedError
from flows.logs import writing
from flows.progress import Silent
from flows.stages.nightly import watch_build
from tests.flows.nights import DATASET
print("ready", flush=True)
sys.stdin.readline()
build = Build(Path(sys.argv[1]), "main")
try:
    with writing(build, "nightly validation"):
        print("works", flush=True)
        sys.stdin.readline()
        print(*(night.outcome for night in watch_build(build, DATASET, Silent())))
except BuildLockedError as error:
    print(error, flush=True)
"""
    two = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(build.root)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said: list[str] = []
    for process in two:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in two:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in two:
        assert process.stdout is not None
        said.append(process.stdout.readline())
    rest = [process.communicate("go\n")[0] for process in two]
    assert sorted(line == "works\n" for line in said) == [False, True]
    assert any("is being written by process" in line for line in said)
    assert sorted(rest) == ["", "whole repaired\n"]


def test_night_page_is_short_where_much_is_wrong() -> None:
    from flows.nightly import night_page

    found = {f"shard{number}": "missing" for number in range(50)}
    page = night_page(
        Path("r"), [StageNight("main", "dataset", "failed", "a | b", found, {"rule": "1 of 2"})]
    )
    assert "and 30 more files" in page
    assert r"a \| b" in page
    assert "- rule `rule` broken by 1 of 2" in page
    assert night_page(Path("r"), []) == "There is no build below `r`."
