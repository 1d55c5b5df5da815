"""`saber status`: what it says of builds that are whole, half-way, damaged; and of the server."""

import json
import shutil
from pathlib import Path

import pytest

from artifacts.builds import Build
from artifacts.errors import SettingsError
from artifacts.manifest import read_manifest, write_manifest
from flows.cli import main
from flows.stages.runs import RunRecord, publish_run, unfinished_folder
from flows.stages.status import BuildGlance, glance_at
from tests.flows.nights import DATASET_TOML, build_both, snapshot

QUOTAS = {"pair_swap": 20, "predicative": 10}
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
    glance = glance_at(build, QUOTAS)
    assert stages(glance) == {"benchmark": "finished", "dataset": "finished"}
    first = glance.streams[0]
    assert (first.construction, first.accepted, first.quota) == ("pair_swap", 8, 8)
    assert first.attempts >= 8
    assert first.acceptance == 8 / first.attempts
    assert glance.damaged == {}
    assert glance.files > 50
    assert glance.disk_bytes > 100_000
    assert snapshot(build) == before


def test_a_build_half_way_is_measured_against_the_settings(build: Build) -> None:
    build.manifest("dataset").unlink()
    manifest = read_manifest(build.stream("pair_swap"))
    write_manifest(build.stream("pair_swap"), manifest.model_copy(update={"complete": False}))
    glance = glance_at(build, QUOTAS)
    assert stages(glance)["dataset"].startswith("unfinished: 6 of 7")
    assert (glance.streams[0].accepted, glance.streams[0].quota) == (8, 20)


def test_a_run_that_was_broken_off_shows(
    build: Build, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (unfinished_folder(build, "training", "minilm") / "adapter").touch()
    first = stages(glance_at(build, QUOTAS))["training"]
    assert first == "unfinished: minilm; `saber train` with the same settings goes on"
    publish_run(build, "training", "minilm", RunRecord(settings={}, inputs={}), {})
    (unfinished_folder(build, "training", "other") / "adapter").touch()
    assert stages(glance_at(build, QUOTAS))["training"] == "finished"
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
    assert glance_at(build, QUOTAS).damaged == cheap
    deep = glance_at(build, QUOTAS, deep=True).damaged
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


def test_the_settings_of_a_half_way_build_count(
    build: Build, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = build.root / "other.toml"
    settings.write_text(DATASET_TOML.replace("quota = 8", "quota = 11"))
    build.manifest("dataset").unlink()
    arguments = ("--json", "--settings", str(settings))
    told = json.loads(run(*arguments, patch=monkeypatch, root=build.root, capsys=capsys))
    assert told["builds"][0]["streams"][0]["quota"] == 11


def test_flow_runs_come_from_the_server(
    prefect_server: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from prefect import flow
    from prefect.settings import PREFECT_API_URL
    from prefect.states import Late

    from flows.orchestration import get_client, unfinished_runs

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
