"""Servers shared by the tests of a module, each started once."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from artifacts.settings import ServeSettings
from tests.flows.builds import SMALL_TOML
from tests.flows.nights import DATASET_TOML
from tests.servers.running import SABER, PrefectServer, Running, clean_environment, wait_until

#: Often enough for a test; the last field is seconds.
EVERY_TEN_SECONDS = "* * * * * */10"


class Serving:
    """`saber serve` in a folder with settings and builds of its own."""

    def __init__(self, server: PrefectServer, folder: Path) -> None:
        self.server = server
        self.folder = folder
        self.root = folder / "builds"
        (folder / "saber.toml").write_text(
            f'{SMALL_TOML}{DATASET_TOML}[serve.nightly]\ncron = "{EVERY_TEN_SECONDS}"\n'
        )
        self._running: Running | None = None

    def start(self) -> None:
        env = clean_environment(self.folder / "home") | {
            "PREFECT_API_URL": self.server.url,
            "SABER_ROOT": str(self.root),
            "PREFECT_RUNNER_POLL_FREQUENCY": "1",
        }
        self._running = Running((*SABER, "serve"), self.folder / "serve.log", env, self.folder)
        wait_until(self._is_registered, "registered deployments")

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        return self._running.end(number) if self._running else 0

    def pause(self, deployment: str) -> None:
        self._set(deployment, "pause_deployment")

    def resume(self, deployment: str) -> None:
        self._set(deployment, "resume_deployment")

    def _set(self, deployment: str, what: str) -> None:
        found = self.server.ask(f"deployments/name/{deployment}/{deployment}")
        self.server.ask(f"deployments/{found['id']}/{what}", {})

    def said(self) -> str:
        return (self.folder / "serve.log").read_text()

    def _is_registered(self) -> bool:
        assert self._running is not None
        assert self._running.process.poll() is None, self.said()
        found = self.server.ask("deployments/filter", {})
        return len(found) == len(ServeSettings.model_fields) - 1


@pytest.fixture
def serving_folder(tmp_path: Path) -> Path:
    return tmp_path


def serve_on(server: PrefectServer, folder: Path) -> Iterator[Serving]:
    """Yield a `saber serve` on a running server, and end both."""
    serving = Serving(server, folder)
    try:
        serving.start()
        yield serving
    finally:
        serving.stop()
        server.stop()


def runs_by_schedule(server: PrefectServer) -> list[str]:
    """Return the ids of completed runs that a schedule created, oldest first."""
    chosen = {"flow_runs": {"state": {"type": {"any_": ["COMPLETED"]}}}, "sort": "START_TIME_ASC"}
    found = server.ask("flow_runs/filter", chosen)
    return [run["id"] for run in found if run["auto_scheduled"]]


def begin_of_shards(build: Path) -> None:
    """Wait until a build has shards, and is far from its end."""
    wait_until(lambda: list(build.glob("dataset/examples/*/00001.parquet")), "first shards")
    assert not (build / "dataset/manifest.json").exists()
