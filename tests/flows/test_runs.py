"""Stages that hold several runs: what is recorded, when a run is current, how it is replaced."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.builds import Build
from artifacts.catalog import connect, list_entries
from artifacts.errors import BuildConflictError, BuildMissingError, DamagedFileError
from artifacts.manifest import read_manifest, write_manifest
from artifacts.parquet import write_table
from artifacts.records import Curve
from artifacts.schema import to_stored_table
from flows.stages import runs
from flows.stages.runs import (
    RunRecord,
    begun_runs,
    contents,
    find_run,
    is_current,
    publish_run,
    read_runs,
    replace_report,
    unfinished_folder,
)

RECORD = RunRecord(settings={"seed": 0}, inputs={"dataset": "abc"}, facts={"base": "minilm"})


@pytest.fixture
def build(tmp_path: Path) -> Build:
    return Build(tmp_path, "main")


def publish(
    build: Build, run: str = "one", note: str = "hello", record: RunRecord = RECORD
) -> None:
    folder = unfinished_folder(build, "training", run)
    (folder / "note.txt").write_text(note)
    curves = [Curve(run=run, step=0, epoch=0, metric="train_loss", value=1.0)]
    name = f"{folder.relative_to(build.path)}/curves.parquet"
    write_table(build.path, name, Curve.view, to_stored_table(Curve, curves))
    publish_run(build, "training", run, record, {"curves.parquet": Curve.view})


def test_a_published_run_is_recorded_and_listed(build: Build) -> None:
    publish(build)
    assert read_runs(build, "training") == {"one": RECORD}
    listed = {entry.name: (entry.kind, entry.rows) for entry in list_entries(build)}
    assert listed == {
        "training/one/note.txt": ("file", 0),
        "training/one/curves.parquet": ("curves", 1),
    }
    assert read_manifest(build.manifest("training")).counts == {"curves": 1, "runs": 1}


def test_a_run_is_begun_from_its_first_file_until_it_is_whole(build: Build) -> None:
    assert begun_runs(build, "training") == []
    folder = unfinished_folder(build, "training", "two")
    assert begun_runs(build, "training") == []
    (folder / "checkpoints").mkdir()
    (folder / "checkpoints" / "one").touch()
    assert begun_runs(build, "training") == ["two"]
    publish(build, "two")
    assert begun_runs(build, "training") == []


def test_rows_of_all_runs_are_in_the_view(build: Build) -> None:
    publish(build, "one")
    publish(build, "two")
    with connect(build, {"curves"}) as connection:
        rows = connection.execute("SELECT run FROM curves ORDER BY run").fetchall()
    assert rows == [("one",), ("two",)]


def test_nothing_is_left_of_what_was_unfinished(build: Build) -> None:
    publish(build)
    assert not any((build.training / ".unfinished").iterdir())


def test_a_run_that_isn_t_there_is_not_current(build: Build) -> None:
    assert not is_current(build, "training", "one", RECORD)


def test_a_run_with_the_same_settings_and_inputs_is_current(build: Build) -> None:
    publish(build)
    assert is_current(build, "training", "one", RECORD.model_copy(update={"facts": {}}))


def test_a_run_whose_inputs_changed_is_not_current(build: Build) -> None:
    publish(build)
    changed = RECORD.model_copy(update={"inputs": {"dataset": "abd"}})
    assert not is_current(build, "training", "one", changed)


def test_a_run_with_other_settings_is_refused_by_name(build: Build) -> None:
    publish(build)
    other = RECORD.model_copy(update={"settings": {"seed": 1}})
    with pytest.raises(BuildConflictError, match=r"seed: 0 there, 1 now.*--run"):
        is_current(build, "training", "one", other)


def test_a_run_with_a_missing_file_is_not_current(build: Build) -> None:
    publish(build)
    (build.training / "one" / "note.txt").unlink()
    assert not is_current(build, "training", "one", RECORD)


def test_a_run_is_replaced_and_the_others_stay(build: Build) -> None:
    publish(build, "one", "first")
    publish(build, "two", "other")
    publish(build, "one", "second")
    assert (build.training / "one" / "note.txt").read_text() == "second"
    assert (build.training / "two" / "note.txt").read_text() == "other"
    assert set(read_runs(build, "training")) == {"one", "two"}


def test_killed_while_it_replaces_a_run_no_manifest_lists_the_wrong_bytes(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(build, "one", "first")

    def die(written: Path, place: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(runs, "_replace_folder", die)
        with pytest.raises(KeyboardInterrupt):
            publish(build, "one", "again")
    assert not read_runs(build, "training")
    assert not list_entries(build)
    publish(build, "one", "again")
    assert set(read_runs(build, "training")) == {"one"}


def test_an_unknown_run_is_told_with_those_there_are(build: Build) -> None:
    publish(build)
    with pytest.raises(
        BuildMissingError, match=r"no training run 'two'.*there: one; `saber train`"
    ):
        find_run(build, "training", "two", "saber train")


def test_a_manifest_without_runs_is_damaged(build: Build) -> None:
    publish(build)
    path = build.manifest("training")
    write_manifest(path, read_manifest(path).model_copy(update={"settings": {}}))
    with pytest.raises(DamagedFileError, match="expected runs"):
        read_runs(build, "training")


def test_the_report_is_replaced_as_a_whole_and_runs_stay(build: Build) -> None:
    publish(build)
    replace_report(build, "training", {"report.md": b"a", "figures/x.png": b"b"})
    replace_report(build, "training", {"report.md": b"c"})
    report = build.training / "report"
    assert [path.name for path in report.rglob("*")] == ["report.md"]
    names = {entry.name for entry in list_entries(build)}
    assert names >= {"training/report/report.md", "training/one/note.txt"}
    assert "training/report/figures/x.png" not in names


@given(first=st.text(max_size=5), second=st.text(max_size=5))
def test_the_checksum_of_contents_tells_contents_apart(
    tmp_path_factory: pytest.TempPathFactory, first: str, second: str
) -> None:
    one, two = (Build(tmp_path_factory.mktemp("b"), "main") for _ in range(2))
    publish(one, note=first)
    publish(two, note=second)
    # Written as text, a carriage return is no newline.
    same = first.encode() == second.encode()
    assert (contents(one, "training") == contents(two, "training")) is same
    assert contents(one, "training", "other/") == contents(two, "training", "other/")
