"""Builds at a glance: which stages they have, how full they are, what is damaged, what they weigh.

Cheap by default: files are looked at by their size; with `deep` every byte is read. Never raises
for what is wrong with a build, but says it; nor for files that come and go while it looks, since a
run may be at work. Knows manifests and files; not who runs what.
"""

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from artifacts.builds import STAGES, Build
from artifacts.errors import StoreError
from artifacts.files import FileEntry
from artifacts.manifest import Manifest, Stage
from artifacts.shards import shard_state, shard_states
from flows.stages.dataset_state import recorded_quotas
from flows.stages.quotas import told_quotas
from flows.stages.runs import begun_runs
from flows.stages.shard_files import STAGE as DATASET
from flows.stages.sizes import listed_files, states_by_size
from flows.stages.unfinished import (
    readable_manifest,
    try_manifest,
    why_lacking,
    why_unfinished,
)
from generators.constructions import CONSTRUCTIONS

#: What is raised for a file that went away since it was seen.
_GONE = (FileNotFoundError, StoreError)


@dataclass(frozen=True, slots=True)
class StageGlance:
    """One stage of a build."""

    stage: Stage
    #: finished; or why it isn't.
    state: str
    counts: Mapping[str, int]
    #: Runs, of a stage that has some, that were begun and aren't whole.
    begun: list[str]


@dataclass(frozen=True, slots=True)
class StreamGlance:
    """One construction of a build's dataset."""

    construction: str
    accepted: int
    #: None: nothing in the build tells it, since the construction was not begun.
    quota: int | None
    attempts: int
    #: Share of the attempts with a verdict that were accepted; None before there is one.
    acceptance: float | None


@dataclass(frozen=True, slots=True)
class BuildGlance:
    """A build."""

    build: str
    stages: list[StageGlance]
    streams: list[StreamGlance]
    files: int
    #: Files that aren't complete, by name: missing, short, corrupt, failed.
    damaged: dict[str, str]
    disk_bytes: int
    #: Whether every byte was read for `damaged`, or sizes alone.
    deep: bool = field(default=False)


def glance_at(build: Build, *, deep: bool = False) -> BuildGlance:
    """Look at a build."""
    begun = [stage for stage in STAGES if (build.path / stage).is_dir()]
    entries, damaged = listed_files(build, begun)
    states = _states_by_bytes(build.path, entries) if deep else states_by_size(build.path, entries)
    damaged |= {
        entry.name: state
        for entry, state in zip(entries, states, strict=True)
        if state != "complete"
    }
    return BuildGlance(
        build=build.name,
        stages=[_stage(build, stage) for stage in begun],
        streams=_streams(build) if DATASET in begun else [],
        files=len(entries),
        damaged=damaged,
        disk_bytes=_weigh(build.path),
        deep=deep,
    )


def _stage(build: Build, stage: Stage) -> StageGlance:
    manifest = try_manifest(build.manifest(stage))
    counts = manifest.counts if manifest else {}
    try:
        return StageGlance(stage, _state(build, stage, manifest), counts, begun_runs(build, stage))
    except _GONE:
        return StageGlance(stage, "being written", counts, [])


def _state(build: Build, stage: Stage, manifest: Manifest | None) -> str:
    if manifest and not why_unfinished(build, stage):
        return "finished"
    return why_lacking(build, stage)


def _streams(build: Build) -> list[StreamGlance]:
    published = try_manifest(build.manifest(DATASET))
    if published:
        known = recorded_quotas(published)
        return [_stream(build, name, known.get(name, 0)) for name in CONSTRUCTIONS]
    wanted: dict[str, int] = {}
    with contextlib.suppress(*_GONE):
        wanted = told_quotas(build)
    return [_stream(build, name, wanted.get(name)) for name in CONSTRUCTIONS]


def _stream(build: Build, construction: str, quota: int | None) -> StreamGlance:
    """Look at a construction."""
    manifest = readable_manifest(build, construction)
    shards = [shard for shard in manifest.shards if not shard.lost] if manifest else []
    accepted = sum(shard.accepted for shard in shards)
    settled = accepted + sum(shard.rejected for shard in shards)
    share = accepted / settled if settled else None
    return StreamGlance(construction, accepted, quota, settled, share)


def _states_by_bytes(root: Path, entries: Sequence[FileEntry]) -> list[str]:
    with contextlib.suppress(OSError):
        return shard_states(root, entries)
    return [_state_by_bytes(root, entry) for entry in entries]


def _state_by_bytes(root: Path, entry: FileEntry) -> str:
    with contextlib.suppress(OSError):
        return shard_state(root, entry)
    return "missing"


def _weigh(folder: Path) -> int:
    """Return the bytes of all files below a folder, of those that no manifest lists as well."""
    # `walk` passes over a folder that went away since it was seen; `rglob` raises.
    paths = (Path(where) / name for where, _, files in os.walk(folder) for name in files)
    return sum(map(_size, paths))


def _size(path: Path) -> int:
    with contextlib.suppress(OSError):
        return path.stat().st_size
    return 0
