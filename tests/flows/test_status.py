"""`saber status`: what it says of builds that are whole, half-way, damaged; and of the server."""

import json
import os
import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from artifacts.builds import Build
from artifacts.errors import SettingsError
from artifacts.manifest import read_manifest, write_manifest
from flows.cli import main
from flows.stages.dataset_state import mark_repairing
from flows.stages.runs import RunRecord, publish_run, unfinished_folder
from flows.stages.status import BuildGlance, glance_at
from generators.constructions import CONSTRUCTIONS
from tests.flows.nights import build_both, snapshot

SHARD = "dataset/examples/construction=pair_swap/00001.parquet"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Build:
    return build_both(tmp_path_factory.mktemp("finished"))


@pytest.fixture
def build(finished: Build, tmp_path: Path) -> Build:
    copy = Build(tmp_path / "builds", "main")
    shutil.copytree(finished.path, copy.path)
    return copy


def run(
    *arguments: str, patch: pytest.MonkeyPatch, root: Path, capsys: pytest.CaptureFixture[str]
) -> str:
    patch.setattr("sys.argv", ["saber", "status", "--root", str(root), *arguments])
    patch.setenv("COLUMNS", "100")
    with pytest.raises(SystemExit) as caught:
        main()
    assert not caught.value.code
    printed = capsys.readouterr()
    assert printed.err == ""
    return printed.out


def stages(glance: BuildGlance) -> dict[str, str]:
    return {stage.stage: stage.state for stage in glance.stages}


def test_a_finished_build(build: Build) -> None:
    before = snapshot(build)
    glance = glance_at(build)
    assert stages(glance) == {"benchmark": "finished", "dataset": "finished"}
    first = glance.streams[0]
    assert (first.construction, first.accepted, first.quota) == ("pair_swap", 8, 8)
    assert first.attempts >= 8
    assert first.acceptance == 8 / first.attempts
    assert glance.damaged == {}
    assert glance.files > 50
    assert glance.disk_bytes > 100_000
    assert snapshot(build) == before


def test_a_build_half_way_is_measured_against_its_own_quotas(build: Build) -> None:
    build.manifest("dataset").unlink()
    manifest = read_manifest(build.stream("pair_swap"))
    write_manifest(build.stream("pair_swap"), manifest.model_copy(update={"complete": False}))
    glance = glance_at(build)
    assert stages(glance)["dataset"].startswith("unfinished: 6 of 7")
    assert (glance.streams[0].accepted, glance.streams[0].quota) == (8, 8)


def test_what_was_not_begun_has_no_quota_that_is_known(build: Build) -> None:
    build.manifest("dataset").unlink()
    build.stream("pair_swap").unlink()
    streams = glance_at(build).streams
    assert [stream.quota for stream in streams[:2]] == [None, 8]


def test_a_repair_that_broke_off_and_a_lost_manifest_show(build: Build) -> None:
    build.manifest("benchmark").unlink()
    mark_repairing(build, dict.fromkeys(CONSTRUCTIONS, 9))
    build.manifest("dataset").unlink()
    build.stream("pair_swap").unlink()
    glance = glance_at(build)
    assert stages(glance)["benchmark"].startswith("damaged: its manifest")
    assert stages(glance)["dataset"].startswith("under repair: `saber rerun-failed`")
    assert [stream.quota for stream in glance.streams[:2]] == [9, 8]
    assert glance.damaged == {
        "benchmark/manifest.json": "missing",
        "dataset/manifest.json": "missing",
        "dataset/streams/pair_swap.json": "missing",
    }


@pytest.mark.parametrize("deep", [False, True])
def test_files_may_go_away_while_it_looks(
    build: Build, monkeypatch: pytest.MonkeyPatch, *, deep: bool
) -> None:
    real, seen = Path.stat, Counter[Path]()

    def vanish(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        seen[path] += 1
        if path == build.path / SHARD and seen[path] > 1:
            raise FileNotFoundError(path)
        return real(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", vanish)
    glance = glance_at(build, deep=deep)
    assert glance.damaged == {SHARD: "missing"}
    assert glance.disk_bytes > 100_000


def test_folders_may_come_and_go_while_it_looks(build: Build) -> None:
    """A benchmark that is being repaired, and shards that are being written."""
    partial = build.dataset / "examples" / ".x.partial"
    stop = Event()

    def churn() -> None:
        while not stop.is_set():
            (build.path / "repair" / "benchmark").mkdir(parents=True, exist_ok=True)
            (build.path / "repair" / "benchmark" / "scenes").write_bytes(b"1")
            partial.write_bytes(b"1")
            partial.replace(partial.with_name("x"))
            shutil.rmtree(build.path / "repair")

    with ThreadPoolExecutor(1) as pool:
        churning = pool.submit(churn)
        try:
            for _ in range(100):
                assert glance_at(build).damaged == {}
        finally:
            stop.set()
        churning.result()


def test_a_run_that_was_broken_off_shows(
    build: Build, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (unfinished_folder(build, "training", "minilm") / "adapter").touch()
    first = stages(glance_at(build))["training"]
    assert first == "unfinished: minilm; `saber train` with the same settings goes on"
    publish_run(build, "training", "minilm", RunRecord(settings={}, inputs={}), {})
    (unfinished_folder(build, "training", "other") / "adapter").touch()
    assert stages(glance_at(build))["training"] == "finished"
    text = run(patch=monkeypatch, root=build.root, capsys=capsys)
    assert "finished; begun: other" in text


def test_damage_that_shows_in_the_size_is_seen_at_once_and_all_with_deep(build: Build) -> None:
    (build.path / SHARD).unlink()
    cut = build.benchmark / "scenes.parquet"
    cut.write_bytes(cut.read_bytes()[:-1])
    edited = build.benchmark / "questions.parquet"
    edited.write_bytes(b"\0" * edited.stat().st_size)
    build.stream("predicative").write_text("{")
    cheap = {
        SHARD: "missing",
        "benchmark/scenes.parquet": "corrupt",
        "dataset/streams/predicative.json": "corrupt",
    }
    assert glance_at(build).damaged == cheap
    deep = glance_at(build, deep=True).damaged
    assert deep == cheap | {"benchmark/questions.parquet": "corrupt"}


def test_the_command_fits_on_a_screen(
    build: Build, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (build.path / SHARD).unlink()
    text = run(patch=monkeypatch, root=build.root, capsys=capsys)
    assert len(text.splitlines()) <= 24
    assert f"missing {SHARD}" in text
    assert "free on the disk" in text


def test_the_command_speaks_json(
    build: Build, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = json.loads(run("--json", patch=monkeypatch, root=build.root, capsys=capsys))
    assert told.keys() == {"root", "free_bytes", "builds", "runs"}
    (found,) = told["builds"]
    assert found["build"] == "main"
    assert found["streams"][0]["accepted"] == 8
    assert told["runs"] == []


def test_without_a_build_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = run(patch=monkeypatch, root=tmp_path / "none", capsys=capsys)
    assert "`saber run` makes one" in text


def test_a_quota_that_nothing_tells_is_a_dash(
    build: Build, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    build.manifest("dataset").unlink()
    build.stream("pair_swap").unlink()
    text = run(patch=monkeypatch, root=build.root, capsys=capsys)
    (row,) = [line.split() for line in text.splitlines() if line.startswith("pair_swap ")]
    assert row == ["pair_swap", "0", "-", "0", "-"]


def test_flow_runs_come_from_the_server(
    prefect_server: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from prefect import flow
    from prefect.client.orchestration import get_client
    from prefect.settings import PREFECT_API_URL
    from prefect.states import Late

    from flows.orchestration import unfinished_runs

    monkeypatch.setenv("PREFECT_API_URL", str(PREFECT_API_URL.value()))

    @flow(name="looks-at-itself")
    def look() -> list[tuple[str, str]]:
        return [(run.flow, run.state) for run in unfinished_runs()]

    assert ("looks-at-itself", "Running") in look()
    with get_client(sync_client=True) as client:
        client.create_flow_run(look, name="no-worker-came", state=Late())
    assert ("no-worker-came", "Late") in [(run.name, run.state) for run in unfinished_runs()]


def test_a_server_that_is_away_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from prefect.settings import PREFECT_API_URL, PREFECT_CLIENT_MAX_RETRIES, temporary_settings

    from flows.orchestration import unfinished_runs

    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:9/api")
    nowhere = {PREFECT_API_URL: "http://127.0.0.1:9/api", PREFECT_CLIENT_MAX_RETRIES: 0}
    with temporary_settings(nowhere), pytest.raises(SettingsError, match="found none"):
        unfinished_runs()
