"""Where the drafts of a construction can be had from: its log, and the shards that copy it.

A whole segment of the log is the source of truth; where it isn't whole, an undamaged copy counts
more than what can still be read of it. Holds no more than a segment at a time.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from artifacts.attempt_log import (
    SEGMENT_ATTEMPTS,
    LoggedDraft,
    list_segments,
    read_segment,
    segment_path,
)
from artifacts.files import FileEntry
from artifacts.parquet import read_verified
from artifacts.plan_json import plan_from_json
from artifacts.records import Attempt
from artifacts.schema import stored_schema
from artifacts.shards import shard_state
from flows.stages.shard_files import UNKNOWN_MODEL

#: Read again for the shard that begins where another ended, and for its segment.
_KEPT_IN_MEMORY = 2


class DraftSources:
    """The drafts of one construction that can be read."""

    def __init__(
        self,
        root: Path,
        log_folder: Path,
        entries: Sequence[FileEntry],
        states: Mapping[str, str] | None = None,
    ) -> None:
        """Read from below the build's folder `root`; `entries` are the files listed there."""
        known = states or {entry.name: shard_state(root, entry) for entry in entries}
        self._root = root
        self._folder = log_folder
        self._whole = {entry.name: entry for entry in entries if known[entry.name] == "complete"}
        self._written_again: dict[int, LoggedDraft] = {}
        self._segment = lru_cache(_KEPT_IN_MEMORY)(self._read_segment)
        self._copy = lru_cache(_KEPT_IN_MEMORY)(self._read_copy)

    def between(self, first: int, end: int) -> dict[int, LoggedDraft]:
        """Return attempt → draft for those that can be had, in order."""
        drafts: dict[int, LoggedDraft] = {}
        for segment in range(first // SEGMENT_ATTEMPTS, (end - 1) // SEGMENT_ATTEMPTS + 1):
            start = segment * SEGMENT_ATTEMPTS
            wanted = range(max(first, start), min(end, start + SEGMENT_ATTEMPTS))
            found = dict(self._segment(segment))
            if not self._is_whole(segment):
                found = self._written_again | found | self._copied(wanted)
            drafts |= {attempt: found[attempt] for attempt in wanted if attempt in found}
        return drafts

    def in_order(self) -> Iterator[LoggedDraft]:
        """Yield every draft that can be had, in the order of attempts."""
        for start in range(0, self.end, SEGMENT_ATTEMPTS):
            yield from self.between(start, start + SEGMENT_ATTEMPTS).values()

    @property
    def end(self) -> int:
        """An attempt after all of those that can be had."""
        copied = max((span.stop for span, _ in self._copies), default=0)
        return max(copied, (1 + max(list_segments(self._folder), default=-1)) * SEGMENT_ATTEMPTS)

    def add(self, draft: LoggedDraft) -> None:
        """Take in a draft that was gone and has been written again."""
        self._written_again[draft.plan.attempt] = draft

    def _is_whole(self, segment: int) -> bool:
        path = segment_path(self._folder, segment)
        return path.relative_to(self._root).as_posix() in self._whole

    def _read_segment(self, segment: int) -> dict[int, LoggedDraft]:
        path = segment_path(self._folder, segment)
        drafts = read_segment(path) if path.is_file() else []
        return {draft.plan.attempt: draft for draft in drafts}

    def _copied(self, wanted: range) -> dict[int, LoggedDraft]:
        drafts: dict[int, LoggedDraft] = {}
        for span, entry in self._copies:
            if span.start < wanted.stop and wanted.start < span.stop:
                drafts |= self._copy(entry)
        return drafts

    @cached_property
    def _copies(self) -> list[tuple[range, FileEntry]]:
        """The undamaged shards of attempts, each with the attempts that it reaches over."""
        copies = []
        for entry in self._whole.values():
            if entry.kind == Attempt.view:
                attempts = self._copy(entry)
                copies.append(
                    (range(min(attempts, default=0), max(attempts, default=-1) + 1), entry)
                )
        return copies

    def _read_copy(self, entry: FileEntry) -> dict[int, LoggedDraft]:
        table = read_verified(self._root, entry, stored_schema(Attempt))
        return {row["attempt"]: _draft(row) for row in table.to_pylist() if _has_come(row)}


def _has_come(row: Mapping[str, object]) -> bool:
    return row["model"] != UNKNOWN_MODEL


def _draft(row: Mapping[str, object]) -> LoggedDraft:
    """Return the draft that a row of `attempts` copies."""
    return LoggedDraft(
        plan=plan_from_json(json.loads(str(row["plan"]))),
        raw=str(row["raw"]),
        model=str(row["model"]),
        tokens_in=_number(row["tokens_in"]),
        tokens_out=_number(row["tokens_out"]),
        request=_text(row["request"]),
        finish=_text(row["finish"]),
    )


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
