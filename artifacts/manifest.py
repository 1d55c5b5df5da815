"""Manifests: what one stage of a build holds, written last, so its presence means complete.

A manifest has no dates and its keys are sorted: the same build has the same bytes. It carries the
checksum of its own content, since it is what every other check trusts. Knows nothing of a stage's
work and never opens the files that it lists.
"""

import json
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, JsonValue, ValidationError

from artifacts.errors import BuildMissingError, DamagedFileError
from artifacts.files import FileEntry, read_file, replace_file, sha256_of

Stage = Literal["benchmark", "dataset", "images", "training", "evaluation"]

_CHECKSUM_KEY = "sha256"


def _below_build(entry: FileEntry) -> FileEntry:
    path = PurePosixPath(entry.name)
    if path.is_absolute() or ".." in path.parts or not path.name:
        raise ValueError(f"{entry.name!r} leads out of the build")
    return entry


class ShardRange(BaseModel):
    """Which attempts of a construction one shard holds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    index: int
    #: The first attempt, and the one after the last.
    first: int
    end: int
    accepted: int
    rejected: int
    #: Its rows and their drafts are gone; its words still count in the ledger.
    lost: bool = False
    #: Its drafts alone are gone: its rows stay and cannot be judged again.
    undrafted: bool = False


class Manifest(BaseModel):
    """What one stage, or one construction's stream of shards, holds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: Rises when the layout of a build changes so that older code would misread it.
    format: Literal[1] = 1
    stage: Stage
    #: The settings that the stage was built from, as plain JSON.
    settings: dict[str, JsonValue]
    #: `fingerprint` of what must be equal for a build to be continued.
    fingerprint: str
    files: list[Annotated[FileEntry, AfterValidator(_below_build)]]
    #: A construction's shards in the order of their attempts; none for other stages.
    shards: list[ShardRange] = []
    counts: dict[str, int]
    #: The libraries whose version may show in the bytes.
    versions: dict[str, str]
    complete: bool


def fingerprint(settings: JsonValue) -> str:
    """Return a checksum of `settings` that does not depend on the order of their keys."""
    return sha256_of(_canonical(settings))


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Write `manifest` to `path`, whole or not at all."""
    content: dict[str, JsonValue] = manifest.model_dump(mode="json")
    signed = {**content, _CHECKSUM_KEY: sha256_of(_canonical(content))}
    text = json.dumps(signed, indent=2, sort_keys=True, ensure_ascii=False)
    replace_file(path, f"{text}\n".encode())


def read_manifest(path: Path) -> Manifest:
    """Return the manifest at `path` after checking that it is as it was written."""
    if not path.exists():
        raise BuildMissingError(
            f"no manifest at {path}: unfinished or not a build; run the command that builds it"
        )
    content = _load(path)
    found = content.pop(_CHECKSUM_KEY, None)
    if found != sha256_of(_canonical(content)):
        raise _damaged(path, "its content does not match its own checksum: it was edited")
    try:
        return Manifest.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise _damaged(path, f"{where}: {first['msg']}") from error


def _load(path: Path) -> dict[str, JsonValue]:
    try:
        content = json.loads(read_file(path))
    except ValueError as error:
        raise _damaged(path, f"it is no JSON: {error}") from error
    if not isinstance(content, dict):
        raise _damaged(path, "it holds no JSON object")
    return content


def _damaged(path: Path, found: str) -> DamagedFileError:
    return DamagedFileError(f"manifest {path} is damaged: {found}; `saber rerun-failed` repairs it")


def _canonical(value: JsonValue) -> bytes:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()
