"""The `training` flow: an embedder finetuned on the triplets of a published dataset.

One task, which reads nothing but what a manifest lists; takes names, paths and settings.
"""

from pathlib import Path

from artifacts.builds import Build, find_build
from artifacts.model_settings import TrainingSettings
from flows.logs import writing
from flows.orchestration import create_table_artifact, flow, stage_task
from flows.progress import current_progress
from flows.stages.training import TrainedRun, train_run

#: Rows of the table of a run's curves: the plot has them all.
_ROWS = 10


@stage_task("train")
def train_task(root: Path, build: str, settings: TrainingSettings, *, force: bool) -> TrainedRun:
    """Train unless the run is there, or go on with it."""
    return train_run(Build(root, build), settings, current_progress(), force=force)


@flow(name="training", description="Finetune an embedder on the text dataset of a build.")
def training_flow(
    root: Path, build: str, settings: TrainingSettings, force: bool = False
) -> TrainedRun:
    """Train, and publish the curves."""
    with writing(find_build(root, build), "training"):
        trained = train_task(root, build, settings, force=force)
    create_table_artifact(
        table=curve_rows(trained),
        key="training-curves",
        description=f"`{build}`, run `{trained.run}`: losses, and accuracy in percent, by step.",
    )
    return trained


def curve_rows(trained: TrainedRun) -> list[dict[str, str | int]]:
    """Return rows of steps that were validated, or of any where none was: some, evenly spread."""
    steps: dict[int, dict[str, float]] = {}
    for point in trained.curves:
        steps.setdefault(point.step, {})[point.metric] = point.value
    metrics = list(dict.fromkeys(point.metric for point in trained.curves))
    validated = [step for step in steps if any(m.startswith("validation") for m in steps[step])]
    shown = _spread(sorted(validated or steps))
    return [
        {"step": step, **{metric: _figure(metric, steps[step].get(metric)) for metric in metrics}}
        for step in shown
    ]


def has_risen(trained: TrainedRun) -> bool:
    """Whether the last validation is better than the first; so it is where there was none."""
    points = [point for point in trained.curves if point.metric == "validation_accuracy"]
    points.sort(key=lambda point: point.step)
    return not points or points[-1].value > points[0].value


def _spread(steps: list[int]) -> list[int]:
    """Return at most so many of the steps, evenly, with the first and the last."""
    if len(steps) <= _ROWS:
        return steps
    return [steps[round(row * (len(steps) - 1) / (_ROWS - 1))] for row in range(_ROWS)]


def _figure(metric: str, value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.1f}" if metric.endswith("accuracy") else f"{value:.4f}"
