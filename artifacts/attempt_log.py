"""The attempt log: every draft as it arrived, with its plan, before anything was made of it.

The source of truth of a dataset: accepted and rejected rows follow from the rules and this log. A
segment file holds `SEGMENT_ATTEMPTS` attempts as zstd frames of JSON lines, one frame per commit
group, written with one call and synced. What a crash tears is one frame at the end. Knows nothing
of rules, ledgers or shards.
"""

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import zstandard

from artifacts.errors import StoreError
from artifacts.files import read_file, replace_file
from artifacts.plan_json import plan_from_json, plan_to_json
from artifacts.plans import Plan

SEGMENT_ATTEMPTS = 1_000
#: A commit group is closed after so many drafts or so many seconds, whichever comes first.
GROUP_ROWS = 200
GROUP_SECONDS = 1.0

_MAGIC = b"\x28\xb5\x2f\xfd"
_SUFFIX = ".jsonl.zst"
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
#: How `_line` begins: of which construction and attempt it is.
_LINE_START = re.compile(rb'\{"plan":\{"construction":"([^"]*)","attempt":(\d+),')


@dataclass(frozen=True, slots=True)
class LoggedDraft:
    """A draft as it arrived."""

    plan: Plan
    raw: str
    #: What exactly wrote it.
    model: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    #: Checksum of the whole request; null for a writer that asks nobody.
    request: str | None = None
    #: Why a model ended its reply, where that isn't at its end: length, refusal, ….
    finish: str | None = None


class AttemptLog:
    """The log of one construction, open for appending."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        """Log to `folder`, which is created."""
        self._folder = folder
        self._clock = clock
        self._group: list[LoggedDraft] = []
        self._opened_at = 0.0
        _create(folder)

    def append(self, draft: LoggedDraft) -> None:
        """Log a draft; it is on disk when its commit group is closed, or after `flush`."""
        if not self._group:
            self._opened_at = self._clock()
        self._group.append(draft)
        if len(self._group) >= GROUP_ROWS or self._clock() - self._opened_at >= GROUP_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Close the commit group: write and sync what has been appended."""
        group, self._group = self._group, []
        by_segment: dict[int, list[LoggedDraft]] = {}
        for draft in group:
            by_segment.setdefault(draft.plan.attempt // SEGMENT_ATTEMPTS, []).append(draft)
        for segment, drafts in by_segment.items():
            _append(segment_path(self._folder, segment), _frame(drafts))


def segment_path(folder: Path, segment: int) -> Path:
    """Return the file of a segment."""
    return folder / f"{segment:05}{_SUFFIX}"


def list_segments(folder: Path) -> list[int]:
    """Return the segments that exist, ascending."""
    stems = (path.name.removesuffix(_SUFFIX) for path in folder.glob(f"*{_SUFFIX}"))
    return sorted(int(stem) for stem in stems if stem.isdecimal())


def read_segment(path: Path) -> list[LoggedDraft]:
    """Return the drafts of a segment that can be read, in the order of their arrival.

    Drafts of another construction or segment are none of its own: a file in a wrong place.
    """
    return list(_own_drafts(path, read_file(path)))


def read_drafts(folder: Path, first: int = 0, end: int | None = None) -> dict[int, LoggedDraft]:
    """Return attempt → draft for the attempts from `first` up to `end`; the latest draft counts."""
    drafts: dict[int, LoggedDraft] = {}
    for segment in list_segments(folder):
        start = segment * SEGMENT_ATTEMPTS
        if start + SEGMENT_ATTEMPTS <= first or (end is not None and start >= end):
            continue
        for draft in read_segment(segment_path(folder, segment)):
            attempt = draft.plan.attempt
            if first <= attempt and (end is None or attempt < end):
                drafts[attempt] = draft
    return drafts


def mend_segments(folder: Path, first: int) -> int:
    """Rewrite the segments from attempt `first` on without what a crash tore; return how many.

    Must come before appending: a frame behind a torn one would be unreadable.
    """
    mended = 0
    for segment in list_segments(folder):
        if segment < first // SEGMENT_ATTEMPTS:
            continue
        path = segment_path(folder, segment)
        content = read_file(path)
        if not _is_whole(content):
            write_segment(path, list(_own_drafts(path, content)))
            mended += 1
    return mended


def order_segment(path: Path) -> None:
    """Rewrite a segment in the order of attempts, with the latest draft of each.

    Lines stay as they are: to read every plan would cost as much as to make it.
    """
    lines = [line for frame in _frames(read_file(path)) for line in frame.splitlines()]
    starts = [_LINE_START.match(line) for line in lines]
    latest = {
        int(start[2]): line
        for line, start in zip(lines, starts, strict=True)
        if start and _is_own(path, start[1].decode(), int(start[2]))
    }
    replace_file(path, _compress([latest[attempt] for attempt in sorted(latest)]))


def write_segment(path: Path, drafts: list[LoggedDraft]) -> None:
    """Write a segment anew, whole or not at all."""
    _create(path.parent)
    replace_file(path, _frame(drafts))


def _own_drafts(path: Path, content: bytes) -> Iterator[LoggedDraft]:
    for frame in _frames(content):
        for draft in map(_draft, frame.splitlines()):
            if _is_own(path, draft.plan.construction, draft.plan.attempt):
                yield draft


def _is_own(path: Path, construction: str, attempt: int) -> bool:
    segment = int(path.name.removesuffix(_SUFFIX))
    return construction == path.parent.name and attempt // SEGMENT_ATTEMPTS == segment


def _create(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot create {folder}: {error.strerror}; see to the disk") from error


def _append(path: Path, frame: bytes) -> None:
    is_new = not path.exists()
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            written = os.write(descriptor, frame)
            if written < len(frame):
                raise OSError(28, os.strerror(28))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if is_new:
            _sync(path.parent)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}; see to the disk") from error


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _frame(drafts: list[LoggedDraft]) -> bytes:
    # A reply may hold half of a surrogate pair, which is no UTF-8; JSON reads it back like this.
    return _compress([_line(draft).encode("utf-8", "surrogatepass") for draft in drafts])


def _compress(lines: list[bytes]) -> bytes:
    if not lines:
        return b""
    compressor = zstandard.ZstdCompressor(level=3, write_checksum=True)
    return compressor.compress(b"".join(line + b"\n" for line in lines))


def _line(draft: LoggedDraft) -> str:
    content = {
        "plan": plan_to_json(draft.plan),
        "raw": draft.raw,
        "model": draft.model,
        "tokens_in": draft.tokens_in,
        "tokens_out": draft.tokens_out,
        "request": draft.request,
        "finish": draft.finish,
    }
    return _ENCODER.encode(content)


def _draft(line: bytes) -> LoggedDraft:
    try:
        content = json.loads(line)
        return LoggedDraft(**{**content, "plan": plan_from_json(content["plan"])})
    except (ValueError, TypeError, KeyError) as error:
        raise StoreError(
            f"expected a logged draft, found {error!r}: another version wrote this attempt log"
        ) from error


def _frames(content: bytes) -> Iterator[bytes]:
    """Yield what every undamaged frame holds; a damaged one is passed over."""
    position = content.find(_MAGIC)
    while position >= 0:
        frame = _decompress(content[position:])
        if frame is None:
            position = content.find(_MAGIC, position + 1)
            continue
        text, length = frame
        yield text
        position = content.find(_MAGIC, position + length)


def _is_whole(content: bytes) -> bool:
    """Whether `content` is nothing but undamaged frames."""
    position = 0
    while position < len(content):
        frame = _decompress(content[position:])
        if frame is None:
            return False
        position += frame[1]
    return True


def _decompress(content: bytes) -> tuple[bytes, int] | None:
    """Return the first frame's text and its length in bytes; None if it is torn or damaged."""
    decompressor = zstandard.ZstdDecompressor().decompressobj()
    try:
        text = decompressor.decompress(content)
    except zstandard.ZstdError:
        return None
    if not decompressor.eof:
        return None
    return text, len(content) - len(decompressor.unused_data)
