"""`saber serve` against a real Prefect server on SQLite: schedules, the API, and sudden ends."""

import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError

import pytest

from artifacts.builds import Build
from flows.deployments import WORK_POOL
from flows.progress import Silent
from flows.stages.benchmark import build_benchmark
from tests.compose import PROJECT, services
from tests.flows.builds import SMALL
from tests.servers.conftest import Serving, begin_of_shards, runs_by_schedule, serve_on
from tests.servers.running import (
    PATIENCE_SECONDS,
    PREFECT,
    PrefectServer,
    Running,
    clean_environment,
    free_port,
    wait_until,
)

OPERATIONS = (PROJECT / "docs/operations.md").read_text(encoding="utf-8")

pytestmark = pytest.mark.xdist_group("servers")


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("sqlite")
    damaged = Build(folder / "builds", "main")
    build_benchmark(damaged, SMALL, Silent())
    (damaged.benchmark / "scenes.parquet").unlink()
    server = PrefectServer(folder)
    server.start()
    yield from serve_on(server, folder)


def test_a_run_by_schedule_repairs_a_build_and_tells(serving: Serving) -> None:
    server = serving.server

    def told() -> str | None:
        """The page of the run that repaired: another one may have met it at the lock."""
        pages = (server.artifacts_of(run)["nightly"] for run in runs_by_schedule(server))
        return next((page for page in pages if "| repaired |" in page), None)

    page = wait_until(told, "completed run of the schedule that repaired")
    assert "| main | benchmark | repaired | 1 | 1 |  |" in page
    assert "`benchmark/scenes.parquet` | missing | restored" in page
    wait_until(lambda: events(server, "saber.benchmark.repaired"), "event of the repair")
    # The other tests want the processor for themselves.
    serving.pause("nightly")


def events(server: PrefectServer, name: str) -> list[object]:
    found = server.ask("events/filter", {"filter": {"event": {"name": [name]}}})
    return list(found["events"])


def test_a_run_by_the_command_of_the_page_builds_and_leaves_its_counts(serving: Serving) -> None:
    (shown,) = re.findall(r"^prefect (deployment run benchmark.*)$", OPERATIONS, re.MULTILINE)
    command = (*PREFECT, *shlex.split(shown.replace("build=main", "build=by-hand")))
    env = clean_environment(serving.folder / "home") | {"PREFECT_API_URL": serving.server.url}
    asked = Running(command, serving.folder / "run.log", env)
    assert asked.process.wait(PATIENCE_SECONDS) == 0, asked.log.read_text()
    made = serving.server.ask("flow_runs/filter", {"sort": "START_TIME_DESC"})
    run = next(each["id"] for each in made if each["parameters"].get("build") == "by-hand")
    assert serving.server.state_of(run) == "COMPLETED", serving.said()
    counts = json.loads(serving.server.artifacts_of(run)["benchmark-counts"])
    assert {"record": "questions", "rows": 30} in counts
    assert Build(serving.root, "by-hand").manifest("benchmark").is_file()
    lines = (serving.root / "by-hand/logs/saber.log").read_text()
    assert 'event="benchmark ends" build=by-hand' in lines
    wait_until(lambda: is_shown(serving.server, run, "benchmark begins"), "log line of the run")


def is_shown(server: PrefectServer, run: str, words: str) -> bool:
    logged = server.ask("logs/filter", {"logs": {"flow_run_id": {"any_": [run]}}})
    return any(words in line["message"] for line in logged)


def test_wrong_parameters_are_refused_by_the_form(serving: Serving) -> None:
    with pytest.raises(HTTPError, match=r"HTTP Error 4\d\d"):
        serving.server.start_run("dataset", {"quota": "many"})


def test_the_server_is_killed_in_the_middle_of_a_run(serving: Serving) -> None:
    server = serving.server
    run = server.start_run("dataset", {"build": "interrupted", "quota": 60})
    begin_of_shards(serving.root / "interrupted")
    server.stop(signal.SIGKILL)
    server.start()
    assert server.wait_for_end(run) == "COMPLETED", serving.said()
    assert Build(serving.root, "interrupted").manifest("dataset").is_file()


def test_server_and_worker_are_killed_and_the_next_run_goes_on(serving: Serving) -> None:
    server, build = serving.server, Build(serving.root, "killed")
    parameters: dict[str, object] = {"build": "killed", "quota": 60}
    server.start_run("dataset", parameters)
    begin_of_shards(build.path)
    serving.stop(signal.SIGKILL)
    server.stop(signal.SIGKILL)
    assert not build.manifest("dataset").exists()
    server.start()
    serving.start()
    again = server.start_run("dataset", parameters)
    assert server.wait_for_end(again) == "COMPLETED", serving.said()
    assert build.manifest("dataset").is_file()


def test_sigterm_ends_it_and_leaves_the_schedule_on(serving: Serving) -> None:
    serving.resume("nightly")
    assert serving.stop() == 0, serving.said()
    found = serving.server.ask("deployments/name/nightly/nightly")
    assert not found["paused"]
    assert [schedule["active"] for schedule in found["schedules"]] == [True]


def test_what_the_compose_file_runs_deploys_and_works(serving: Serving) -> None:
    """The commands of its `deploy` and `worker`, in the order in which it starts them.

    A worker that is killed alone leaves the run that it began to itself: until that has something
    to say, which nobody reads. The next one goes on.
    """
    server, folder = serving.server, serving.folder
    commands = services(POSTGRES_PASSWORD="none")
    env = clean_environment(folder / "home") | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PREFECT_API_URL": server.url,
        "PREFECT_WORKER_QUERY_SECONDS": "1",
        "PREFECT_WORKER_WEBSERVER_PORT": str(free_port()),
        "SABER_ROOT": str(serving.root),
        "SABER_SETTINGS": str(folder / "saber.toml"),
    }
    deploy = Running(tuple(commands["deploy"]["command"]), folder / "deploy.log", env, PROJECT)
    assert deploy.process.wait(PATIENCE_SECONDS) == 0, deploy.log.read_text()
    found = server.ask("deployments/filter", {})
    assert {each["work_pool_name"] for each in found} == {WORK_POOL}
    worker = Running(tuple(commands["worker"]["command"]), folder / "worker.log", env, folder)
    try:
        run = server.start_run("benchmark", {"build": "by-worker"})
        assert server.wait_for_end(run) == "COMPLETED", worker.log.read_text()
        build = Build(serving.root, "by-worker")
        assert build.manifest("benchmark").is_file()
        parameters: dict[str, object] = {"build": "by-worker", "quota": 60}
        left = server.start_run("dataset", parameters)
        begin_of_shards(build.path)
        worker.process.kill()
        worker.process.wait()
        assert server.wait_for_end(left) in ("COMPLETED", "CRASHED"), worker.log.read_text()
        worker = Running(tuple(commands["worker"]["command"]), worker.log, env, folder)
        again = server.start_run("dataset", parameters)
        assert server.wait_for_end(again) == "COMPLETED", worker.log.read_text()
        assert build.manifest("dataset").is_file()
    finally:
        worker.end()
