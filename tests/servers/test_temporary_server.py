"""The server of one run alone: it ends with the run, however that ends."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers.running import clean_environment, wait_until

_RUN = """
import sys, time
from flows.orchestration import short_runs
with short_runs():
    from prefect.server.api.server import SubprocessASGIServer
    (server,) = SubprocessASGIServer._instances.values()
    print(server.server_process.pid, flush=True)
    sys.stdin.read()
"""


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("killed", [True, False])
def test_it_ends_with_the_run(tmp_path: Path, killed: bool) -> None:
    run = subprocess.Popen(
        [sys.executable, "-c", _RUN],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=clean_environment(tmp_path),
        text=True,
    )
    assert run.stdout is not None
    server = int(run.stdout.readline())
    assert is_there(server)
    if killed:
        run.kill()
    run.communicate()
    wait_until(lambda: not is_there(server), "the server's end")
