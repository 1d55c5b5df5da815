"""The dataset stage: quotas → seven streams of shards → splits → manifest.

Continues whatever an earlier run left, refuses to mix settings, and publishes the stage's manifest
only when every quota is full.
"""

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from pydantic import JsonValue

from artifacts.builds import Build
from artifacts.errors import BuildConflictError, SaberError, StoreError
from artifacts.files import FileEntry
from artifacts.ledger_view import accepted_words, digest_words
from artifacts.manifest import Manifest, fingerprint, read_manifest, write_manifest
from artifacts.parquet import read_verified, write_table
from artifacts.plans import Pair
from artifacts.records import Example, SplitMember
from artifacts.schema import stored_schema
from artifacts.settings import DatasetSettings
from flows.llm.identity import require_client
from flows.llm.usage import Usage
from flows.progress import Progress
from flows.stages.dataset_state import (
    forget_growth,
    forget_repair,
    mark_growing,
    pending_repair,
    recorded_quotas,
    require_no_rejudging,
)
from flows.stages.dataset_words import quotas_of, recorded_settings
from flows.stages.kept_words import keep_words
from flows.stages.publishing import (
    RULES,
    describe_differences,
    recorded_versions,
    rules_checksum,
)
from flows.stages.quotas import SPLITS_NAME
from flows.stages.shard_files import STAGE, StreamFiles
from flows.stages.sizes import require_sizes
from flows.stages.stream_build import StreamJob, StreamOutcome
from flows.stages.stream_run import await_writers
from flows.stages.workers import run_jobs
from generators.constructions import CONSTRUCTIONS
from generators.splits import Member, assign_splits


@dataclass(frozen=True, slots=True)
class DatasetOutcome:
    """What a run of the stage did."""

    #: None where a construction stopped before its quota was full.
    manifest: Manifest | None
    streams: list[StreamOutcome]
    built: bool
    #: What was asked of a model's server; None where none was.
    usage: Usage | None = None
    #: What ended a model's writing early; what was accepted before stays.
    failure: SaberError | None = None


def build_dataset(
    build: Build, settings: DatasetSettings, progress: Progress, *, force: bool = False
) -> DatasetOutcome:
    """Bring every construction to its quota and publish; `force` drops what is there before.

    Raises BuildConflictError where the build holds a dataset made with other settings, and whatever
    else ended the run early.
    """
    outcome = run_dataset(build, settings, progress, force=force)
    if outcome.failure is not None:
        raise outcome.failure
    return outcome


def run_dataset(
    build: Build, settings: DatasetSettings, progress: Progress, *, force: bool = False
) -> DatasetOutcome:
    """Do the same, for whoever tells what was done before what ended it.

    What ends a model's writing is the outcome's `failure`; what keeps it from starting is raised.
    """
    quotas = quotas_of(settings)
    recorded = recorded_settings(settings)
    if force:
        _drop(build)
    require_same_dataset(build, settings)
    published = _published(build, quotas)
    if published is not None:
        return DatasetOutcome(published, [], built=False)
    _tell_of_growth(build, quotas, progress)
    keep_words(build, settings, recorded)
    mark_growing(build, quotas)
    unpublish(build)
    if pending_repair(build) != quotas:
        # Another size is asked for: a dataset that isn't finished, and not one that lost something.
        forget_repair(build)
    jobs = [StreamJob(build, name, quota, settings, recorded) for name, quota in quotas.items()]
    progress.step(f"writing {sum(quotas.values()):,} examples in {len(jobs)} constructions")
    outcomes, usage, failure = _run(jobs, settings, progress)
    if failure is not None or any(outcome.stopped for outcome in outcomes):
        return DatasetOutcome(None, outcomes, built=True, usage=usage, failure=failure)
    progress.step("assigning splits")
    return DatasetOutcome(publish(build, settings, recorded), outcomes, built=True, usage=usage)


def require_same_dataset(build: Build, settings: DatasetSettings) -> None:
    """Raise BuildConflictError where `build` holds a dataset that these settings can't continue.

    Raises DamagedFileError where a finished one lacks a file, or has one of another size.
    """
    require_no_rejudging(build)
    _require_growth(build, recorded_settings(settings), quotas_of(settings))
    if build.manifest(STAGE).exists():
        require_sizes(build, "dataset")


def _tell_of_growth(build: Build, quotas: dict[str, int], progress: Progress) -> None:
    """Say that a finished dataset is about to be none for as long as it grows."""
    if build.manifest(STAGE).exists():
        there = sum(recorded_quotas(read_manifest(build.manifest(STAGE))).values())
        progress.step(
            f"growing build {build.name!r} from {there:,} to {sum(quotas.values()):,} examples: it "
            "is unfinished until then"
        )


def _run(
    jobs: list[StreamJob], settings: DatasetSettings, progress: Progress
) -> tuple[list[StreamOutcome], Usage | None, SaberError | None]:
    """Run the jobs with the writer that the settings name."""
    if settings.writer == "embedded":
        return run_jobs(jobs, settings.processes, progress), None, None
    # Here, since the embedded writer needs no client and openai takes a second to import.
    require_client()
    from flows.llm.build import build_from_server

    run = build_from_server(jobs, settings, progress)
    return run.streams, run.usage, run.failure


def publish(build: Build, settings: DatasetSettings, recorded: dict[str, JsonValue]) -> Manifest:
    """Assign splits and write the stage's manifest, which says that the dataset is complete."""
    streams = [StreamFiles(build, name, recorded) for name in quotas_of(settings)]
    splits = _write_splits(build, streams, settings.seed)
    files = [entry for stream in streams for entry in stream.all_entries()]
    counts = {
        "accepted": sum(stream.accepted for stream in streams),
        "settled": sum(stream.settled for stream in streams),
    }
    manifest = Manifest(
        stage=STAGE,
        settings={**recorded, "quotas": dict(quotas_of(settings))},
        fingerprint=fingerprint(recorded),
        files=[*files, splits],
        counts=counts,
        versions={**recorded_versions(), RULES: rules_checksum()},
        complete=True,
    )
    write_manifest(build.manifest(STAGE), manifest)
    forget_repair(build)
    forget_growth(build)
    return manifest


def unpublish(build: Build) -> None:
    """Say that the dataset isn't complete any more."""
    try:
        build.manifest(STAGE).unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"cannot change {build.dataset}: {error.strerror}") from error


def _drop(build: Build) -> None:
    """Remove the dataset; its manifest first, so that half of it never looks complete."""
    await_writers(build)
    unpublish(build)
    try:
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(build.dataset)
    except OSError as error:
        raise StoreError(f"cannot remove {build.dataset}: {error.strerror}") from error


def _require_growth(build: Build, recorded: dict[str, JsonValue], quotas: dict[str, int]) -> None:
    """Refuse what would mix two datasets, or leave out what is there."""
    for name in CONSTRUCTIONS:
        if not build.stream(name).exists():
            continue
        manifest = read_manifest(build.stream(name))
        if manifest.settings != recorded:
            raise BuildConflictError(
                f"build {build.name!r} holds a dataset made with other settings "
                f"({describe_differences(manifest.settings, recorded)}): name another with "
                "--build, or replace it with --force"
            )
        if manifest.shards and manifest.versions.get(RULES) != rules_checksum():
            raise BuildConflictError(
                f"build {build.name!r} was judged by other rules than there are now: apply these "
                "to it with `saber rejudge`, name another build with --build, or use --force"
            )
        accepted = manifest.counts["accepted"]
        if accepted > quotas[name]:
            raise BuildConflictError(
                f"build {build.name!r} holds more than the quota of {name} ({accepted:,} examples, "
                f"{quotas[name]:,} wanted): a quota can be raised, not lowered; "
                f"{_without_quota(name, accepted)}name another build with --build, or start anew "
                "with --force"
            )


def _without_quota(name: str, accepted: int) -> str:
    """Say what takes a dataset of this size, where the paper's does."""
    most = CONSTRUCTIONS[name].quota
    if accepted > most:
        return ""
    return (
        f"set none, and `saber dataset` or `saber run --full` grows it to the paper's {most:,}, "
        "`saber run` leaves it its size; or "
    )


def _published(build: Build, quotas: dict[str, int]) -> Manifest | None:
    """Return the manifest if the dataset is complete for just these quotas."""
    if not build.manifest(STAGE).exists():
        return None
    manifest = read_manifest(build.manifest(STAGE))
    return manifest if recorded_quotas(manifest) == quotas else None


def _write_splits(build: Build, streams: list[StreamFiles], seed: int) -> FileEntry:
    members = [member for stream in streams for member in _members(build, stream)]
    names = pa.array([member.example_id for member in members], pa.string())
    splits = pa.array([split for _, split in assign_splits(members, seed)], pa.string())
    # No records: a million of them would take more memory than all else.
    table = pa.Table.from_arrays([names, splits], schema=stored_schema(SplitMember))
    return write_table(build.path, SPLITS_NAME, SplitMember.view, table)


def _members(build: Build, stream: StreamFiles) -> Iterator[Member]:
    for entry in stream.entries(Example):
        table = read_verified(build.path, entry, stored_schema(Example))
        for row in table.select(["example_id", "pairs"]).to_pylist():
            words = accepted_words(
                [Pair(tuple(pair["attributes"]), pair["object"]) for pair in row["pairs"]]
            )
            yield Member(row["example_id"], stream.construction, digest_words(words))
