"""Repair of a whole build: benchmark, dataset, splits and manifests.

Finds what is missing, short, corrupt or not what its sources give, makes just that again, and fills
a dataset's quotas where shards had to be given up. Files that are whole are not touched.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from pydantic import JsonValue

from artifacts.builds import Build
from artifacts.errors import (
    BuildConflictError,
    BuildMissingError,
    DamagedFileError,
)
from artifacts.manifest import Manifest, read_manifest
from artifacts.settings import DatasetSettings
from artifacts.shards import shard_state
from flows.progress import Progress
from flows.stages import dataset
from flows.stages.benchmark_repair import repair_benchmark
from flows.stages.dataset_state import recorded_quotas, require_no_rejudging
from flows.stages.dataset_words import load_words, make_writer
from flows.stages.kept_words import restore_words, settings_of_build
from flows.stages.publishing import RULES, rules_checksum
from flows.stages.repairing import Repair, StreamRepair
from flows.stages.replaying import logged_drafts, rejudged_shards, settle_with
from flows.stages.shard_files import STAGE, StreamFiles
from generators.constructions import CONSTRUCTIONS
from validators.ledger import Ledger

#: The setting of a published dataset that its constructions' manifests don't have.
_QUOTAS = "quotas"


def repair_build(build: Build, settings: DatasetSettings, progress: Progress) -> list[Repair]:
    """Repair everything that the build holds; returns what was wrong and what was done.

    `settings` names the words of a dataset; everything else is in its manifests. Raises
    BuildMissingError where there is nothing, BuildConflictError where the rules have changed.
    """
    repairs: list[Repair] = []
    has_benchmark, has_dataset = build.benchmark.is_dir(), build.dataset.is_dir()
    if not (has_benchmark or has_dataset):
        raise BuildMissingError(f"no build in {build.path}: nothing to repair; run `saber run`")
    if has_benchmark:
        progress.step("looking at the benchmark")
        repairs += repair_benchmark(build)
    if has_dataset:
        repairs += _repair_dataset(build, settings, progress)
    return repairs


def _repair_dataset(build: Build, settings: DatasetSettings, progress: Progress) -> list[Repair]:
    require_no_rejudging(build)
    published = _readable(build.manifest(STAGE))
    streams, repairs = _open_streams(build, published)
    if not streams:
        return repairs
    repairs += [Repair(name, state, "restored") for name, state in restore_words(build, settings)]
    chosen = settings_of_build(build, streams[0].settings, settings)
    quotas = _quotas(published, streams)
    for files in streams:
        progress.step(f"looking at {files.construction}")
        if not files.shards:
            _rebuild(files, chosen, quotas.get(files.construction))
        repairs += StreamRepair(files, chosen).run()
    repaired = bool(repairs)
    repairs += _republish(build, chosen, quotas, published, streams, progress, repaired=repaired)
    return repairs


def _open_streams(
    build: Build, published: Manifest | None
) -> tuple[list[StreamFiles], list[Repair]]:
    """Open every construction that has a log; one whose manifest is damaged begins without shards.

    Raises DamagedFileError if no manifest is left to tell what the dataset was made from.
    """
    names = [name for name in CONSTRUCTIONS if (build.dataset / "log" / name).is_dir()]
    manifests = {name: _readable(build.stream(name)) for name in names}
    known = next((manifest for manifest in manifests.values() if manifest), published)
    if not names:
        return [], []
    if known is None:
        raise DamagedFileError(
            f"every manifest of {build.dataset} is missing or damaged, so nothing tells what it "
            "was made from: restore one, or build it again with --force"
        )
    streams, repairs = [], []
    for name, manifest in manifests.items():
        if manifest is None:
            path = build.stream(name)
            state = "corrupt" if path.exists() else "missing"
            path.unlink(missing_ok=True)
            repairs.append(Repair(path.relative_to(build.path).as_posix(), state, "restored"))
        elif manifest.shards and manifest.versions.get(RULES) != rules_checksum():
            raise BuildConflictError(
                f"build {build.name!r} was judged by other rules than there are now: apply these "
                "to it with `saber rejudge` before repairing it"
            )
        streams.append(StreamFiles(build, name, _without_quotas(known.settings)))
    return streams, repairs


def _without_quotas(settings: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {key: value for key, value in settings.items() if key != _QUOTAS}


def _quotas(published: Manifest | None, streams: list[StreamFiles]) -> dict[str, int]:
    """Return the quotas of a dataset that was complete; none of one that wasn't."""
    if published is not None:
        return recorded_quotas(published)
    if all(files.complete for files in streams):
        return {files.construction: files.accepted for files in streams}
    return {}


def _rebuild(files: StreamFiles, settings: DatasetSettings, quota: int | None) -> None:
    """Make the shards of a construction anew from its log."""
    construction = CONSTRUCTIONS[files.construction]
    bank = load_words(settings).plan_words.bank
    verdict = settle_with(construction, bank.family_of, make_writer(settings).name)
    ledger = Ledger(construction.objects * construction.attributes_per_object)
    drafts = logged_drafts(files.log_folder)
    for content in rejudged_shards(drafts, verdict, ledger, quota, settings.shard_rows):
        files.publish(content, complete=False)
    files.write_manifest(complete=quota is not None and files.accepted == quota)


def _republish(
    build: Build,
    settings: DatasetSettings,
    quotas: dict[str, int],
    published: Manifest | None,
    streams: list[StreamFiles],
    progress: Progress,
    *,
    repaired: bool,
) -> Iterator[Repair]:
    """Bring a dataset that was complete back to its quotas, with its splits and its manifest."""
    if not quotas:
        return
    damaged = list(_stage_damage(build, published))
    accepted = {files.construction: files.accepted for files in streams}
    full = all(accepted.get(name, 0) == quota for name, quota in quotas.items())
    grown = settings.model_copy(update={"quota": None, "quotas": quotas})
    if not full:
        dataset.build_dataset(build, grown, progress)
    elif damaged or repaired:
        dataset.publish(build, grown, streams[0].settings)
    yield from damaged


def _stage_damage(build: Build, published: Manifest | None) -> Iterator[Repair]:
    """Yield what is wrong with the files that belong to the dataset as a whole."""
    path = build.manifest(STAGE)
    if published is None:
        state = "corrupt" if path.exists() else "missing"
        yield Repair(path.relative_to(build.path).as_posix(), state, "restored")
        return
    for entry in published.files:
        if entry.name == dataset.SPLITS_NAME:
            state = shard_state(build.path, entry)
            if state != "complete":
                yield Repair(entry.name, state, "restored")


def _readable(path: Path) -> Manifest | None:
    """Return the manifest at `path`, or None where it is missing or damaged."""
    with contextlib.suppress(BuildMissingError, DamagedFileError):
        return read_manifest(path)
    return None
