"""The server of one run alone: it ends with the run, however that ends."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers.running import clean_environment, wait_until

_RUN = """
import sys
from flows.orchestration import short_runs
with short_runs():
    from prefect.server.api.server import SubprocessASGIServer
    (server,) = SubprocessASGIServer._instances.values()
    print(server.server_process.pid, flush=True)
    sys.stdin.read()
"""


def begin(script: str, home: Path) -> tuple["subprocess.Popen[str]", int]:
    """Start a run, which goes on until its input ends; return it with its server's number."""
    run = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=clean_environment(home),
        text=True,
    )
    assert run.stdout is not None
    return run, int(run.stdout.readline())


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("killed", [True, False])
def test_it_ends_with_the_run(tmp_path: Path, killed: bool) -> None:
    run, server = begin(_RUN, tmp_path)
    assert is_there(server)
    if killed:
        run.kill()
    run.communicate()
    wait_until(lambda: not is_there(server), "the server's end")


_START = """
import sys
from prefect.server.api.server import SubprocessASGIServer
from flows.orchestration import short_runs

def never_healthy(server, *_):
    print(server._run_uvicorn_command().pid, flush=True)
    sys.stdin.read()

SubprocessASGIServer.start = never_healthy
with short_runs():
    pass
"""


def test_it_ends_with_a_run_that_is_killed_before_it_answers(tmp_path: Path) -> None:
    run, server = begin(_START, tmp_path)
    run.kill()
    # Ends when nobody holds the pipe any more.
    run.communicate()
    wait_until(lambda: not is_there(server), "the server's end")


def test_what_is_sent_to_the_group_is_for_the_run_and_not_for_its_server(tmp_path: Path) -> None:
    """A terminal's Ctrl-C, a batch system's end: a run that ends in good order needs the server."""
    run, server = begin(_RUN, tmp_path)
    group = os.getpgid(server)
    run.communicate()
    assert group == server
