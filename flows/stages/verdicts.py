"""Verdicts on a finished dataset, kept in the build: a check isn't made again of the same bytes.

A verdict stands for just the files that it was given on, the code that gave it, and what was asked
besides. Every file is read to know that. Knows nothing of what a check looks at.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeVar

from pydantic import JsonValue, TypeAdapter, ValidationError

from artifacts.builds import Build
from artifacts.catalog import list_entries
from artifacts.errors import StoreError
from artifacts.files import read_file, replace_file, require_checksum, sha256_of_file
from artifacts.manifest import fingerprint
from flows.stages.publishing import recorded_versions
from flows.stages.shard_files import STAGE

V = TypeVar("V")

FOLDER = ".verdicts"
#: Packages whose modules and data a check is made of.
_JUDGING = ("artifacts", "flows.stages", "generators", "validators", "vocab")


def kept_verdict(
    build: Build, name: str, asked: JsonValue, kind: TypeAdapter[V], check: Callable[[], V]
) -> V:
    """Return what `check` finds, or found before on the same dataset when asked the same.

    Raises BuildMissingError if there is no dataset, DamagedFileError if a file of it isn't what its
    manifest lists, StoreError where the verdict can't be kept.
    """
    given = fingerprint([asked, _contents(build), _code_checksum(), dict(recorded_versions())])
    path = build.path / FOLDER / f"{name}.json"
    kept = _read(path)
    if kept.get("given_on") == given:
        try:
            return kind.validate_python(kept.get("found"), strict=False)
        except ValidationError:
            # Damaged, or of a shape that this code no longer has.
            path.unlink(missing_ok=True)
    found = check()
    told = {"given_on": given, "found": kind.dump_python(found, mode="json")}
    _write(path, json.dumps(told).encode())
    return found


def _contents(build: Build) -> JsonValue:
    """Return checksums of all that the dataset is: its files, and the manifests that list them."""
    entries = [entry for entry in list_entries(build) if entry.name.startswith(f"{STAGE}/")]
    for entry in entries:
        require_checksum(build.path, entry)
    manifests = [build.manifest(STAGE), *sorted(build.streams.glob("*.json"))]
    listed = {entry.name: entry.sha256 for entry in entries}
    return {**listed, **{path.name: sha256_of_file(path) for path in manifests}}


@cache
def _code_checksum() -> str:
    digest = hashlib.sha256()
    for package in _JUDGING:
        for file in _files_below(files(package)):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _files_below(folder: Traversable) -> Iterator[Traversable]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            # Builds lie in artifacts/data by default; a module's compiled form is no source.
            if entry.name not in ("data", "__pycache__"):
                yield from _files_below(entry)
        else:
            yield entry


def _read(path: Path) -> dict[str, JsonValue]:
    try:
        kept = json.loads(read_file(path))
    except (StoreError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}; see to the disk") from error
    replace_file(path, content)
