import errno
import os
from pathlib import Path

import pytest

from artifacts.errors import StoreError
from artifacts.files import replace_file


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def disk_full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_writes_and_replaces(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    replace_file(path, b"old")
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["a.bin"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_failure_in_the_middle_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "a.bin"
    replace_file(path, b"old")
    monkeypatch.setattr(os, step, disk_full)
    monkeypatch.setattr(Path, step, disk_full, raising=False)
    with pytest.raises(StoreError, match=r"cannot write .*a\.bin: No space left on device"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a.bin"]


def test_interrupt_in_the_middle_leaves_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        replace_file(tmp_path / "a.bin", b"new")
    assert names(tmp_path) == []


def test_missing_folder_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="No such file or directory") as caught:
        replace_file(tmp_path / "none" / "a.bin", b"new")
    assert "\n" not in str(caught.value)


def test_leftover_of_a_killed_writer_is_replaced(tmp_path: Path) -> None:
    (tmp_path / ".a.bin.partial").write_bytes(b"half of a longer")
    replace_file(tmp_path / "a.bin", b"new")
    assert names(tmp_path) == ["a.bin"]
    assert (tmp_path / "a.bin").read_bytes() == b"new"
