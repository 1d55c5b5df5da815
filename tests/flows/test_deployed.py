"""Deployed flows where they run: a worker's folder, a build that isn't there, a failure's log."""

import logging
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from artifacts.builds import Build
from artifacts.errors import BuildMissingError, SettingsError
from artifacts.model_settings import EvaluationSettings, TrainingSettings
from artifacts.settings import DatasetSettings


@pytest.fixture
def worker_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder that a process worker makes for a run."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = tmp_path / "tmpg4zcpahcprefect"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.usefixtures("worker_folder")
def test_a_build_in_a_folder_that_is_removed_is_refused() -> None:
    from flows import deployed

    with pytest.raises(SettingsError, match=r"absolute path.*removes it afterwards.*SABER_ROOT"):
        deployed.nightly.fn()


@pytest.mark.usefixtures("worker_folder")
def test_an_absolute_root_is_none(tmp_path: Path) -> None:
    from flows import deployed

    with pytest.raises(BuildMissingError, match="no build 'absent'"):
        deployed.repair.fn(build="absent", root=tmp_path / "builds")


@pytest.mark.parametrize("what", ["repair", "rejudge", "training", "evaluation", "nightly"])
def test_a_build_that_isn_t_there_isn_t_made(tmp_path: Path, what: str) -> None:
    from flows.evaluation import evaluation_flow
    from flows.nightly import nightly_flow
    from flows.repair import rejudge_flow, repair_flow
    from flows.training import training_flow

    runs: dict[str, Callable[[], object]] = {
        "repair": lambda: repair_flow.fn(tmp_path, "absent", DatasetSettings()),
        "rejudge": lambda: rejudge_flow.fn(tmp_path, "absent", DatasetSettings()),
        "training": lambda: training_flow.fn(tmp_path, "absent", TrainingSettings()),
        "evaluation": lambda: evaluation_flow.fn(tmp_path, "absent", EvaluationSettings()),
        "nightly": lambda: nightly_flow.fn(tmp_path, "absent", DatasetSettings()),
    }
    with pytest.raises(BuildMissingError, match="no build 'absent' below"):
        runs[what]()
    assert not (tmp_path / "absent").exists()


def test_a_folder_with_a_log_alone_is_no_build(tmp_path: Path) -> None:
    from artifacts.builds import find_build

    (tmp_path / "husk" / "logs").mkdir(parents=True)
    with pytest.raises(BuildMissingError, match="no build 'husk'"):
        find_build(tmp_path, "husk")
    Build(tmp_path, "husk").benchmark.mkdir()
    assert find_build(tmp_path, "husk").name == "husk"


@pytest.mark.parametrize("error", [SettingsError("ours"), ValueError("a bug")])
def test_a_run_s_log_shows_tracebacks_of_bugs_alone(
    caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    import flows.orchestration  # noqa: F401  (it sets the filter)

    logger = logging.getLogger("prefect.flow_runs")
    logger.addHandler(caplog.handler)
    try:
        logger.critical("failed", exc_info=error)
    finally:
        logger.removeHandler(caplog.handler)
    (record,) = {id(each): each for each in caplog.records}.values()
    assert bool(record.exc_info) is not isinstance(error, SettingsError)
