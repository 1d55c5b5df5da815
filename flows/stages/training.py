"""The training stage: a recipe and a published dataset become a run's adapters, curves and card.

Knows what a run reads, what of it is recorded, and where it goes; how it is trained is the
trainer's business.
"""

import shutil
from dataclasses import dataclass

from pydantic import JsonValue

from artifacts.builds import Build
from artifacts.errors import ModelMissingError
from artifacts.manifest import Stage
from artifacts.model_settings import TrainingSettings
from artifacts.parquet import write_table
from artifacts.records import Curve
from artifacts.schema import to_stored_table
from artifacts.weights import require_packages
from flows.logs import log_event
from flows.progress import Progress
from flows.stages.local_models import local_checksum
from flows.stages.runs import (
    RunRecord,
    contents,
    find_run,
    is_current,
    publish_run,
    read_records,
    read_runs,
    require_same_settings,
    resuming_folder,
    unfinished_folder,
)
from trainer.checkpoints import remove_checkpoints
from trainer.outcome import TrainingOutcome
from trainer.recipe import Recipe, resolve_recipe
from trainer.training import PACKAGES, train
from trainer.triplets import read_triplets, require_saber

STAGE: Stage = "training"
_CURVES = "curves.parquet"
#: What may differ without making it another run.
_OPERATION = frozenset({"run", "threads", "checkpoint_steps"})


@dataclass(frozen=True, slots=True)
class TrainedRun:
    """A run that is there now, and whether it was made just now."""

    run: str
    record: RunRecord
    curves: list[Curve]
    built: bool


def train_run(
    build: Build, settings: TrainingSettings, progress: Progress, *, force: bool = False
) -> TrainedRun:
    """Train, or go on with what was broken off; does nothing where the run is there already.

    Trains anew where the dataset has changed since. Raises BuildConflictError where the build holds
    a run of that name made with other settings, unless `force` is given, BuildMissingError where
    there is no finished dataset, TrainingError where it isn't one to train on.
    """
    recipe = resolve_recipe(settings)
    require_packages("training", "train", *PACKAGES)
    if recipe.overlap != "all":
        require_saber(build)
    wanted = RunRecord(settings=_recorded(recipe), inputs=_inputs(build, recipe))
    checkpoints = resuming_folder(build, STAGE, recipe.run)
    if not force and is_current(build, STAGE, recipe.run, wanted):
        # A run that was killed just after it was listed has left them.
        remove_checkpoints(checkpoints)
        there = read_runs(build, STAGE)[recipe.run]
        return TrainedRun(recipe.run, there, read_curves(build, recipe.run), built=False)
    if force:
        remove_checkpoints(checkpoints)
        shutil.rmtree(unfinished_folder(build, STAGE, recipe.run), ignore_errors=True)
    folder = unfinished_folder(build, STAGE, recipe.run)
    progress.step("reading the triplets")
    triplets = read_triplets(build, recipe)
    progress.step(f"training {recipe.published} on {len(triplets.train):,} triplets")
    told = f"training run {recipe.run}"
    outcome = train(
        folder,
        checkpoints,
        recipe,
        triplets,
        lambda step, of, _loss: progress.count(told, step, of),
    )
    record = wanted.model_copy(update={"facts": _facts(outcome)})
    table = to_stored_table(Curve, outcome.curves)
    write_table(build.path, str(folder.relative_to(build.path) / _CURVES), Curve.view, table)
    publish_run(build, STAGE, recipe.run, record, {_CURVES: Curve.view})
    remove_checkpoints(checkpoints)
    log_event("run trained", build.name, steps=outcome.steps, triplets=len(triplets.train))
    return TrainedRun(recipe.run, record, list(outcome.curves), built=True)


def why_untrainable() -> str:
    """Return what of the packages that train isn't installed; empty if all are."""
    try:
        require_packages("training", "train", *PACKAGES)
    except ModelMissingError as error:
        return str(error)
    return ""


def require_same_run(build: Build, settings: TrainingSettings) -> None:
    """Raise BuildConflictError as `train_run` would; reads nothing of what it trains on."""
    recipe = resolve_recipe(settings)
    require_same_settings(build, STAGE, recipe.run, _recorded(recipe))


def find_trained(build: Build, run: str) -> RunRecord:
    """Return what is recorded of a finished run; BuildMissingError names those there are."""
    return find_run(build, STAGE, run, "saber train")


def read_curves(build: Build, run: str) -> list[Curve]:
    """Return the curves of a finished run."""
    return read_records(build, Curve, run)


def _recorded(recipe: Recipe) -> dict[str, JsonValue]:
    return {name: value for name, value in recipe.to_json().items() if name not in _OPERATION}


def _inputs(build: Build, recipe: Recipe) -> dict[str, JsonValue]:
    """Return checksums of what the run reads; SABER's words where they decide on the triplets."""
    inputs: dict[str, JsonValue] = {"dataset": contents(build, "dataset")}
    if recipe.overlap != "all":
        inputs["benchmark"] = contents(build, "benchmark")
    inputs["model"] = local_checksum(recipe.model)
    return inputs


def _facts(outcome: TrainingOutcome) -> dict[str, JsonValue]:
    recipe = outcome.setup.recipe
    return {
        "base": recipe.model,
        "revision": recipe.revision,
        "published": recipe.published,
        "prompt": outcome.prompt,
        "triplets": len(outcome.setup.triplets.train),
        "steps": outcome.steps,
        "trainable_parameters": outcome.trainable_parameters,
        "lines_scales": list(outcome.scales),
    }
