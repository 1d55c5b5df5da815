"""A disk that fills up while a model writes: told in a line, and nothing accepted is lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from artifacts import attempt_log
from artifacts.builds import Build
from artifacts.errors import StoreError
from artifacts.manifest import read_manifest
from tests.flows.llm.builds import (
    FEW,
    build,
    llm_settings,
    logged,
    require_valid,
    settled_files,
)
from tests.flows.llm.stub_server import Stub, serving
from tests.flows.test_benchmark_stage import disk_with_room_for

ROOT = Path(__file__).parents[3]


def accepted(folder: Path) -> dict[str, int]:
    """Return the listed examples of each construction."""
    streams = Build(folder, "main").streams
    return {name: read_manifest(streams / f"{name}.json").counts["accepted"] for name in FEW}


class FillingDisk:
    """Takes so many appended groups whole, and of all later ones the beginning."""

    def __init__(self, groups: int) -> None:
        self._left = groups
        self._really = os.write

    def write(self, descriptor: int, content: bytes) -> int:
        self._left -= 1
        return self._really(descriptor, content if self._left >= 0 else content[:30])


@pytest.mark.parametrize("groups", [0, 1, 5, 9])
def test_a_full_disk_is_told_and_the_build_goes_on_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, groups: int
) -> None:
    monkeypatch.setattr(attempt_log, "GROUP_ROWS", 4)
    folder, stub = tmp_path / "filled", Stub()
    with serving(Stub()) as url:
        build(tmp_path / "undisturbed", llm_settings(url, 25))
    with serving(stub) as url:
        settings = llm_settings(url, 25)
        with monkeypatch.context() as patched:
            patched.setattr(os, "write", FillingDisk(groups).write)
            with pytest.raises(StoreError, match="No space left on device; see to the disk"):
                build(folder, settings)
        kept, asked = sum(len(logged(folder, name)) for name in FEW), len(stub.prompts)
        build(folder, settings)
    assert bool(kept) == bool(groups)
    # What is on disk isn't asked for again; the probes ask what an attempt asks.
    assert len(stub.prompts) - len(set(stub.prompts)) <= asked - kept + 1
    assert settled_files(folder) == settled_files(tmp_path / "undisturbed")
    require_valid(folder, settings)


@pytest.mark.parametrize("latency_seconds", [0.0, 2.5])
def test_a_full_disk_in_processes_of_their_own_is_told_alike(
    tmp_path: Path, latency_seconds: float
) -> None:
    """Also where nothing comes for so long that an engine writes its log in between."""
    stub = Stub()
    with serving(stub) as url:
        build(tmp_path, llm_settings(url, 60, dataset={"processes": 2}))
        settings = llm_settings(url, 90, dataset={"processes": 2})
        stub.latency_seconds = latency_seconds
        with disk_with_room_for(10_000), pytest.raises(StoreError, match="cannot write"):
            build(tmp_path, settings)
        assert all(60 <= count < 90 for count in accepted(tmp_path).values())
        stub.latency_seconds = 0
        build(tmp_path, settings)
    assert accepted(tmp_path) == dict.fromkeys(FEW, 90)
    require_valid(tmp_path, settings)


#: The command line on a disk that takes two groups of drafts.
_COMMAND = """
import os
from artifacts import attempt_log
from flows.cli import main
from tests.flows.llm.test_full_disks import FillingDisk

attempt_log.GROUP_ROWS = 4
append, disk = attempt_log._append, FillingDisk(2)

def on_the_disk(*arguments):
    os.write, really = disk.write, os.write
    try:
        append(*arguments)
    finally:
        os.write = really

attempt_log._append = on_the_disk
main()
"""


def test_the_command_says_so_in_one_line(tmp_path: Path) -> None:
    with serving(Stub()) as url:
        options = ("--writer", "llm", "--server", url, "--model", "stub", "--style", "given")
        env = {
            **os.environ,
            "PREFECT_HOME": str(tmp_path / "home"),
            "SABER_ROOT": str(tmp_path),
            "SABER_DATASET__PROCESSES": "1",
        }
        command = [sys.executable, "-c", _COMMAND, "dataset", "--quota", "20", *options]
        found = subprocess.run(
            command, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=120
        )
    assert found.returncode == 1, found.stderr
    last = found.stderr.splitlines()[-1]
    assert last.startswith("saber: cannot write ")
    assert last.endswith("No space left on device; see to the disk")
    assert "Traceback" not in found.stderr
    assert "examples in " in found.stdout
    assert "asked of the server" in found.stdout
