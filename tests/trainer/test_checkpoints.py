from pathlib import Path

import pytest

from trainer.checkpoints import (
    checkpoint_folder,
    drop_broken,
    newest_checkpoint,
    remove_checkpoints,
    seal_checkpoint,
)


def write(folder: Path, step: int, *, whole: bool = True) -> Path:
    path = folder / f"checkpoint-{step}"
    (path / "more").mkdir(parents=True)
    (path / "weights").write_text(f"weights {step}")
    (path / "more" / "state").write_text(f"state {step}")
    if whole:
        seal_checkpoint(folder, step)
    return path


def test_the_newest_by_number_is_taken(tmp_path: Path) -> None:
    for step in (5, 100, 20):
        write(tmp_path, step)
    newest = newest_checkpoint(tmp_path)
    assert newest is not None
    assert (newest.step, newest.path.name) == (100, "checkpoint-100")


def test_the_last_two_are_kept(tmp_path: Path) -> None:
    for step in range(1, 6):
        write(tmp_path, step)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checkpoint-4", "checkpoint-5"]


def test_none_is_none(tmp_path: Path) -> None:
    assert newest_checkpoint(tmp_path) is None
    assert newest_checkpoint(tmp_path / "nowhere") is None


@pytest.mark.parametrize("damage", ["unsealed", "cut", "gone", "changed", "mark"])
def test_one_that_is_not_whole_is_passed_over(tmp_path: Path, damage: str) -> None:
    write(tmp_path, 1)
    path = write(tmp_path, 2, whole=damage != "unsealed")
    if damage == "cut":
        (path / "weights").write_text("")
    if damage == "gone":
        (path / "more" / "state").unlink()
    if damage == "changed":
        (path / "weights").write_text("weights 3")
    if damage == "mark":
        (path / "whole.json").write_text("{")
    newest = newest_checkpoint(tmp_path)
    assert newest is not None
    assert newest.step == 1
    drop_broken(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint-1"]


def test_runs_that_differ_share_nothing(tmp_path: Path) -> None:
    mine, other = (checkpoint_folder(tmp_path, mark * 64) for mark in "ab")
    write(mine, 1)
    assert newest_checkpoint(other) is None


def test_a_finished_run_keeps_none(tmp_path: Path) -> None:
    write(checkpoint_folder(tmp_path, "a" * 64), 1)
    remove_checkpoints(tmp_path)
    remove_checkpoints(tmp_path)
    assert not tmp_path.exists()
