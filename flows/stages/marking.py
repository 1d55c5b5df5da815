"""The mark that validation leaves in the manifests: which files hold rows that break a rule.

The `shards` view shows it as the state failed. Knows manifests only.
"""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from artifacts.builds import Build
from artifacts.files import FileEntry
from artifacts.manifest import read_manifest, write_manifest
from flows.stages.shard_files import STAGE as DATASET
from generators.constructions import CONSTRUCTIONS


def stage_manifests(build: Build, stage: str) -> list[Path]:
    """Return the manifests that list the files of a stage; the last one knows best.

    Those that must be there are among them even where they are not.
    """
    if stage != DATASET:
        return [build.manifest(stage)]
    logged = [name for name in CONSTRUCTIONS if (build.dataset / "log" / name).is_dir()]
    streams = {*build.streams.glob("*.json"), *map(build.stream, logged)}
    return [build.manifest(stage), *sorted(streams)]


def mark_failed(build: Build, stage: str, failing: Collection[str]) -> None:
    """Mark just these files of a stage as failed, and no others; rewrites what changes by it."""
    for path in stage_manifests(build, stage):
        manifest = read_manifest(path)
        files = [_marked(entry, failed=entry.name in failing) for entry in manifest.files]
        if files != manifest.files:
            write_manifest(path, manifest.model_copy(update={"files": files}))


def _marked(entry: FileEntry, *, failed: bool) -> FileEntry:
    return replace(entry, state="failed" if failed else "complete")
