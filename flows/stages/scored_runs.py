"""Which embedders a whole run scores: those that are named, and what it trains, before and after.

Knows settings and names; not how anything is scored.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from artifacts.model_settings import EvaluationSettings, TrainingSettings
from artifacts.weights import is_packaged
from flows.stages.training import TrainedRun
from trainer.recipe import resolve_recipe


@dataclass(frozen=True, slots=True)
class Trained:
    """A run, and the model that it trains: both are scored, as alike as can be."""

    run: str
    base: str
    #: What the base was at when it was trained on; None: a folder, or not known yet.
    revision: str | None
    #: What was put before every text; None: the model's own.
    instruction: str | None


def to_be_trained(settings: TrainingSettings) -> Trained:
    """Return what `settings` will train."""
    recipe = resolve_recipe(settings)
    return Trained(recipe.run, recipe.model, recipe.revision, recipe.instruction)


def as_trained(trained: TrainedRun) -> Trained:
    """Return what a run that is there has trained."""
    facts, settings = trained.record.facts, trained.record.settings
    return Trained(
        run=trained.run,
        base=str(facts["base"]),
        revision=_text(facts["revision"]),
        instruction=_text(settings["instruction"]),
    )


def scored_runs(
    shared: EvaluationSettings, embedders: Sequence[str], trained: Trained | None
) -> list[EvaluationSettings]:
    """Return the settings of every run, those that are `shared` but for embedder and name."""
    found = [_one(shared, embedder) for embedder in embedders]
    if trained is not None:
        run = f"trained:{trained.run}"
        found += [_before(shared, trained), _one(shared, f"{run}/unscaled"), _one(shared, run)]
    return list({(each.embedder, each.run): each for each in found}.values())


def _before(shared: EvaluationSettings, trained: Trained) -> EvaluationSettings:
    """Return how the base is scored: as it was trained on, under a name of its own if that shows.

    The base alone, whatever it is at now, keeps the name that `saber evaluate` gives it.
    """
    embedder = trained.base if is_packaged(trained.base) else f"st:{trained.base}"
    plain = _one(shared, embedder)
    as_it_was = {
        "revision": trained.revision,
        "instruction": trained.instruction if shared.instruction is None else shared.instruction,
    }
    pinned = plain.model_copy(update=as_it_was)
    if pinned == plain:
        return plain
    return pinned.model_copy(update={"run": f"{trained.run}-base"})


def _one(shared: EvaluationSettings, embedder: str) -> EvaluationSettings:
    return shared.model_copy(update={"embedder": embedder, "run": None})


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
