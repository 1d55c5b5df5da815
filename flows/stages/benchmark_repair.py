"""Repair of a benchmark: made again beside the build, and only what is damaged is replaced."""

import shutil

from artifacts.builds import Build
from artifacts.errors import BuildMissingError, DamagedFileError
from artifacts.files import FileEntry, read_file, replace_file
from artifacts.manifest import Manifest, read_manifest
from artifacts.shards import shard_state
from flows.progress import Silent
from flows.stages.benchmark import (
    STAGE,
    VOCABULARY_FOLDER,
    build_benchmark,
    settings_of_manifest,
)
from flows.stages.repairing import Repair

#: A build of its own, inside the one that is repaired.
_SCRATCH = "repair"


def repair_benchmark(build: Build) -> list[Repair]:
    """Restore the benchmark's missing and damaged files from its recorded settings.

    Raises DamagedFileError if the manifest is damaged, or what it was made from is gone.
    """
    try:
        manifest = read_manifest(build.manifest(STAGE))
    except BuildMissingError:
        return []
    states = {entry.name: shard_state(build.path, entry) for entry in manifest.files}
    damaged = [entry for entry in manifest.files if states[entry.name] != "complete"]
    if damaged:
        _restore(build, manifest, damaged)
    return [Repair(entry.name, states[entry.name], "restored") for entry in damaged]


def _restore(build: Build, manifest: Manifest, damaged: list[FileEntry]) -> None:
    scratch = Build(build.path, _SCRATCH)
    settings = settings_of_manifest(build, manifest)
    if not any(entry.kind == VOCABULARY_FOLDER for entry in damaged):
        words = build.benchmark / VOCABULARY_FOLDER
        settings = settings.model_copy(update={"vocabulary": words})
    try:
        made = build_benchmark(scratch, settings, Silent(), force=True).manifest
        checksums = {entry.name: entry.sha256 for entry in made.files}
        for entry in damaged:
            if checksums.get(entry.name) != entry.sha256:
                raise DamagedFileError(
                    f"{build.path / entry.name} cannot be made again: the words or the versions "
                    "that it was made from have changed; build it again, with --force"
                )
            replace_file(build.path / entry.name, read_file(scratch.path / entry.name))
    finally:
        shutil.rmtree(scratch.path, ignore_errors=True)
