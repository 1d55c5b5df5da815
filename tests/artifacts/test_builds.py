import errno
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from artifacts.builds import Build, find_build, hold_build, latest_build, list_builds, shard_name
from artifacts.errors import BuildLockedError, BuildMissingError, SettingsError, StoreError
from artifacts.manifest import write_manifest
from tests.artifacts.rows import manifest


def finish(build: Build, at: int) -> None:
    build.benchmark.mkdir(parents=True)
    write_manifest(build.manifest("benchmark"), manifest("benchmark", []))
    os.utime(build.manifest("benchmark"), (at, at))


@pytest.mark.parametrize("name", ["paper", "seed-2_v1.0", "0", "a" * 100])
def test_good_names(tmp_path: Path, name: str) -> None:
    assert Build(tmp_path, name).path == tmp_path / name


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "/a", ".hidden", "-flag", "a b", "a\n", "ü", "a" * 101]
)
def test_names_with_tricks_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match="build name"):
        Build(tmp_path, name)


def test_shards_lie_in_hive_folders() -> None:
    assert shard_name("examples", "pair_swap", 7) == (
        "dataset/examples/construction=pair_swap/00007.parquet"
    )


def test_builds_are_listed_by_name_and_strangers_are_not(tmp_path: Path) -> None:
    for name in ("b", "a"):
        Build(tmp_path, name).dataset.mkdir(parents=True)
    (tmp_path / "notes").mkdir()
    (tmp_path / ".cache" / "dataset").mkdir(parents=True)
    (tmp_path / "file").touch()
    assert [build.name for build in list_builds(tmp_path)] == ["a", "b"]
    assert list_builds(tmp_path / "none") == []


def test_latest_is_the_last_finished(tmp_path: Path) -> None:
    finish(Build(tmp_path, "newer"), at=200)
    finish(Build(tmp_path, "older"), at=100)
    Build(tmp_path, "unfinished").dataset.mkdir(parents=True)
    assert latest_build(tmp_path).name == "newer"
    assert find_build(tmp_path).name == "newer"
    assert find_build(tmp_path, "older").name == "older"


def test_no_build_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BuildMissingError, match="run `saber run`"):
        latest_build(tmp_path)


def test_unknown_build_names_those_there_are(tmp_path: Path) -> None:
    finish(Build(tmp_path, "paper"), at=100)
    with pytest.raises(BuildMissingError, match=r"no build 'papre' .*; there: paper"):
        find_build(tmp_path, "papre")


def test_second_holder_is_told_who_holds(tmp_path: Path) -> None:
    build = Build(tmp_path, "paper")
    with (
        hold_build(build, "saber benchmark"),
        pytest.raises(BuildLockedError, match=rf"process {os.getpid()} \(saber benchmark\)"),
        hold_build(build, "saber dataset"),
    ):
        pytest.fail("held twice")
    with hold_build(build, "saber dataset"):
        assert (build.path / ".lock").read_text() == f"process {os.getpid()} (saber dataset)"


def test_each_of_many_that_start_at_once_names_the_one_holder(tmp_path: Path) -> None:
    """The last holder's name is still in the file, and must not be read before it is replaced."""
    build = Build(tmp_path, "paper")
    for round_number in range(50):
        barrier = Barrier(4, timeout=60)

        def hold(purpose: str, barrier: Barrier = barrier) -> str:
            barrier.wait()
            try:
                with hold_build(build, purpose):
                    barrier.wait()
                    return purpose
            except BuildLockedError as error:
                barrier.wait()
                return str(error)

        purposes = [f"{round_number}.{thread}" for thread in range(4)]
        with ThreadPoolExecutor(4) as pool:
            said = list(pool.map(hold, purposes))
        (holder,) = set(said) & set(purposes)
        assert all(f"({holder})" in answer for answer in said if answer != holder)


def test_a_disk_too_full_for_the_holder_s_name_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = Build(tmp_path, "paper")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", full)
        with pytest.raises(StoreError, match=r"paper/\.lock: No space left on device"):
            hold_build(build, "ours").__enter__()
    with hold_build(build, "ours"):
        pass


def test_other_builds_are_free(tmp_path: Path) -> None:
    with hold_build(Build(tmp_path, "a"), "one"), hold_build(Build(tmp_path, "b"), "two"):
        pass


_HOLD = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from artifacts.builds import Build, hold_build
with hold_build(Build(Path(sys.argv[1]), "paper"), "a run that dies"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_killed_holder_leaves_the_build_free(tmp_path: Path) -> None:
    build = Build(tmp_path, "paper")
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(BuildLockedError, match=rf"process {holder.pid} \(a run that dies\)"):
            hold_build(build, "ours").__enter__()
        holder.kill()
    with hold_build(build, "ours"):
        pass


def test_root_that_is_a_file_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "root").touch()
    with (
        pytest.raises(StoreError, match="cannot write build"),
        hold_build(Build(tmp_path / "root", "x"), "ours"),
    ):
        pytest.fail("held a build that cannot be")
