"""A build that was killed, at any point: the next run gives the bytes of an undisturbed one."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from artifacts import attempt_log, files
from artifacts.builds import Build
from artifacts.errors import StoreError
from artifacts.manifest import read_manifest
from tests.flows.datasets import contents, make, small

SETTINGS = small(12, shard_rows=5)


class Crash(BaseException):
    """Stands for a killed process: nobody catches it."""


class Countdown:
    """Crashes at a call, before or after it has its effect."""

    def __init__(self, calls: int, *, after: bool) -> None:
        self.left = calls
        self.after = after

    def around(self, work: Callable[..., object]) -> Callable[..., object]:
        def counted(*arguments: object) -> object:
            self.left -= 1
            if self.left or self.after:
                done = work(*arguments)
            if not self.left:
                raise Crash
            return done

        return counted


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    build = Build(tmp_path_factory.mktemp("undisturbed"), "main")
    make(build, SETTINGS)
    return contents(build)


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Close a commit group after four drafts, so that there is something to lose."""
    monkeypatch.setattr(attempt_log, "GROUP_ROWS", 4)


def crash_at(build: Build, call: int, *, after: bool) -> bool:
    """Build until the call that puts something on disk; return whether there was one."""
    countdown = Countdown(call, after=after)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(files, "_sync_folder", countdown.around(files._sync_folder))
        patched.setattr(os, "write", countdown.around(os.write))
        patched.setattr(files, "_write_synced", countdown.around(files._write_synced))
        try:
            make(build, SETTINGS)
        except Crash:
            return True
    return False


@pytest.mark.parametrize("offset", range(2))
def test_a_build_killed_at_any_write_goes_on_to_the_same_bytes(
    tmp_path: Path, undisturbed: dict[str, bytes], offset: int
) -> None:
    calls = iter(range(1 + offset, 1_000, 4))
    crashed = True
    while crashed:
        call = next(calls)
        build = Build(tmp_path, f"killed-{call}")
        crashed = crash_at(build, call, after=call % 3 == 0)
        make(build, SETTINGS)
        assert contents(build) == undisturbed, call


def test_a_build_killed_again_and_again_goes_on_to_the_same_bytes(
    tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    build = Build(tmp_path, "main")
    for call in (9, 12, 10, 14, 11, 17, 13):
        crash_at(build, call, after=bool(call % 2))
    make(build, SETTINGS)
    assert contents(build) == undisturbed


def test_a_full_disk_is_told_and_the_build_goes_on_when_there_is_room(
    tmp_path: Path, undisturbed: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    build = Build(tmp_path, "main")
    really = os.write
    room = iter([True, True, False])

    def write(descriptor: int, content: bytes) -> int:
        return really(descriptor, content if next(room) else content[:30])

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", write)
        with pytest.raises(StoreError, match="No space left"):
            make(build, SETTINGS)
    make(build, SETTINGS)
    assert contents(build) == undisturbed


#: Builds in a process group of its own, with two worker processes.
_BUILD = """
import sys
from pathlib import Path
from artifacts.builds import Build
from tests.flows.datasets import make, small
if __name__ == "__main__":
    make(Build(Path(sys.argv[1]), "main"), small(2_000, "pair_swap", "predicative", processes=2))
"""


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes that are ended with the test."""
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for process in processes:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def start(root: Path, started: list[subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    arguments = [sys.executable, "-c", _BUILD, str(root)]
    process = subprocess.Popen(arguments, start_new_session=True)
    started.append(process)
    return process


def progress(build: Build) -> int:
    """How many attempts are settled and listed; grows as a build goes on."""
    manifests = [read_manifest(path) for path in build.streams.glob("p*.json")]
    return sum(manifest.counts["settled"] for manifest in manifests)


def wait_for_progress(build: Build, process: subprocess.Popen[bytes]) -> None:
    before, deadline = progress(build), time.monotonic() + 120
    while progress(build) <= before:
        assert time.monotonic() < deadline, "no progress"
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
            pytest.fail("the build ended by itself")


def test_processes_that_were_killed_leave_a_build_that_goes_on(
    tmp_path: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    killed = Build(tmp_path / "killed", "main")
    for whole_group in (True, False):
        process = start(killed.root, started)
        wait_for_progress(killed, process)
        end = os.killpg if whole_group else os.kill
        end(process.pid, signal.SIGKILL)
        process.wait()
    settings = small(progress(killed) + 40, "pair_swap", "predicative")
    make(killed, settings)
    undisturbed = Build(tmp_path / "undisturbed", "main")
    make(undisturbed, settings)
    assert contents(killed) == contents(undisturbed)
