"""What disks and people do to files."""

from collections.abc import Callable
from pathlib import Path
from random import Random


def flip(path: Path, rng: Random) -> None:
    content = bytearray(path.read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def truncate(path: Path, rng: Random) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: rng.randrange(len(content))])


def remove(path: Path, rng: Random) -> None:
    path.unlink()


def lengthen(path: Path, rng: Random) -> None:
    path.write_bytes(path.read_bytes() + rng.randbytes(9))


DAMAGES: tuple[Callable[[Path, Random], None], ...] = (flip, truncate, remove, lengthen)
