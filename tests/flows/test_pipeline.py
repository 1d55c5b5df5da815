"""The whole DAG: what runs, what is left out and why, and what a second run does."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from artifacts.errors import BuildConflictError, BuildMissingError, ValidationFailedError
from artifacts.model_settings import EvaluationSettings, PipelineSettings, StageName
from flows.settings import Settings
from tests.flows.builds import SMALL
from tests.flows.datasets import small

if TYPE_CHECKING:
    from flows.pipeline import PipelineRun


@pytest.fixture(autouse=True)
def _with_a_server(prefect_server: None) -> None:
    """Every flow here runs against the tests' own server."""


@pytest.fixture(autouse=True)
def _without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Installed or not: what trains is tested where it is sure to be there."""
    monkeypatch.setattr(
        "artifacts.weights.find_spec", lambda name: None if name == "torch" else find_spec(name)
    )


def run(root: Path, *skip: StageName, quota: int = 6) -> "PipelineRun":
    from flows.pipeline import pipeline_flow

    settings = Settings(
        root=root,
        benchmark=SMALL,
        dataset=small(quota, "pair_swap", "predicative").model_copy(update={"parse": False}),
        evaluation=EvaluationSettings(triplets=4),
        pipeline=PipelineSettings(skip=list(skip)),
    )
    return pipeline_flow(settings, audit_sample=100)


def test_every_stage_runs_and_training_says_what_it_lacks(tmp_path: Path) -> None:
    done = run(tmp_path, "audit")
    assert done.benchmark is not None
    assert done.dataset is not None
    assert not any(report.failed for report in done.dataset_rules)
    assert [each.run for each in done.evaluated] == ["bag-of-words", "bigrams"]
    assert done.report is not None
    assert done.report.is_file()
    assert done.skipped.keys() == {"audit", "training"}
    assert "training needs torch" in done.skipped["training"]
    assert "not installed here; in a clone `make train-deps`" in done.skipped["training"]


def test_a_second_run_makes_nothing_anew(tmp_path: Path) -> None:
    first = run(tmp_path, "audit")
    assert first.report is not None
    written = first.report.stat().st_mtime_ns
    second = run(tmp_path, "audit")
    assert second.benchmark is not None
    assert not second.benchmark.outcome.built
    assert not any(each.built for each in second.evaluated)
    assert first.report.stat().st_mtime_ns == written


def test_a_second_run_checks_the_same_rows_no_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from flows.progress import showing_progress

    with showing_progress(quiet=False):
        first = run(tmp_path, "evaluation")
    told = capsys.readouterr().err
    with showing_progress(quiet=False):
        second = run(tmp_path, "evaluation")
    told_again = capsys.readouterr().err
    for step in ("against the stored examples", "what a caption alone gives"):
        assert (step in told, step in told_again) == (True, False)
    assert first.audit is not None
    assert (second.audit, second.dataset_rules) == (first.audit, first.dataset_rules)
    assert second.statistics == first.statistics


def test_a_gate_that_failed_is_on_the_page_and_fails_a_deployed_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows import deployed
    from flows.pipeline import PipelineRun, pipeline_flow, pipeline_page
    from validators.audit import AuditReport, ScorerFigure

    figure = ScorerFigure("surface", None, 20_000, 71.0, 70.0, 72.0, limit=52, verdict="failed")
    done = PipelineRun(audit=AuditReport(20_000, (figure,), ()))
    assert "Audit gates failed: surface: a caption-only scorer" in pipeline_page(done)
    monkeypatch.setattr(pipeline_flow, "fn", lambda *_: done)
    with pytest.raises(ValidationFailedError, match="1 gates failed: surface"):
        deployed.pipeline.fn(root=tmp_path)


def test_another_evaluation_under_a_name_is_refused_before_anything_is_made(
    tmp_path: Path,
) -> None:
    from flows.commands.run import refuse_other_settings

    run(tmp_path, "audit", "report")
    other = Settings(root=tmp_path, evaluation=EvaluationSettings(triplets=5))
    skipped = PipelineSettings(skip=["benchmark", "dataset", "training"])
    wanted = r"other settings \(triplets: 4 there, 5 now\): `saber evaluate --force` replaces it"
    with pytest.raises(BuildConflictError, match=wanted):
        refuse_other_settings(other.model_copy(update={"pipeline": skipped}))
    skipped.skip.append("evaluation")
    refuse_other_settings(other.model_copy(update={"pipeline": skipped}))


def test_what_changed_is_made_anew_and_what_reads_it(tmp_path: Path) -> None:
    run(tmp_path, "audit")
    longer = run(tmp_path, "audit", quota=7)
    assert longer.benchmark is not None
    assert not longer.benchmark.outcome.built
    assert all(each.built for each in longer.evaluated)


@pytest.mark.parametrize(
    ("skip", "left"),
    [
        (("evaluation",), {"audit", "training", "evaluation", "report"}),
        (("report",), {"audit", "training", "report"}),
        (("validation", "report"), {"audit", "training", "validation", "report"}),
    ],
)
def test_any_stage_can_be_left_out(
    tmp_path: Path, skip: tuple[StageName, ...], left: set[str]
) -> None:
    done = run(tmp_path, "audit", *skip)
    assert done.skipped.keys() == left
    assert bool(done.report) is ("report" not in left)


def test_a_stage_whose_input_was_left_out_says_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(BuildMissingError, match=r"benchmark/manifest\.json"):
        run(tmp_path, "benchmark", "audit")
