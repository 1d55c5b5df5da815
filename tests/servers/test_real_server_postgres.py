"""`saber serve` against a real Prefect server on a real PostgreSQL, which restarts meanwhile."""

from collections.abc import Iterator

import pytest

from artifacts.builds import Build
from flows.progress import Silent
from flows.stages.benchmark import build_benchmark
from tests.flows.builds import SMALL
from tests.servers.conftest import Serving, begin_of_shards, runs_by_schedule, serve_on
from tests.servers.running import (
    Postgres,
    PrefectServer,
    folder_of_postgres,
    wait_until,
    why_no_postgres,
)

pytestmark = [
    pytest.mark.xdist_group("servers"),
    pytest.mark.skipif(bool(why_no_postgres()), reason=why_no_postgres()),
]


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with folder_of_postgres() as folder:
        postgres = Postgres(folder)
        postgres.start()
        try:
            yield postgres
        finally:
            postgres.stop()


@pytest.fixture(scope="module")
def serving(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("postgres")
    build_benchmark(Build(folder / "builds", "main"), SMALL, Silent())
    server = PrefectServer(folder, postgres.url)
    server.start()
    yield from serve_on(server, folder)


def test_a_run_by_schedule_and_one_through_the_api_complete(serving: Serving) -> None:
    server = serving.server
    run = server.start_run("benchmark", {"build": "by-hand"})
    assert server.wait_for_end(run) == "COMPLETED", serving.said()
    assert "questions" in server.artifacts_of(run)["benchmark-counts"]
    first, *_ = wait_until(lambda: runs_by_schedule(server), "completed run of the schedule")
    assert "| main | " in server.artifacts_of(first)["nightly"]
    serving.pause("nightly")


def test_postgresql_restarts_in_the_middle_of_a_run(serving: Serving, postgres: Postgres) -> None:
    run = serving.server.start_run("dataset", {"build": "interrupted", "quota": 60})
    begin_of_shards(serving.root / "interrupted")
    postgres.stop()
    postgres.start()
    assert serving.server.wait_for_end(run) == "COMPLETED", serving.said()
    assert "dataset-counts" in serving.server.artifacts_of(run)
    assert Build(serving.root, "interrupted").manifest("dataset").is_file()


def test_task_runs_are_all_recorded(serving: Serving) -> None:
    """A thousand took a minute, and 503s, without the settings that the compose file has."""
    chosen = {"flows": {"name": {"any_": ["dataset"]}}}

    def recorded() -> bool:
        tasks = serving.server.ask("task_runs/filter", chosen)
        return bool(tasks) and {task["state_type"] for task in tasks} == {"COMPLETED"}

    wait_until(recorded, "completed task runs")
