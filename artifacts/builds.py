"""Where builds live, how they are named, and who is writing one.

Knows names, paths and the lock; what a build holds is its manifests' to say.
"""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from artifacts.errors import BuildLockedError, BuildMissingError, SettingsError, StoreError
from artifacts.files import PARTITION_COLUMN
from artifacts.manifest import Stage

MANIFEST_NAME = "manifest.json"

#: The folders of a build that hold something finished once they have a manifest.
STAGES: tuple[Stage, ...] = get_args(Stage)

_LOCK, _TURN = ".lock", ".lock-turn"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True)
class Build:
    """A named build below a root: paths only, nothing needs to exist."""

    root: Path
    name: str

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise SettingsError(
                f"build name {self.name!r}: expected letters, digits, '-', '_' and '.', "
                "starting with a letter or digit, at most 100"
            )

    @property
    def path(self) -> Path:
        """The folder of the build; names in manifests are below it."""
        return self.root / self.name

    @property
    def benchmark(self) -> Path:
        """The SABER benchmark."""
        return self.path / "benchmark"

    @property
    def dataset(self) -> Path:
        """The binding text dataset."""
        return self.path / "dataset"

    @property
    def streams(self) -> Path:
        """One manifest per construction, rewritten as its shards finish."""
        return self.dataset / "streams"

    @property
    def images(self) -> Path:
        """The pictures of the scenes."""
        return self.path / "images"

    @property
    def training(self) -> Path:
        """What was trained on the dataset, one folder per run."""
        return self.path / "training"

    @property
    def evaluation(self) -> Path:
        """The measured figures, one folder per run."""
        return self.path / "evaluation"

    def manifest(self, stage: str) -> Path:
        """The manifest of `stage`, written when the stage is finished."""
        return self.path / stage / MANIFEST_NAME

    def stream(self, construction: str) -> Path:
        """The manifest of one construction's shards."""
        return self.streams / f"{construction}.json"

    def finished_stages(self) -> tuple[str, ...]:
        """The stages that have a manifest."""
        return tuple(stage for stage in STAGES if self.manifest(stage).is_file())


def shard_name(view: str, construction: str, number: int) -> str:
    """Return the name of the shard `number`, from 0, of one construction's rows of `view`."""
    return f"dataset/{view}/{PARTITION_COLUMN}={construction}/{number:05d}.parquet"


def list_builds(root: Path) -> list[Build]:
    """Return the builds below `root`, finished or not, by name."""
    if not root.is_dir():
        return []
    names = sorted(path.name for path in root.iterdir() if _looks_like_build(path))
    return [Build(root, name) for name in names]


def latest_build(root: Path) -> Build:
    """Return the build whose newest manifest is the newest of all."""
    finished = [build for build in list_builds(root) if build.finished_stages()]
    if not finished:
        raise BuildMissingError(
            f"no finished build below {root}: run `saber run`, or set SABER_ROOT"
        )
    return max(finished, key=lambda build: (_finished_at(build), build.name))


def find_build(root: Path, name: str | None = None) -> Build:
    """Return the build called `name`, which must exist, or the latest one."""
    if name is None:
        return latest_build(root)
    build = Build(root, name)
    if not (build.path.is_dir() and _looks_like_build(build.path)):
        known = ", ".join(build.name for build in list_builds(root)) or "none"
        raise BuildMissingError(f"no build {name!r} below {root}; there: {known}")
    return build


@contextmanager
def hold_build(build: Build, purpose: str) -> Iterator[None]:
    """Hold the right to write `build`; a second holder gets `BuildLockedError`.

    The kernel releases the lock when the holder dies, however it dies; the file that stays behind
    only names the last holder.
    """
    descriptor = _open_lock(build, _LOCK)
    try:
        with _turn(build):
            _lock(descriptor, build)
            _sign(descriptor, build, purpose)
        yield
    finally:
        os.close(descriptor)


def _looks_like_build(path: Path) -> bool:
    named = _NAME.fullmatch(path.name) is not None
    return named and any((path / stage).is_dir() for stage in STAGES)


def _finished_at(build: Build) -> int:
    return max(build.manifest(stage).stat().st_mtime_ns for stage in build.finished_stages())


@contextmanager
def _turn(build: Build) -> Iterator[None]:
    """Take the lock and write one's name, or be refused and read the holder's, one at a time.

    Without it a refused process could read before the holder has written: nobody, or the last one.
    """
    descriptor = _open_lock(build, _TURN)
    try:
        with _changing(build, _TURN):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _open_lock(build: Build, name: str) -> int:
    try:
        build.path.mkdir(parents=True, exist_ok=True)
        return os.open(build.path / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreError(f"cannot write build {build.path}: {error.strerror}") from error


def _lock(descriptor: int, build: Build) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.pread(descriptor, 1000, 0).decode(errors="replace")
        raise BuildLockedError(
            f"build {build.path} is being written by {holder}; wait for it, or end it"
        ) from error
    except OSError as error:
        raise StoreError(f"cannot lock {build.path / _LOCK}: {error.strerror}") from error


def _sign(descriptor: int, build: Build, purpose: str) -> None:
    """Write the holder's name into the lock; a disk may be too full even for that."""
    with _changing(build, _LOCK):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()} ({purpose})".encode(), 0)


@contextmanager
def _changing(build: Build, name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"cannot write {build.path / name}: {error.strerror}; see to the disk"
        ) from error
