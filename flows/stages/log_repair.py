"""Repair of a construction's attempt log from the shards that copy it.

Knows segments and drafts; no rule and no writer, so that it helps before a re-judging, too.
"""

from collections.abc import Iterator
from pathlib import Path

from artifacts.attempt_log import (
    SEGMENT_ATTEMPTS,
    list_segments,
    read_segment,
    segment_path,
    write_segment,
)
from artifacts.files import FileEntry, read_file, sha256_of
from artifacts.shards import shard_state
from flows.stages.draft_sources import DraftSources
from flows.stages.shard_files import LOG_KIND, StreamFiles


def open_sources(files: StreamFiles) -> DraftSources:
    """Return where the drafts of a construction can be had from."""
    return DraftSources(files.build.path, files.log_folder, files.all_entries())


def restore_log(
    files: StreamFiles, sources: DraftSources, settled: int | None = None
) -> Iterator[tuple[str, str]]:
    """Write every segment anew that isn't whole; yield its name and what was wrong with it.

    A segment that no manifest lists yet is whole if it holds what was settled: the rest may have
    been torn, and the build mends that itself.
    """
    end = files.settled if settled is None else settled
    for segment in _segments(files, end):
        path = segment_path(files.log_folder, segment)
        listed = files.entry(_name(files, path))
        state = shard_state(files.build.path, listed) if listed else _state_of_open(path)
        if listed and state == "complete":
            continue
        start = segment * SEGMENT_ATTEMPTS
        held = sources.between(start, start + SEGMENT_ATTEMPTS)
        if listed or not _holds(path, {attempt for attempt in held if attempt < end}):
            write_segment(path, list(held.values()))
            if listed:
                files.relist(_entry(files, path))
            yield _name(files, path), state


def _segments(files: StreamFiles, end: int) -> list[int]:
    """Return the segments that are there, or should be."""
    settled = range(-(-end // SEGMENT_ATTEMPTS))
    names = [Path(entry.name).name for entry in files.all_entries() if entry.kind == LOG_KIND]
    listed = [int(name.split(".")[0]) for name in names]
    return sorted({*settled, *listed, *list_segments(files.log_folder)})


def _holds(path: Path, attempts: set[int]) -> bool:
    logged = read_segment(path) if path.exists() else []
    return attempts <= {draft.plan.attempt for draft in logged}


def _state_of_open(path: Path) -> str:
    return "corrupt" if path.exists() else "missing"


def _name(files: StreamFiles, path: Path) -> str:
    return path.relative_to(files.build.path).as_posix()


def _entry(files: StreamFiles, path: Path) -> FileEntry:
    content = read_file(path)
    return FileEntry(_name(files, path), LOG_KIND, 0, len(content), sha256_of(content))
