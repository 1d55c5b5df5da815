"""Files that appear whole or not at all, and what a manifest says of one.

Knows nothing of what a file holds. Light on purpose: the process that runs users' SQL imports it.
"""

import contextlib
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from artifacts.errors import DamagedFileError, StoreError

#: What validation says of a file: nothing against it, or that its rows break a rule.
Mark = Literal["complete", "failed"]

#: The hive column: rows that have it in their key are stored in one folder per value, and the
#: folder's name holds the value instead of the file.
PARTITION_COLUMN = "construction"

_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class FileEntry:
    """One stored file as its manifest lists it."""

    #: Path below the build folder, with "/" on every system.
    name: str
    #: The view that shows its rows; for a file that is no table, what it is.
    kind: str
    rows: int
    bytes: int
    sha256: str
    state: Mark = "complete"


def replace_file(path: Path, content: bytes) -> None:
    """Write `content` to `path` so that a reader sees the old file or the new one, never a part.

    The folder is synced too: without it a power cut may undo the rename after a manifest that
    lists the file has reached the disk. A file that holds just this already is left alone.
    """
    partial = path.with_name(f".{path.name}.partial")
    try:
        if path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content:
            return
        _write_synced(partial, content)
        partial.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise StoreError(f"cannot write {path}: {error.strerror}; see to the disk") from error
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def read_file(path: Path) -> bytes:
    """Return the content of `path`, or say in one line why it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from error


def sha256_of(content: bytes | memoryview) -> str:
    """Return the checksum of `content` in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def sha256_of_file(path: Path) -> str:
    """Return the checksum of the file at `path` without holding all of it."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                digest.update(chunk)
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from error
    return digest.hexdigest()


def require_size(root: Path, entry: FileEntry) -> None:
    """Raise `DamagedFileError` unless the file is there with the size that its manifest lists."""
    path = root / entry.name
    try:
        found = path.stat().st_size
    except FileNotFoundError as error:
        raise damaged(path, "a file", "none") from error
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from error
    if found != entry.bytes:
        raise damaged(path, f"{entry.bytes:,} bytes", f"{found:,}")


def require_checksum(root: Path, entry: FileEntry) -> None:
    """Raise `DamagedFileError` unless the file has the content that its manifest lists."""
    require_size(root, entry)
    found = sha256_of_file(root / entry.name)
    if found != entry.sha256:
        raise damaged(root / entry.name, f"sha256 {entry.sha256[:12]}", f"{found[:12]}")


def damaged(path: Path, expected: str, found: str) -> DamagedFileError:
    """Return the error for a file that is not what its manifest lists."""
    return DamagedFileError(
        f"{path} is damaged: its manifest lists {expected}, found {found}; "
        "`saber rerun-failed` repairs it"
    )


def _write_synced(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
