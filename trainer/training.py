"""A run: a model, its adapters trained, scaled by LiNeS, plotted and described, as files.

    RUN/adapter/        what was trained, a PEFT adapter
    RUN/adapter-lines/  the same, scaled by LiNeS
    RUN/curves.png      losses and accuracy by step
    RUN/recipe.json     what it was made from
    RUN/README.md       its card

What it goes on from lies elsewhere, for whoever publishes the run to remove then. Knows how
these come about; not which build they are for, nor who lists them.
"""

import json
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from artifacts.devices import device_of
from artifacts.errors import StoreError, TrainingError
from artifacts.files import replace_file
from artifacts.model_source import locate
from artifacts.weights import require_packages
from trainer.backbone import freeze, load_model, prompt_of, transformer_of
from trainer.card import card_of
from trainer.checkpoints import (
    Checkpoint,
    checkpoint_folder,
    drop_broken,
    newest_checkpoint,
)
from trainer.curves import curves_of
from trainer.devices import resolve_precision, thread_limit
from trainer.figure import plot_curves
from trainer.lines import scale_adapter
from trainer.lora import Fit, attach_lora, save_adapter
from trainer.outcome import Progress, Setup, TrainingOutcome
from trainer.recipe import Recipe
from trainer.triplets import Triplets

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

ADAPTER = "adapter"
LINES_ADAPTER = "adapter-lines"
FIGURE = "curves.png"
RECIPE = "recipe.json"
CARD = "README.md"

#: What training imports, by the names that imports use.
PACKAGES = ("torch", "transformers", "sentence_transformers", "peft", "accelerate", "datasets")
#: Their versions show in the weights.
_RECORDED = ("saber-factory", "torch", "transformers", "sentence-transformers", "peft")


def ignore_progress(step: int, steps: int, loss: float) -> None:
    """Report to nobody."""


def train(
    folder: Path,
    checkpoints: Path,
    recipe: Recipe,
    triplets: Triplets,
    progress: Progress = ignore_progress,
) -> TrainingOutcome:
    """Carry out `recipe` on `triplets` in `folder`, a run's own, and return what came out.

    Stopped at any moment, the same call goes on from its newest whole checkpoint below
    `checkpoints`, a folder of the run's own too, and comes to the same adapter. Raises
    TrainingError, saying so, when it is interrupted; where the device, the model or the data aren't
    what the recipe asks for, before the first step.
    """
    setup = _set_up(recipe, triplets)
    mine = checkpoint_folder(checkpoints, setup.fingerprint())
    with thread_limit(recipe.threads):
        model, fit = _prepared_model(setup)
        log = _run(model, setup, mine, _begun(mine), progress)
        save_adapter(transformer_of(model), setup.recipe, folder / ADAPTER)
    outcome = _outcome(folder, setup, fit, log, prompt_of(model, setup.recipe))
    _describe(folder, outcome)
    return outcome


def _set_up(recipe: Recipe, triplets: Triplets) -> Setup:
    """Return what is carried out; a model on the Hub is pinned to the commit that it is at now.

    One in a folder goes by the folder's own name.
    """
    require_packages("training", "train", *PACKAGES)
    device = device_of(recipe.device)
    precision = resolve_precision(recipe.precision, device)
    source = locate(recipe.model, recipe.revision)
    pinned = replace(recipe, revision=source.commit)
    setup = Setup(pinned, source, triplets, device, precision)
    if not setup.from_folder:
        return setup
    # Where a folder lies says something of this machine, and nothing to whoever gets the adapter.
    name = Path(source.location).resolve().name
    return replace(setup, recipe=replace(pinned, published=name))


def _prepared_model(setup: Setup) -> tuple["SentenceTransformer", Fit]:
    model = load_model(setup.source, setup.device, setup.precision)
    # Not before: what keeps it from being imported is said where the model is loaded.
    from transformers import set_seed

    freeze(model)
    # Attaching draws the adapters' first weights.
    set_seed(setup.recipe.seed)
    return model, attach_lora(transformer_of(model), setup.recipe)


def _begun(checkpoints: Path) -> Checkpoint | None:
    try:
        checkpoints.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot write {checkpoints}: {error.strerror}") from error
    drop_broken(checkpoints)
    return newest_checkpoint(checkpoints)


def _run(
    model: "SentenceTransformer",
    setup: Setup,
    checkpoints: Path,
    begun: Checkpoint | None,
    progress: Progress,
) -> list[dict[str, float]]:
    from trainer.loop import run_loop

    try:
        return run_loop(model, setup, checkpoints, begun, progress)
    except KeyboardInterrupt as error:
        kept = newest_checkpoint(checkpoints)
        where = f"goes on from step {kept.step:,}" if kept else "starts over: no checkpoint yet"
        raise TrainingError(
            f"run {setup.recipe.run!r} was interrupted; the same command {where}"
        ) from error
    except OSError as error:
        raise StoreError(
            f"cannot read or write in {checkpoints}: {error}; see to the disk"
        ) from error


def _outcome(
    folder: Path,
    setup: Setup,
    fit: Fit,
    log: list[dict[str, float]],
    prompt: str | None,
) -> TrainingOutcome:
    recipe = setup.recipe
    curves = curves_of(recipe.run, log)
    return TrainingOutcome(
        setup=setup,
        curves=curves,
        steps=max(point.step for point in curves),
        prompt=prompt,
        modules=len(fit.modules),
        layers=fit.layers,
        trainable_parameters=fit.trainable_parameters,
        scales=scale_adapter(folder / ADAPTER, folder / LINES_ADAPTER, recipe, fit.layers),
        versions={name: version(name) for name in _RECORDED},
    )


def _describe(folder: Path, outcome: TrainingOutcome) -> None:
    made_from = json.dumps(outcome.to_json(), indent=2, sort_keys=True, ensure_ascii=False)
    replace_file(folder / RECIPE, f"{made_from}\n".encode())
    replace_file(folder / FIGURE, plot_curves(outcome.curves))
    replace_file(folder / CARD, card_of(outcome).encode())
