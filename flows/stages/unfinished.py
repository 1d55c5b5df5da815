"""Whether a stage of a build is finished, and so to be validated.

Knows manifests, and what runs leave when they are broken off; a manifest that is gone from a
finished stage is damage, not a stage half-way.
"""

from artifacts.builds import Build
from artifacts.errors import BuildError, DamagedFileError
from artifacts.manifest import Manifest, read_manifest
from flows.stages.dataset_state import require_no_rejudging
from flows.stages.runs import COMMANDS, begun_runs
from flows.stages.shard_files import STAGE as DATASET
from generators.constructions import CONSTRUCTIONS


def why_unfinished(build: Build, stage: str) -> str:
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
        return f"unfinished: {', '.join(begun)}; `{COMMANDS[stage]}` with the same settings goes on"
    if stage != DATASET:
        return f"{stage}/{build.manifest(stage).name} is missing: build it again"
    done = [name for name in CONSTRUCTIONS if _is_complete(build, name)]
    if len(done) == len(CONSTRUCTIONS):
        return ""
    return (
        f"unfinished: {len(done)} of {len(CONSTRUCTIONS)} constructions are complete; "
        "`saber dataset` goes on with it"
    )


def _is_complete(build: Build, construction: str) -> bool:
    manifest = readable_manifest(build, construction)
    return manifest is not None and manifest.complete


def readable_manifest(build: Build, construction: str) -> Manifest | None:
    """Return the manifest of one construction; None where it is missing or damaged."""
    path = build.stream(construction)
    try:
        return read_manifest(path) if path.exists() else None
    except DamagedFileError:
        return None
