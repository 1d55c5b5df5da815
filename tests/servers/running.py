"""Real servers for tests, on loopback: PostgreSQL, Prefect's, and `saber serve` beside them.

Each is a process group of its own, so that it can be killed with all that it started.
"""

import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

#: A busy machine takes its time.
PATIENCE_SECONDS = 120.0

SABER = (sys.executable, "-c", "from flows.cli import main; main()")
PREFECT = (sys.executable, "-m", "prefect")

#: What docker-compose.yml sets, too.
RECORDER = {
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "200",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE": "200",
    "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",
}


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def wait_until(happened: Callable[[], Any], what: str) -> Any:
    """Ask again and again until there is an answer, and return it."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        answer = happened()
        if answer:
            return answer
        time.sleep(0.2)
    raise AssertionError(f"no {what} within {PATIENCE_SECONDS:.0f} s")


class Running:
    """A process with its children, and where it writes what it says."""

    def __init__(
        self, command: tuple[str, ...], log: Path, env: dict[str, str], cwd: Path | None = None
    ) -> None:
        self.log = log
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                command, stdout=output, stderr=output, env=env, cwd=cwd, start_new_session=True
            )

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal (SIGKILL: to the whole group) and wait for the end."""
        if self.process.poll() is None:
            if number == signal.SIGKILL:
                os.killpg(self.process.pid, number)
            else:
                self.process.send_signal(number)
        try:
            return self.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise


class PrefectServer:
    """A Prefect server that can be stopped and started again on what it remembers."""

    def __init__(self, folder: Path, database: str | None = None) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/api"
        own = {"PREFECT_SERVER_DATABASE_CONNECTION_URL": database} if database else {}
        self._env = clean_environment(folder / "home") | RECORDER | own
        self._running: Running | None = None

    def start(self) -> None:
        command = (*PREFECT, "server", "start", "--host", "127.0.0.1", "--port", str(self.port))
        running = Running(command, self.folder / "server.log", self._env)
        self._running = running
        wait_until(lambda: self._is_healthy(running), "healthy Prefect server")

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        if self._running:
            self._running.end(number)
        self._running = None

    def ask(self, path: str, question: Mapping[str, object] | None = None) -> Any:
        """Post a question to the API, or get a page of it; again where the server is too busy."""
        body = None if question is None else json.dumps(question).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}/{path}", body, headers)

        def answer() -> list[Any] | None:
            try:
                with urllib.request.urlopen(request, timeout=30) as found:
                    return [json.loads(found.read() or b"null")]
            except urllib.error.HTTPError as error:
                if error.code == HTTPStatus.SERVICE_UNAVAILABLE:
                    return None
                raise

        return wait_until(answer, f"answer to {path}")[0]

    def start_run(self, deployment: str, parameters: dict[str, object]) -> str:
        """Create a run of a deployment, as a person does in the pages; return its id."""
        found = self.ask(f"deployments/name/{deployment}/{deployment}")
        run = self.ask(f"deployments/{found['id']}/create_flow_run", {"parameters": parameters})
        return str(run["id"])

    def state_of(self, run: str) -> str:
        return str(self.ask(f"flow_runs/{run}")["state_type"])

    def wait_for_end(self, run: str) -> str:
        """Return the state in which a run ends; a server that is away is waited for."""
        ends = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")

        def ended() -> str | None:
            try:
                state = self.state_of(run)
            except (urllib.error.URLError, OSError):
                return None
            return state if state in ends else None

        return str(wait_until(ended, f"end of run {run}"))

    def artifacts_of(self, run: str) -> dict[str, str]:
        """Return the artifacts with a key, by key; those of a run's tasks are the run's."""
        chosen = {"artifacts": {"flow_run_id": {"any_": [run]}}}
        found = self.ask("artifacts/filter", chosen)
        return {each["key"]: str(each["data"]) for each in found if each["key"]}

    def _is_healthy(self, running: Running) -> bool:
        assert running.process.poll() is None, running.log.read_text()
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=5):
                return True
        except (urllib.error.URLError, OSError):
            return False


class Postgres:
    """A PostgreSQL of the tests' own, run by a user that isn't root."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"postgresql+asyncpg://prefect@127.0.0.1:{self.port}/postgres"
        self._user = "postgres" if os.getuid() == 0 else None

    def start(self, more: str = "") -> None:
        """Start it, with further options of the program."""
        if not (self.folder / "data").exists():
            self._do("initdb", "-A", "trust", "-U", "prefect", "--no-sync", "-E", "UTF8")
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder} {more}"
        self._do("pg_ctl", "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        self._do("pg_ctl", "-w", "-m", "fast", "stop")

    def _do(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [postgres_program(program) or program, "-D", str(self.folder / "data"), *arguments],
            user=self._user,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def postgres_program(name: str) -> str | None:
    """Return where a program of PostgreSQL is: Debian keeps them out of the path."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(found[-1]) if found else shutil.which(name)


def why_no_postgres() -> str:
    """Return why PostgreSQL can't be started here; empty where it can."""
    if postgres_program("initdb") is None:
        return "PostgreSQL is not installed: apt-get install postgresql"
    if os.getuid() == 0 and "postgres" not in {user.pw_name for user in pwd.getpwall()}:
        return "PostgreSQL refuses to run as root, and there is no user postgres"
    return ""


@contextmanager
def folder_of_postgres() -> Iterator[Path]:
    """A folder that the user postgres can reach, which the tests' own can't be."""
    folder = Path(tempfile.mkdtemp(prefix="saber-postgres-"))
    try:
        if os.getuid() == 0:
            shutil.chown(folder, "postgres")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def clean_environment(home: Path) -> dict[str, str]:
    """Return this environment with a Prefect home of its own and nothing of the user's."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PREFECT_", "SABER_"))
    }
    return kept | {
        "PREFECT_HOME": str(home),
        "DO_NOT_TRACK": "1",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    }
