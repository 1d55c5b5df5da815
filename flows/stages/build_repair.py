"""Repair of a whole build: benchmark, dataset, splits and manifests.

Finds what is missing, short, corrupt or not what its sources give, makes just that again, and fills
a dataset's quotas where shards had to be given up. Files that are whole are not touched.
"""

import contextlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from pydantic import JsonValue

from artifacts.builds import Build
from artifacts.errors import (
    BuildConflictError,
    BuildMissingError,
    DamagedFileError,
    GenerationError,
)
from artifacts.files import read_file
from artifacts.manifest import Manifest, read_manifest
from artifacts.settings import BenchmarkSettings, DatasetSettings
from artifacts.shards import shard_state
from flows.progress import Progress
from flows.stages import dataset
from flows.stages.benchmark_repair import remake_failing, repair_benchmark
from flows.stages.dataset_state import mark_repairing, recorded_quotas, require_no_rejudging
from flows.stages.kept_words import restore_words, settings_of_build
from flows.stages.parse_repair import repair_parses
from flows.stages.publishing import RULES, rules_checksum
from flows.stages.quotas import SPLITS_NAME, quotas_to_restore
from flows.stages.rebuilding import entries_of, rebuild
from flows.stages.repairing import Repair, StreamRepair
from flows.stages.run_repair import repair_runs
from flows.stages.runs import RUN_STAGES
from flows.stages.shard_files import STAGE, StreamFiles
from flows.stages.stream_run import StreamOutcome, await_writers
from flows.stages.unfinished import require_manifest
from generators.constructions import CONSTRUCTIONS

#: The setting of a published dataset that its constructions' manifests don't have.
_QUOTAS = "quotas"
#: The manifest of the kept words knows what the dataset is made from, too.
_WORDS = "words"


def repair_build(
    build: Build,
    settings: DatasetSettings,
    progress: Progress,
    benchmark: BenchmarkSettings | None = None,
) -> list[Repair]:
    """Repair everything that the build holds; returns what was wrong and what was done.

    `settings` names the words of a dataset; everything else is in its manifests. `benchmark` helps
    where the benchmark's is lost. Raises BuildMissingError where there is nothing,
    BuildConflictError where the rules have changed.
    """
    repairs: list[Repair] = []
    has_benchmark, has_dataset = build.benchmark.is_dir(), build.dataset.is_dir()
    if not (has_benchmark or has_dataset):
        raise BuildMissingError(f"no build in {build.path}: nothing to repair; run `saber run`")
    if has_dataset:
        repairs += repair_dataset(build, settings, progress)
    # Last: a benchmark that can't be repaired is no reason to leave the dataset as it is.
    if has_benchmark:
        progress.step("looking at the benchmark")
        repairs += repair_benchmark(build, benchmark) or remake_failing(build)
    for stage in RUN_STAGES:
        require_manifest(build, stage)
    repairs += repair_runs(build)
    return repairs


def repair_dataset(build: Build, settings: DatasetSettings, progress: Progress) -> list[Repair]:
    """Repair the dataset alone, as `repair_build` does.

    Raises GenerationError where a construction can't be brought back to its quota.
    """
    require_no_rejudging(build)
    await_writers(build)
    published = _readable(build.manifest(STAGE))
    manifests = _stream_manifests(build, published)
    if not manifests:
        return []
    recorded = _recorded(build, published, manifests)
    build.streams.mkdir(parents=True, exist_ok=True)
    words = restore_words(build, settings, recorded)
    repairs = [Repair(name, state, "restored") for name, state in words]
    chosen = settings_of_build(build, recorded, settings)
    usable = {name: _usable(build, name, manifests[name], recorded) for name in manifests}
    quotas = quotas_to_restore(build, published, usable)
    for name, manifest in usable.items():
        progress.step(f"looking at {name}")
        if manifest is None:
            repairs += _rebuild(build, name, chosen, recorded, published, quotas.get(name))
        else:
            repairs += StreamRepair(StreamFiles(build, name, recorded), chosen).run()
    repairs += _republish(build, chosen, recorded, quotas, progress)
    repairs += repair_parses(build, settings, progress, shards_changed=bool(repairs))
    return repairs


def _stream_manifests(build: Build, published: Manifest | None) -> dict[str, Manifest | None]:
    """Return the manifest of every construction that was begun; None where it can't be read."""
    quotas = recorded_quotas(published) if published else {}
    return {
        name: _readable(build.stream(name))
        for name in CONSTRUCTIONS
        if (build.dataset / "log" / name).is_dir() or build.stream(name).exists() or name in quotas
    }


def _recorded(
    build: Build, published: Manifest | None, manifests: dict[str, Manifest | None]
) -> dict[str, JsonValue]:
    """Return the settings that the dataset was made from, as most of its manifests have them.

    Raises DamagedFileError if no manifest is left to tell.
    """
    known = [published, _readable(build.stream(_WORDS)), *manifests.values()]
    told = [_without_quotas(manifest.settings) for manifest in known if manifest]
    if not told:
        raise DamagedFileError(
            f"every manifest of {build.dataset} is missing or damaged, so nothing tells what it "
            "was made from: restore one, or build it again with --force"
        )
    return max(told, key=told.count)


def _usable(
    build: Build, name: str, manifest: Manifest | None, recorded: dict[str, JsonValue]
) -> Manifest | None:
    """Return a construction's manifest; None where it isn't as a build wrote it.

    Raises BuildConflictError where the rules have changed.
    """
    if manifest is None or manifest.settings != recorded or not _is_in_order(manifest):
        return None
    if len(entries_of(name, manifest)) < len(manifest.files):
        return None
    if manifest.shards and manifest.versions.get(RULES) != rules_checksum():
        raise BuildConflictError(
            f"build {build.name!r} was judged by other rules than there are now: apply these "
            "to it with `saber rejudge` before repairing it"
        )
    return manifest


def _is_in_order(manifest: Manifest) -> bool:
    """Whether the shards follow each other without a gap."""
    first = manifest.shards[:1]
    return all(shard.first == 0 and shard.index == 0 for shard in first) and all(
        left.end == right.first and left.index + 1 == right.index
        for left, right in pairwise(manifest.shards)
    )


def _without_quotas(settings: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {key: value for key, value in settings.items() if key != _QUOTAS}


def _rebuild(
    build: Build,
    name: str,
    settings: DatasetSettings,
    recorded: dict[str, JsonValue],
    published: Manifest | None,
    quota: int | None,
) -> Iterator[Repair]:
    """Make the manifest of a construction, which can't be used, anew."""
    path = build.stream(name)
    yield Repair(_below(build, path), "corrupt" if path.exists() else "missing", "restored")
    path.unlink(missing_ok=True)
    files = StreamFiles(build, name, recorded)
    files.quota = quota
    yield from rebuild(files, settings, published)


def _republish(
    build: Build,
    settings: DatasetSettings,
    recorded: dict[str, JsonValue],
    quotas: dict[str, int],
    progress: Progress,
) -> Iterator[Repair]:
    """Bring a dataset that was complete back to its quotas, with its splits and its manifest."""
    if not quotas:
        return
    before = {path: _content(path) for path in (build.manifest(STAGE), _splits_path(build))}
    found = dict(_stage_damage(build))
    full = all(
        StreamFiles(build, name, recorded).accepted == quota for name, quota in quotas.items()
    )
    grown = settings.model_copy(update={"quota": None, "quotas": quotas})
    if full:
        dataset.publish(build, grown, recorded)
        altered = [path for path, content in before.items() if _content(path) != content]
        found = dict.fromkeys(altered, "failed") | found
    else:
        mark_repairing(build, quotas)
        dataset.unpublish(build)
        _require_full(dataset.build_dataset(build, grown, progress).streams, quotas)
    for path, state in found.items():
        yield Repair(_below(build, path), state, "restored")


def _require_full(streams: list[StreamOutcome], quotas: dict[str, int]) -> None:
    """Raise GenerationError naming the constructions that stopped, each with its reason."""
    short = [
        f"{stream.construction} at {stream.accepted:,} of {quotas[stream.construction]:,}: "
        f"{stream.stopped}"
        for stream in streams
        if stream.stopped
    ]
    if short:
        raise GenerationError(
            f"what was lost isn't replaced yet ({'; '.join(short)}); what was accepted stays, the "
            "next repair goes on, as `saber dataset` does"
        )


def _splits_path(build: Build) -> Path:
    """Return the file of the splits."""
    return build.path / SPLITS_NAME


def _stage_damage(build: Build) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with the files that belong to the dataset as a whole."""
    path, published = build.manifest(STAGE), _readable(build.manifest(STAGE))
    if published is None:
        yield path, "corrupt" if path.exists() else "missing"
    entries = [e for e in published.files if e.name == SPLITS_NAME] if published else []
    for entry in entries:
        state = shard_state(build.path, entry)
        if state != "complete":
            yield _splits_path(build), state
    if not _splits_path(build).exists():
        yield _splits_path(build), "missing"


def _content(path: Path) -> bytes | None:
    return read_file(path) if path.exists() else None


def _below(build: Build, path: Path) -> str:
    return path.relative_to(build.path).as_posix()


def _readable(path: Path) -> Manifest | None:
    """Return the manifest at `path`, or None where it is missing or damaged."""
    with contextlib.suppress(BuildMissingError, DamagedFileError):
        return read_manifest(path)
    return None
