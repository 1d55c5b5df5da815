"""The card of a trained adapter, in Markdown: what it is, what made it, how it is loaded.

The same outcome gives the same card: no date, no path. Knows an outcome; nothing of torch.
"""

import json

from artifacts.model_records import Curve
from trainer.curves import points_of
from trainer.outcome import TrainingOutcome

#: Rows of the recipe that the card shows, in this order.
_SHOWN = (
    "target_modules",
    "layer_pattern",
    "rank",
    "alpha",
    "dropout",
    "learning_rate",
    "weight_decay",
    "margin",
    "epochs",
    "batch_size",
    "overlap",
    "max_triplets",
    "seed",
)

_CARD = """\
---
base_model: {published}
library_name: peft
tags: [sentence-transformers, lora, attribute-object-binding]
---

# {run}

LoRA adapters that teach {published}
which attribute belongs to which object, finetuned on text triplets alone (after arXiv 2610.22602,
section B.5).

- `adapter-lines/`: scaled layer by layer by LiNeS, which gives up some of what was learned to keep
  what the model could before. The one to use, as the paper does.
- `adapter/`: as trained, unscaled.

## Use

```python
from peft import PeftModel
from sentence_transformers import SentenceTransformer

model = SentenceTransformer("{published}"{revision}){whose}
PeftModel.from_pretrained(model.transformers_model, "adapter-lines")
model.encode("red banner and torn flag"{prompt})
```

## Recipe

| | |
|---|---|
{recipe}

AdamW with a constant learning rate; triplet loss over cosine similarity. The base model's own
weights are frozen, a vision tower's too, and it stays in evaluation mode, so that no dropout of its
own acts: {parameters:,} trainable parameters on {modules} modules in {layers} layers.

LiNeS: the update of layer l is scaled by λ(l) = {lines_alpha:g} + {lines_beta:g} · l / {last},
one factor of it alone: {scales}.

## Data

| | |
|---|---|
| dataset | `{dataset}` |
| triplets | `{triplets}` |
| trained on | {train:,} triplets, {steps:,} steps |
| validated on | {validation:,} triplets |

## Curves

{curves}

![Losses and triplet accuracy by step](curves.png)

## Made with

{versions}
"""


def card_of(outcome: TrainingOutcome) -> str:
    """Return the card of a run."""
    recipe, triplets = outcome.setup.recipe, outcome.setup.triplets
    return _CARD.format(
        run=recipe.run,
        published=recipe.published,
        revision=f', revision="{recipe.revision}"' if recipe.revision else "",
        whose="  # the folder, wherever it is now" if outcome.setup.from_folder else "",
        # An empty one counts: it takes the place of the model's own.
        prompt="" if outcome.prompt is None else f", prompt={json.dumps(outcome.prompt)}",
        recipe=_recipe_rows(outcome),
        parameters=outcome.trainable_parameters,
        modules=outcome.modules,
        layers=outcome.layers,
        lines_alpha=recipe.lines_alpha,
        lines_beta=recipe.lines_beta,
        last=max(outcome.layers - 1, 1),
        scales=", ".join(f"{scale:.3g}" for scale in outcome.scales),
        dataset=triplets.dataset,
        triplets=triplets.fingerprint(),
        train=len(triplets.train),
        validation=len(triplets.validation),
        steps=outcome.steps,
        curves=_curve_rows(outcome.curves),
        versions=", ".join(f"{name} {found}" for name, found in sorted(outcome.versions.items())),
    )


def _recipe_rows(outcome: TrainingOutcome) -> str:
    values = outcome.setup.recipe.to_json()
    rows = [f"| {name} | {_cell(values[name])} |" for name in _SHOWN]
    rows.append(f"| base | {_cell(outcome.setup.source.identity)} |")
    rows.append(f"| computed in | {outcome.setup.precision} on {outcome.setup.device} |")
    rows.append(f"| instruction | {_cell(outcome.prompt)} |")
    return "\n".join(rows)


def _cell(value: object) -> str:
    if value is None:
        return "none"
    if value == "":
        return "empty"
    shown = str(value).replace("|", "\\|")
    return f"`{shown}`" if isinstance(value, str) else shown


def _curve_rows(curves: tuple[Curve, ...]) -> str:
    rows = ["| | first | last |", "|---|---|---|"]
    for metric, unit in (
        ("train_loss", ""),
        ("validation_loss", ""),
        ("validation_accuracy", " %"),
    ):
        points = points_of(curves, metric)
        if points:
            (_, first), (_, last) = points[0], points[-1]
            rows.append(f"| {metric} | {first:.4g}{unit} | {last:.4g}{unit} |")
    return "\n".join(rows)
