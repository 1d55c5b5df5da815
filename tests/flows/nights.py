"""A finished small build, and the ways in which files come to harm overnight."""

import random
from collections.abc import Callable
from pathlib import Path

from artifacts.builds import Build
from artifacts.settings import DatasetSettings
from flows.progress import Silent
from flows.stages.benchmark import build_benchmark
from flows.stages.dataset import build_dataset
from tests.flows.builds import SMALL

DATASET = DatasetSettings(quota=8, shard_rows=4, processes=1, parse=False, lag=8)
DATASET_TOML = "[dataset]\nquota = 8\nshard_rows = 4\nprocesses = 1\nparse = false\nlag = 8\n"


def build_both(root: Path, name: str = "main") -> Build:
    """Build a small benchmark and a small dataset of two shards per construction."""
    build = Build(root, name)
    build_benchmark(build, SMALL, Silent())
    build_dataset(build, DATASET, Silent())
    return build


def stored_files(build: Build) -> list[Path]:
    """Return the files that hold rows or drafts."""
    found = (path for path in build.path.rglob("*") if path.suffix in (".parquet", ".zst"))
    return sorted(found)


def snapshot(build: Build) -> dict[str, bytes]:
    """Return every file of the build but its locks and its log."""
    return {
        str(path.relative_to(build.path)): path.read_bytes()
        for path in sorted(build.path.rglob("*"))
        if path.is_file()
        and path.suffix not in (".lock", ".log")
        and not path.name.startswith(".lock")
    }


def flip_a_bit(path: Path, others: list[Path], draw: random.Random) -> None:
    content = bytearray(path.read_bytes())
    content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    path.write_bytes(content)


def cut_short(path: Path, others: list[Path], draw: random.Random) -> None:
    path.write_bytes(path.read_bytes()[: -draw.randrange(1, 50)])


def delete(path: Path, others: list[Path], draw: random.Random) -> None:
    path.unlink()


def swap_with_another(path: Path, others: list[Path], draw: random.Random) -> None:
    """Whole files of the same kind, each in the other's place."""
    alike = [other for other in others if other.parents[1] == path.parents[1] and other != path]
    other = draw.choice(alike)
    content = path.read_bytes()
    path.write_bytes(other.read_bytes())
    other.write_bytes(content)


HARMS: tuple[Callable[[Path, list[Path], random.Random], None], ...] = (
    flip_a_bit,
    cut_short,
    delete,
    swap_with_another,
)
