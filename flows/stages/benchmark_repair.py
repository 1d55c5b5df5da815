"""Repair of a benchmark: made again beside the build, and only what is damaged is replaced."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from artifacts.builds import Build
from artifacts.errors import BuildMissingError, DamagedFileError, SaberError, StoreError
from artifacts.files import FileEntry, read_file, replace_file
from artifacts.manifest import Manifest, read_manifest, write_manifest
from artifacts.settings import BenchmarkSettings
from artifacts.shards import shard_state
from flows.progress import Silent
from flows.stages.benchmark import (
    STAGE,
    VOCABULARY_FOLDER,
    build_benchmark,
    check_benchmark,
    settings_of_manifest,
)
from flows.stages.repairing import Repair

#: A build of its own, inside the one that is repaired.
_SCRATCH = "repair"


def repair_benchmark(build: Build, settings: BenchmarkSettings | None = None) -> list[Repair]:
    """Restore the benchmark's missing and damaged files from its recorded settings.

    Where nothing tells them any more, `settings` do if they give just the tables that are there.
    Raises DamagedFileError if they don't, or what the benchmark was made from is gone.
    """
    path = build.manifest(STAGE)
    try:
        manifest = read_manifest(path)
    except (BuildMissingError, DamagedFileError) as error:
        # A benchmark appears whole, with its manifest: this one was taken away, or came to harm.
        if settings and _restore_manifest(build, settings):
            state = "missing" if isinstance(error, BuildMissingError) else "corrupt"
            return [Repair(path.relative_to(build.path).as_posix(), state, "restored")]
        raise _lost_manifest(path, error) from error
    states = {entry.name: shard_state(build.path, entry) for entry in manifest.files}
    damaged = [entry for entry in manifest.files if states[entry.name] != "complete"]
    if damaged:
        _restore(build, manifest, damaged)
    return [Repair(entry.name, states[entry.name], "restored") for entry in damaged]


def remake_failing(build: Build) -> list[Repair]:
    """Remake the benchmark if its rows break a rule; does nothing where they don't."""
    reports, _ = check_benchmark(build)
    return remake_benchmark(build) if any(report.failed for report in reports) else []


def remake_benchmark(build: Build) -> list[Repair]:
    """Replace what isn't as the recorded settings and the kept words give it, though it is listed.

    For a benchmark whose files were altered together with its manifest. Returns nothing where the
    same settings give the same files: the rules that they break can't be met by repairing.
    """
    manifest = read_manifest(build.manifest(STAGE))
    with _made_again(build, settings_of_manifest(build, manifest)) as (scratch, made):
        listed = {entry.name: entry.sha256 for entry in manifest.files}
        altered = [entry for entry in made.files if listed.get(entry.name) != entry.sha256]
        for entry in altered:
            _put_back(build, scratch, entry)
        if altered:
            write_manifest(build.manifest(STAGE), made)
    return [Repair(entry.name, "failed", "restored") for entry in altered]


def _restore_manifest(build: Build, settings: BenchmarkSettings) -> bool:
    """Write the manifest anew if the settings give every table as it is; says whether they do."""
    with _made_again(build, settings) as (_, made):
        tables = [entry for entry in made.files if entry.kind != VOCABULARY_FOLDER]
        if any(shard_state(build.path, entry) != "complete" for entry in tables):
            return False
        write_manifest(build.manifest(STAGE), made)
    return True


def _lost_manifest(path: Path, error: SaberError) -> DamagedFileError:
    lost = f"{path} is missing, so nothing tells what the benchmark was made from"
    missing = f"{lost}; `saber rerun-failed` repairs it"
    return DamagedFileError(
        f"{missing if isinstance(error, BuildMissingError) else error} with the settings that made "
        "it, while its tables are whole, or `saber benchmark --force` makes it anew"
    )


def _restore(build: Build, manifest: Manifest, damaged: list[FileEntry]) -> None:
    with_words = any(entry.kind == VOCABULARY_FOLDER for entry in damaged)
    settings = settings_of_manifest(build, manifest)
    with _made_again(build, settings, packaged_words=with_words) as (scratch, made):
        checksums = {entry.name: entry.sha256 for entry in made.files}
        for entry in damaged:
            if checksums.get(entry.name) != entry.sha256:
                raise DamagedFileError(
                    f"{build.path / entry.name} cannot be made again: the words or the versions "
                    "that it was made from have changed; build it again, with --force"
                )
            _put_back(build, scratch, entry)


def _put_back(build: Build, scratch: Build, entry: FileEntry) -> None:
    path = build.path / entry.name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot create {path.parent}: {error.strerror}") from error
    replace_file(path, read_file(scratch.path / entry.name))


@contextmanager
def _made_again(
    build: Build, settings: BenchmarkSettings, *, packaged_words: bool = False
) -> Iterator[tuple[Build, Manifest]]:
    """Yield the benchmark as these settings give it, in a build of its own."""
    scratch = Build(build.path, _SCRATCH)
    if not packaged_words:
        words = build.benchmark / VOCABULARY_FOLDER
        settings = settings.model_copy(update={"vocabulary": words})
    try:
        yield scratch, build_benchmark(scratch, settings, Silent(), force=True).manifest
    finally:
        shutil.rmtree(scratch.path, ignore_errors=True)
