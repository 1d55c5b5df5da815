"""The benchmark flow: what it leaves with Prefect, in this process and with a real server."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from artifacts.builds import Build, hold_build
from artifacts.errors import BuildLockedError, SettingsError, ValidationFailedError
from artifacts.records import Question
from tests.flows.builds import SMALL, SMALL_TOML, edit_and_sign, move_answers

if TYPE_CHECKING:
    from prefect.client.schemas.objects import Artifact, FlowRun

#: How long a real server may take to start on a busy machine.
_START_SECONDS = 60


@pytest.fixture(autouse=True)
def _with_a_server(prefect_server: None) -> None:
    """Every flow here runs against the tests' own server."""


def last_run() -> "FlowRun":
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.sorting import FlowRunSort

    with get_client(sync_client=True) as client:
        (found,) = client.read_flow_runs(limit=1, sort=FlowRunSort.START_TIME_DESC)
        return found


def artifacts_of(run: "FlowRun") -> list["Artifact"]:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterFlowRunId

    with get_client(sync_client=True) as client:
        chosen = ArtifactFilter(flow_run_id=ArtifactFilterFlowRunId(any_=[run.id]))
        found = client.read_artifacts(artifact_filter=chosen)
    # What a run returns is an artifact to Prefect, too, but one without a key.
    return [artifact for artifact in found if artifact.key]


def test_a_run_builds_checks_and_publishes_its_counts(tmp_path: Path) -> None:
    from flows.benchmark import benchmark_flow

    run = benchmark_flow(tmp_path, "main", SMALL)
    assert run.outcome.built
    assert not any(report.failed for report in run.reports)
    assert [row.kind for row in run.coverage] == ["objects", "attributes"]
    assert Build(tmp_path, "main").manifest("benchmark").is_file()
    recorded = last_run()
    assert recorded.state_name == "Completed"
    (artifact,) = artifacts_of(recorded)
    assert (artifact.key, artifact.type) == ("benchmark-counts", "table")
    assert json.loads(str(artifact.data)) == [
        {"record": kind, "rows": rows} for kind, rows in run.outcome.manifest.counts.items()
    ]


def test_a_second_run_says_that_nothing_was_built(built: Build) -> None:
    from flows.benchmark import benchmark_flow

    run = benchmark_flow(built.root, built.name, SMALL)
    assert not run.outcome.built
    assert run.reports


def test_a_broken_rule_fails_the_run_and_leaves_the_counts(built: Build) -> None:
    from flows.benchmark import benchmark_flow

    edit_and_sign(built, Question, move_answers)
    with pytest.raises(ValidationFailedError, match="exactly_one_correct_candidate"):
        benchmark_flow(built.root, built.name, SMALL)
    assert last_run().state_name == "Failed"
    assert len(artifacts_of(last_run())) == 1


def test_a_build_that_someone_else_writes_is_left_alone(built: Build) -> None:
    from flows.benchmark import benchmark_flow

    with hold_build(built, "another"), pytest.raises(BuildLockedError, match=r"\(another\)"):
        benchmark_flow(built.root, built.name, SMALL)


def test_a_server_that_is_not_there_is_one_clear_line() -> None:
    from prefect.settings import PREFECT_API_URL, PREFECT_CLIENT_MAX_RETRIES, temporary_settings

    from flows.orchestration import short_runs

    nowhere = {PREFECT_API_URL: "http://127.0.0.1:9/api", PREFECT_CLIENT_MAX_RETRIES: 0}
    with (
        temporary_settings(nowhere),
        pytest.raises(SettingsError, match="expected a Prefect server") as caught,
        short_runs(),
    ):
        pytest.fail("ran without a server")
    assert "\n" not in str(caught.value)


@pytest.fixture
def server_url(tmp_path: Path) -> Iterator[str]:
    """The API of a real Prefect server with a home and an SQLite file of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = tmp_path / "prefect"
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "prefect", "server", "start"),
            *("--host", "127.0.0.1", "--port", str(port), "--no-services"),
        ],
        env={**without_server(), "PREFECT_HOME": str(home), "DO_NOT_TRACK": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}/api"
    try:
        wait_for(f"{url}/health", process)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=_START_SECONDS)


def without_server() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"}


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended at once"
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    pytest.fail(f"no server at {url} after {_START_SECONDS} s")


def ask(url: str, question: dict[str, object]) -> list[dict[str, object]]:
    request = urllib.request.Request(
        url, json.dumps(question).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        found: list[dict[str, object]] = json.load(answer)
    return found


def test_a_command_run_against_a_real_server_is_recorded_there(
    server_url: str, tmp_path: Path
) -> None:
    (tmp_path / "saber.toml").write_text(SMALL_TOML)
    run = subprocess.run(
        [
            *(sys.executable, "-c", "from flows.cli import main; main()"),
            *("benchmark", "--json", "--root", str(tmp_path / "builds")),
        ],
        env={**without_server(), "PREFECT_API_URL": server_url},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "Traceback" not in run.stderr
    (recorded,) = ask(f"{server_url}/flow_runs/filter", {})
    assert recorded["state_type"] == "COMPLETED"
    (artifact,) = (each for each in ask(f"{server_url}/artifacts/filter", {}) if each["key"])
    assert (artifact["key"], artifact["flow_run_id"]) == ("benchmark-counts", recorded["id"])
    counts = json.loads(run.stdout)["counts"]
    table = json.loads(str(artifact["data"]))
    assert {row["record"]: row["rows"] for row in table} == counts
