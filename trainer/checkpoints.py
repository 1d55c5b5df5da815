"""Checkpoints of a run that isn't finished: which of them are whole, and whose.

    FINGERPRINT/checkpoint-100/whole.json

`whole.json` is written last and lists every other file with its checksum, so one that a killed
process or a full disk cut short is never taken up. The fingerprint is that of recipe and data: what
was begun otherwise is neither continued nor overwritten. Knows files; not what is in them.
"""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from artifacts.errors import StoreError
from artifacts.files import read_file, replace_file, sha256_of_file

_PREFIX = "checkpoint-"
_MARK = "whole.json"
_KEPT = 2
_SHORT = 16


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A whole checkpoint, and how many optimizer steps it has behind it."""

    path: Path
    step: int


def checkpoint_folder(folder: Path, fingerprint: str) -> Path:
    """Return where `folder`, a run's own, has the checkpoints of this fingerprint."""
    return folder / fingerprint[:_SHORT]


def seal_checkpoint(folder: Path, step: int) -> None:
    """Mark the checkpoint of `step` in `folder` as whole, and remove all but the newest two."""
    path = folder / f"{_PREFIX}{step}"
    listed = {name: sha256_of_file(path / name) for name in _files_of(path)}
    replace_file(path / _MARK, json.dumps(listed, indent=2, sort_keys=True).encode())
    for number in sorted(_steps(folder))[:-_KEPT]:
        shutil.rmtree(folder / f"{_PREFIX}{number}", ignore_errors=True)


def newest_checkpoint(folder: Path) -> Checkpoint | None:
    """Return the newest whole checkpoint in `folder`; None if there is none."""
    for number in sorted(_steps(folder), reverse=True):
        path = folder / f"{_PREFIX}{number}"
        if _is_whole(path):
            return Checkpoint(path, number)
    return None


def drop_broken(folder: Path) -> None:
    """Remove what is newer than the newest whole checkpoint in `folder`: it was cut short."""
    newest = newest_checkpoint(folder)
    for number in _steps(folder):
        if newest is None or number > newest.step:
            shutil.rmtree(folder / f"{_PREFIX}{number}", ignore_errors=True)


def remove_checkpoints(folder: Path) -> None:
    """Remove every checkpoint of a run: it is published."""
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"cannot remove {folder}: {error.strerror}") from error


def _steps(folder: Path) -> list[int]:
    if not folder.is_dir():
        return []
    ends = (path.name.removeprefix(_PREFIX) for path in folder.glob(f"{_PREFIX}*"))
    return [int(end) for end in ends if end.isdecimal()]


def _files_of(path: Path) -> list[str]:
    return sorted(
        str(file.relative_to(path))
        for file in path.rglob("*")
        if file.is_file() and file.name != _MARK
    )


def _is_whole(path: Path) -> bool:
    mark = path / _MARK
    if not mark.is_file():
        return False
    try:
        listed = json.loads(read_file(mark))
        return bool(listed) and all(
            sha256_of_file(path / name) == found for name, found in listed.items()
        )
    except (StoreError, ValueError, AttributeError):
        return False
