"""Builds at a glance: which stages they have, how full they are, what is damaged, what they weigh.

Cheap by default: files are looked at by their size; with `deep` every byte is read. Never raises
for what is wrong with a build, but says it. Knows manifests and files; not who runs what.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from artifacts.builds import STAGES, Build
from artifacts.errors import DamagedFileError
from artifacts.files import FileEntry
from artifacts.manifest import Manifest, read_manifest
from artifacts.shards import shard_states
from flows.stages.dataset_state import recorded_quotas
from flows.stages.marking import stage_manifests
from flows.stages.runs import begun_runs
from flows.stages.shard_files import STAGE as DATASET
from flows.stages.unfinished import readable_manifest, why_unfinished
from generators.constructions import CONSTRUCTIONS


@dataclass(frozen=True, slots=True)
class StageGlance:
    """One stage of a build."""

    stage: str
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
    quota: int
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


def glance_at(build: Build, quotas: Mapping[str, int], *, deep: bool = False) -> BuildGlance:
    """Look at a build; `quotas` hold for a dataset that doesn't say its own yet."""
    begun = [stage for stage in STAGES if (build.path / stage).is_dir()]
    entries, damaged = _listed(build, begun)
    states = shard_states(build.path, entries) if deep else _states_by_size(build.path, entries)
    damaged |= {
        entry.name: state
        for entry, state in zip(entries, states, strict=True)
        if state != "complete"
    }
    return BuildGlance(
        build=build.name,
        stages=[_stage(build, stage) for stage in begun],
        streams=_streams(build, quotas) if DATASET in begun else [],
        files=len(entries),
        damaged=damaged,
        disk_bytes=_weigh(build.path),
        deep=deep,
    )


def _stage(build: Build, stage: str) -> StageGlance:
    manifest = _readable(build.manifest(stage))
    state = why_unfinished(build, stage)
    counts = manifest.counts if manifest else {}
    return StageGlance(stage, state or "finished", counts, begun_runs(build, stage))


def _streams(build: Build, quotas: Mapping[str, int]) -> list[StreamGlance]:
    published = _readable(build.manifest(DATASET))
    known = recorded_quotas(published) if published else quotas
    return [_stream(build, name, known.get(name, 0)) for name in CONSTRUCTIONS]


def _stream(build: Build, construction: str, quota: int) -> StreamGlance:
    manifest = readable_manifest(build, construction)
    shards = [shard for shard in manifest.shards if not shard.lost] if manifest else []
    accepted = sum(shard.accepted for shard in shards)
    settled = accepted + sum(shard.rejected for shard in shards)
    share = accepted / settled if settled else None
    return StreamGlance(construction, accepted, quota, settled, share)


def _listed(build: Build, stages: Sequence[str]) -> tuple[list[FileEntry], dict[str, str]]:
    """Return the listed files, and the manifests that can't be read."""
    entries: dict[str, FileEntry] = {}
    damaged: dict[str, str] = {}
    for path in (path for stage in stages for path in stage_manifests(build, stage)):
        manifest = _readable(path)
        if manifest is not None:
            entries |= {entry.name: entry for entry in manifest.files}
        elif path.exists():
            damaged[path.relative_to(build.path).as_posix()] = "corrupt"
    return [entries[name] for name in sorted(entries)], damaged


def _states_by_size(root: Path, entries: Sequence[FileEntry]) -> list[str]:
    return [_state_by_size(root / entry.name, entry) for entry in entries]


def _state_by_size(path: Path, entry: FileEntry) -> str:
    if not path.is_file():
        return "missing"
    return entry.state if path.stat().st_size == entry.bytes else "corrupt"


def _readable(path: Path) -> Manifest | None:
    try:
        return read_manifest(path) if path.exists() else None
    except DamagedFileError:
        return None


def _weigh(folder: Path) -> int:
    """Return the bytes of all files below a folder, of those that no manifest lists as well."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
