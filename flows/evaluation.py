"""The `evaluation` flow: an embedder scored on SABER, and the report of all that were.

A thin shell: one task to score, one to report. Takes names, paths and settings, never data.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from artifacts.builds import Build, find_build
from artifacts.model_settings import EvaluationSettings
from artifacts.records import Result
from evaluation.recording import triplet_metric
from flows.logs import writing
from flows.orchestration import create_table_artifact, flow, stage_task
from flows.progress import current_progress
from flows.stages.evaluation import EvaluatedRun, evaluate
from flows.stages.reporting import is_current, write_report
from generators.splits import HELD_OUT


@stage_task("evaluate")
def evaluate_task(
    root: Path, build: str, settings: EvaluationSettings, *, force: bool
) -> EvaluatedRun:
    """Score the embedder unless it was."""
    return evaluate(Build(root, build), settings, current_progress(), force=force)


@stage_task("report")
def report_task(root: Path, build: str) -> Path:
    """Write the report of all evaluations of the build."""
    current_progress().step("writing the report")
    return write_report(Build(root, build))


@flow(name="evaluation", description="Score an embedder on SABER and on held-out triplets.")
def evaluation_flow(
    root: Path, build: str, settings: EvaluationSettings, force: bool = False, report: bool = True
) -> EvaluatedRun:
    """Score, publish the figures, and report unless a later run will."""
    with writing(find_build(root, build), "evaluation"):
        evaluated = evaluate_task(root, build, settings, force=force)
        if report and not is_current(Build(root, build)):
            report_task(root, build)
    create_table_artifact(
        table=mean_rows(evaluated.results),
        key=f"evaluation-{re.sub('[^a-z0-9]+', '-', evaluated.run.lower())}".strip("-"),
        description=f"`{build}`, `{evaluated.run}`: means over every N, in percent.",
    )
    return evaluated


def mean_rows(results: Sequence[Result]) -> list[dict[str, str]]:
    """Return the figures over all N, one row each."""
    return [
        {
            "pairing": row.pairing,
            "metric": row.metric,
            "subset": row.subset,
            "percent": f"{row.value:.2f}",
        }
        for row in results
        if row.n is None
    ]


#: What a summary shows of each run: the column, the metrics that it is the mean of, the subset.
_SUMMARY = {
    "MCQ": (["mcq_accuracy"], "all"),
    "mAP": (["map"], "independent"),
    "nested mAP": (["map"], "nested"),
    "scattered MCQ": (["scattered_mcq_accuracy"], "all"),
    "test triplets": ([triplet_metric("test")], "all"),
    "held-out": ([triplet_metric(name) for name in sorted(HELD_OUT)], "all"),
}


def summary_rows(evaluated: Sequence[EvaluatedRun]) -> list[dict[str, str]]:
    """Return the leading figures of several runs in percent, one row per run and pairing."""
    return [
        _summary(run, pairing)
        for run in evaluated
        for pairing in dict.fromkeys(row.pairing for row in run.results)
    ]


def _summary(run: EvaluatedRun, pairing: str) -> dict[str, str]:
    means = {
        (row.metric, str(row.subset)): row.value
        for row in run.results
        if row.pairing == pairing and row.n is None
    }
    figures = {
        column: _mean([means.get((metric, subset)) for metric in metrics])
        for column, (metrics, subset) in _SUMMARY.items()
    }
    return {"embedder": str(run.record.facts["model"]), "pairing": pairing, **figures}


def _mean(values: Sequence[float | None]) -> str:
    there = [value for value in values if value is not None]
    return f"{fmean(there):.1f}" if there and len(there) == len(values) else "-"
