"""The attempt log: commit groups, what a crash or a bad disk leaves, and what is read of it."""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from artifacts.attempt_log import (
    GROUP_ROWS,
    GROUP_SECONDS,
    SEGMENT_ATTEMPTS,
    AttemptLog,
    LoggedDraft,
    list_segments,
    mend_segments,
    order_segment,
    read_drafts,
    read_segment,
    segment_path,
    write_segment,
)
from artifacts.errors import StoreError
from tests.artifacts.plans import PLAN, drafts


class Clock:
    """Stands still until it is told otherwise."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def draft(attempt: int, raw: str = "") -> LoggedDraft:
    return LoggedDraft(replace(PLAN, attempt=attempt), raw or f"draft {attempt}", "grammar")


def write(folder: Path, *groups: Sequence[LoggedDraft]) -> Path:
    """Log each of the groups as a commit group of its own; return the first segment."""
    log = AttemptLog(folder, Clock())
    for group in groups:
        for each in group:
            log.append(each)
        log.flush()
    return segment_path(folder, 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "log" / "pair_swap"


@given(st.lists(drafts, max_size=8))
def test_what_is_logged_reads_back_and_the_latest_counts(logged: list[LoggedDraft]) -> None:
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / "pair_swap"
        write(folder, logged)
        assert read_drafts(folder) == {each.plan.attempt: each for each in logged}


def test_a_draft_is_on_disk_once_its_group_has_all_its_rows(folder: Path) -> None:
    log = AttemptLog(folder, Clock())
    for attempt in range(GROUP_ROWS - 1):
        log.append(draft(attempt))
    assert read_drafts(folder) == {}
    log.append(draft(GROUP_ROWS - 1))
    assert len(read_drafts(folder)) == GROUP_ROWS


def test_a_group_is_closed_when_its_time_is_over(folder: Path) -> None:
    clock = Clock()
    log = AttemptLog(folder, clock)
    log.append(draft(0))
    clock.now = GROUP_SECONDS / 2
    log.append(draft(1))
    assert read_drafts(folder) == {}
    clock.now = GROUP_SECONDS
    log.append(draft(2))
    assert sorted(read_drafts(folder)) == [0, 1, 2]
    log.append(draft(3))
    assert sorted(read_drafts(folder)) == [0, 1, 2]


def test_a_group_across_segments_goes_into_both(folder: Path) -> None:
    write(folder, [draft(SEGMENT_ATTEMPTS - 1), draft(SEGMENT_ATTEMPTS)])
    assert list_segments(folder) == [0, 1]
    assert [each.plan.attempt for each in read_segment(segment_path(folder, 1))] == [1_000]


def test_only_the_asked_attempts_are_read(folder: Path) -> None:
    write(folder, [draft(attempt) for attempt in (0, 998, 999, 1_000, 1_001, 2_000)])
    assert sorted(read_drafts(folder, 999, 1_001)) == [999, 1_000]
    assert sorted(read_drafts(folder, 1_001)) == [1_001, 2_000]


def test_order_and_bytes_do_not_tell_how_drafts_arrived(tmp_path: Path) -> None:
    one, other = tmp_path / "one" / "pair_swap", tmp_path / "other" / "pair_swap"
    first = write(one, [draft(0), draft(1), draft(2)])
    second = write(other, [draft(2)], [draft(1, "stale"), draft(0)], [draft(1)])
    assert first.read_bytes() != second.read_bytes()
    order_segment(first)
    order_segment(second)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("keep", ["one byte", "half", "all but one byte"])
def test_a_torn_frame_costs_its_own_drafts_only(folder: Path, keep: str) -> None:
    path = write(folder, [draft(0), draft(1)])
    whole = len(path.read_bytes())
    write(folder, [draft(2), draft(3)])
    frame = len(path.read_bytes()) - whole
    kept = {"one byte": 1, "half": frame // 2, "all but one byte": frame - 1}[keep]
    os.truncate(path, whole + kept)
    assert sorted(read_drafts(folder)) == [0, 1]
    assert mend_segments(folder, 0) == 1
    assert mend_segments(folder, 0) == 0
    write(folder, [draft(2, "again")])
    assert {n: each.raw for n, each in read_drafts(folder).items()} == {
        0: "draft 0",
        1: "draft 1",
        2: "again",
    }


def test_a_segment_that_was_torn_at_once_is_emptied(folder: Path) -> None:
    path = write(folder, [draft(0)])
    os.truncate(path, 9)
    assert mend_segments(folder, 0) == 1
    assert path.read_bytes() == b""
    assert read_drafts(folder) == {}


def test_a_flipped_byte_costs_its_own_frame_only(folder: Path) -> None:
    path = write(folder, [draft(0)])
    ends = [len(path.read_bytes())]
    for attempt in (1, 2):
        write(folder, [draft(attempt)])
        ends.append(len(path.read_bytes()))
    content = path.read_bytes()
    for position in range(ends[0], ends[1]):
        damaged = bytearray(content)
        damaged[position] ^= 0x10
        path.write_bytes(damaged)
        assert {0, 2} <= read_drafts(folder).keys(), position
        assert all(each == draft(n) for n, each in read_drafts(folder).items())


def test_segments_before_the_first_open_attempt_are_not_mended(folder: Path) -> None:
    path = write(folder, [draft(0)])
    os.truncate(path, 9)
    assert mend_segments(folder, SEGMENT_ATTEMPTS) == 0


def test_a_missing_segment_leaves_the_others(folder: Path) -> None:
    write(folder, [draft(attempt) for attempt in (0, 1_000, 2_000)])
    segment_path(folder, 1).unlink()
    assert sorted(read_drafts(folder)) == [0, 2_000]


def test_a_log_that_was_never_begun_is_empty(folder: Path) -> None:
    assert read_drafts(folder) == {}
    assert list_segments(folder) == []


def test_a_segment_of_another_place_holds_nothing(folder: Path) -> None:
    write(folder, [draft(0), draft(1_000)])
    foreign = folder.with_name("predicative")
    foreign.mkdir()
    segment_path(foreign, 0).write_bytes(segment_path(folder, 0).read_bytes())
    assert read_drafts(foreign) == {}
    segment_path(folder, 0).write_bytes(segment_path(folder, 1).read_bytes())
    assert sorted(read_drafts(folder)) == [1_000]


def test_files_of_other_names_are_no_segments(folder: Path) -> None:
    write(folder, [draft(0)])
    for name in ("00001.jsonl.zst.partial", ".00002.jsonl.zst", "0x3.jsonl.zst", "notes.txt"):
        (folder / name).write_bytes(b"")
    assert list_segments(folder) == [0]


def test_a_disk_that_takes_half_a_frame_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, [draft(0)])
    really = os.write

    def half(descriptor: int, content: bytes) -> int:
        return really(descriptor, content[: len(content) // 2])

    with monkeypatch.context() as patched:
        patched.setattr("artifacts.attempt_log.os.write", half)
        with pytest.raises(StoreError, match=r"00000.jsonl.zst: No space left .*see to the disk"):
            write(folder, [draft(1)])
    assert sorted(read_drafts(folder)) == [0]
    mend_segments(folder, 0)
    write(folder, [draft(1)])
    assert sorted(read_drafts(folder)) == [0, 1]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("in the way")
    with pytest.raises(StoreError, match="cannot create"):
        AttemptLog(tmp_path / "log" / "pair_swap")


def test_a_log_of_another_version_is_told(folder: Path) -> None:
    path = segment_path(folder, 0)
    write_segment(path, [draft(0)])
    path.write_bytes(zstandard.ZstdCompressor(write_checksum=True).compress(b'{"raw":"x"}\n'))
    with pytest.raises(StoreError, match="another version wrote this attempt log"):
        read_segment(path)
