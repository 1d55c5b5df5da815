"""Damage in training and evaluation: found by checksum; what can be made again at once is.

A report is written anew. A run takes its model, so it is named, with the command that makes it.
"""

from collections.abc import Iterator

from artifacts.builds import Build
from artifacts.errors import DamagedFileError
from artifacts.files import FileEntry
from artifacts.manifest import Stage, read_manifest
from artifacts.shards import shard_states
from flows.stages.evaluation import STAGE as EVALUATION
from flows.stages.repairing import Repair
from flows.stages.reporting import write_report
from flows.stages.runs import REPORT, RUN_STAGES


def damaged_files(build: Build, stage: Stage) -> list[tuple[FileEntry, str]]:
    """Return the listed files of a stage that aren't as they were written, each with its state."""
    if not build.manifest(stage).exists():
        return []
    entries = read_manifest(build.manifest(stage)).files
    states = shard_states(build.path, entries)
    return [pair for pair in zip(entries, states, strict=True) if pair[1] != "complete"]


def repair_runs(build: Build) -> list[Repair]:
    """Write a damaged report anew; raises DamagedFileError naming the runs to make again."""
    found = {stage: damaged_files(build, stage) for stage in RUN_STAGES}
    lost = [f"`{command} --force` for the run {run}" for command, run in _lost(found)]
    if lost:
        raise DamagedFileError(
            f"training and evaluation of build {build.name!r} can only be made again by their "
            f"models: {', '.join(dict.fromkeys(lost))}"
        )
    report = [(entry, state) for entry, state in found[EVALUATION] if _folder(entry) == REPORT]
    if report:
        write_report(build)
    return [Repair(entry.name, state, "restored") for entry, state in report]


def _lost(found: dict[Stage, list[tuple[FileEntry, str]]]) -> Iterator[tuple[str, str]]:
    for stage, damaged in found.items():
        for entry, _ in damaged:
            if _folder(entry) != REPORT:
                yield RUN_STAGES[stage], _folder(entry)


def _folder(entry: FileEntry) -> str:
    return entry.name.split("/")[1]
