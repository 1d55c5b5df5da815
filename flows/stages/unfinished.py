"""Whether a stage of a build is finished, and so to be validated.

Knows manifests, and what runs leave when they are broken off; a manifest that is gone from a
finished stage is damage, not a stage half-way.
"""

from pathlib import Path

from artifacts.builds import Build
from artifacts.errors import BuildError, BuildMissingError, DamagedFileError, StoreError
from artifacts.manifest import Manifest, Stage, read_manifest
from flows.stages.benchmark import STAGE as BENCHMARK
from flows.stages.dataset_state import growing_quotas, pending_repair, require_no_rejudging
from flows.stages.runs import RUN_STAGES, begun_runs
from flows.stages.shard_files import STAGE as DATASET
from generators.constructions import CONSTRUCTIONS


def why_unfinished(build: Build, stage: Stage) -> str:
    """Return why `stage` can't be validated yet; empty where it can."""
    if stage == DATASET:
        try:
            require_no_rejudging(build)
        except BuildError as error:
            return str(error)
    if build.manifest(stage).exists():
        return ""
    begun = begun_runs(build, stage)
    if begun:
        goes_on = f"`{RUN_STAGES[stage]}` with the same settings goes on"
        return f"unfinished: {', '.join(begun)}; {goes_on}"
    if stage != DATASET:
        return "" if _held_something(build, stage) else "unfinished: there is nothing in it yet"
    if pending_repair(build) is not None:
        # It was finished: what it lost is damage, until it is there again.
        return ""
    wanted = growing_quotas(build)
    done = [name for name in CONSTRUCTIONS if _is_complete(build, name, wanted.get(name, 0))]
    if len(done) == len(CONSTRUCTIONS):
        return ""
    return (
        f"unfinished: {len(done)} of {len(CONSTRUCTIONS)} constructions are complete; "
        "`saber dataset` goes on with it"
    )


def why_lacking(build: Build, stage: Stage) -> str:
    """Return what a stage without a manifest that can be read is, and which command helps."""
    if stage == DATASET and pending_repair(build) is not None:
        return "under repair: `saber rerun-failed` goes on with it"
    damaged = "damaged: its manifest; `saber rerun-failed` says more"
    return why_unfinished(build, stage) or damaged


def why_no_dataset(build: Build) -> str:
    """Return why there is no finished dataset; empty where there is one."""
    if build.manifest(DATASET).exists():
        return ""
    if not build.dataset.is_dir():
        return "there is no dataset; `saber dataset` builds one"
    return f"dataset {why_lacking(build, 'dataset')}"


def require_dataset(build: Build) -> None:
    """Raise BuildMissingError where there is no finished dataset, with what is lacking."""
    why = why_no_dataset(build)
    if why:
        raise BuildMissingError(f"build {build.name!r}: {why}")


def require_manifest(build: Build, stage: Stage) -> None:
    """Raise DamagedFileError where the manifest of a stage with runs was taken away."""
    folder, path = build.path / stage, build.manifest(stage)
    if folder.is_dir() and not path.exists() and not why_unfinished(build, stage):
        raise DamagedFileError(
            f"{path} is missing, so nothing tells which runs of {folder} are whole: restore it, or "
            f"make them again with `{RUN_STAGES[stage]} --force`"
        )


def _held_something(build: Build, stage: Stage) -> bool:
    """Whether a stage that appears whole, or run by run, has anything in its place."""
    # Of pictures nothing here knows when they are all there.
    known = stage == BENCHMARK or stage in RUN_STAGES
    return known and any(not path.name.startswith(".") for path in (build.path / stage).iterdir())


def _is_complete(build: Build, construction: str, wanted: int) -> bool:
    """Whether a construction has its quota, and the one that it is to grow to."""
    manifest = readable_manifest(build, construction)
    return manifest is not None and manifest.complete and manifest.counts["accepted"] >= wanted


def readable_manifest(build: Build, construction: str) -> Manifest | None:
    """Return the manifest of one construction; None where it is missing or damaged."""
    return try_manifest(build.stream(construction))


def try_manifest(path: Path) -> Manifest | None:
    """Return the manifest at `path`; None where it is missing or damaged."""
    try:
        return read_manifest(path)
    except (BuildMissingError, StoreError):
        return None
