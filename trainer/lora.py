"""LoRA: which modules of a backbone get an adapter, and the adapter's weights as files.

An adapter is a standard PEFT folder: `adapter_config.json` and `adapter_model.safetensors`. Its
bytes depend on the weights alone: no date, no path of this machine. Knows nothing of training.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from artifacts.errors import TrainingError
from artifacts.files import read_file, replace_file
from trainer.layers import count_layers, layer_of
from trainer.recipe import Recipe

if TYPE_CHECKING:
    from torch import Tensor, nn
    from transformers import PreTrainedModel

WEIGHTS_NAME = "adapter_model.safetensors"
CONFIG_NAME = "adapter_config.json"
#: What every weight's name in the file begins with, where PEFT looks for it.
_PREFIX = "base_model.model."
_ADAPTER = "default"
_SHOWN_NAMES = 8


@dataclass(frozen=True, slots=True)
class Fit:
    """How a recipe's adapters sit on a backbone."""

    #: Names of the modules that have one.
    modules: tuple[str, ...]
    #: Layers of the stack that they are in, with adapters or without.
    layers: int
    trainable_parameters: int


def attach_lora(transformer: "PreTrainedModel", recipe: Recipe) -> Fit:
    """Put the recipe's adapters on `transformer`, whose own weights are frozen, all of them.

    Works on a model on torch's meta device too, which has no weights. Raises TrainingError if the
    recipe's pattern matches no module, or one outside the layers that adapters belong in, or if
    their size isn't what the recipe expects.
    """
    names = [name for name, _ in transformer.named_modules()]
    modules = _matched(transformer, names, recipe)
    layers = count_layers(names, recipe.layer_pattern)
    _require_inside(modules, recipe)
    for parameter in transformer.parameters():
        parameter.requires_grad_(False)
    _inject(transformer, recipe)
    fit = Fit(tuple(modules), layers, count_trainable(transformer))
    _require_size(fit, recipe)
    return fit


def count_trainable(module: "nn.Module") -> int:
    """Return how many parameters of `module` training changes."""
    return sum(int(weight.numel()) for weight in module.parameters() if weight.requires_grad)


def read_weights(transformer: "PreTrainedModel") -> dict[str, "Tensor"]:
    """Return the adapter's weights by the names that PEFT's files give them."""
    from peft import get_peft_model_state_dict

    state = get_peft_model_state_dict(transformer, adapter_name=_ADAPTER)
    return {
        f"{_PREFIX}{name}": weight.detach().cpu().contiguous() for name, weight in state.items()
    }


def load_weights(transformer: "PreTrainedModel", folder: Path) -> None:
    """Give the adapter on `transformer` the weights that `folder` holds."""
    from peft import set_peft_model_state_dict

    state = {name.removeprefix(_PREFIX): weight for name, weight in read_adapter(folder).items()}
    set_peft_model_state_dict(transformer, state, adapter_name=_ADAPTER)


def save_adapter(transformer: "PreTrainedModel", recipe: Recipe, folder: Path) -> None:
    """Write the adapter on `transformer` to `folder`, which is created."""
    config = transformer.peft_config[_ADAPTER].to_dict()
    config |= {
        "base_model_name_or_path": recipe.published,
        "revision": recipe.revision,
        "inference_mode": True,
    }
    write_adapter(folder, read_weights(transformer), config)


def read_adapter(folder: Path) -> dict[str, "Tensor"]:
    """Return the weights of the adapter in `folder` by name, in the names' order."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        return dict(sorted(load(read_file(folder / WEIGHTS_NAME)).items()))
    except SafetensorError as error:
        raise TrainingError(f"{folder / WEIGHTS_NAME}: no adapter's weights: {error}") from error


def read_config(folder: Path) -> dict[str, JsonValue]:
    """Return the configuration of the adapter in `folder`."""
    return dict(json.loads(read_file(folder / CONFIG_NAME)))


def write_adapter(
    folder: Path, weights: Mapping[str, "Tensor"], config: Mapping[str, JsonValue]
) -> None:
    """Write an adapter to `folder`, each file whole or not at all."""
    from safetensors.torch import save

    folder.mkdir(parents=True, exist_ok=True)
    ordered = {name: weights[name] for name in sorted(weights)}
    replace_file(folder / WEIGHTS_NAME, save(ordered, metadata={"format": "pt"}))
    text = json.dumps(config, indent=2, sort_keys=True, default=sorted)
    replace_file(folder / CONFIG_NAME, f"{text}\n".encode())


def _inject(transformer: "PreTrainedModel", recipe: Recipe) -> None:
    # PEFT's own function: transformers' add_adapter refuses a PEFT that is older than itself.
    from peft import LoraConfig, inject_adapter_in_model

    config = LoraConfig(
        task_type="FEATURE_EXTRACTION",
        r=recipe.rank,
        lora_alpha=recipe.alpha,
        lora_dropout=recipe.dropout,
        target_modules=recipe.target_modules,
        bias="none",
    )
    try:
        inject_adapter_in_model(config, transformer, adapter_name=_ADAPTER)
    except ValueError as error:
        raise TrainingError(f"{recipe.target_modules!r}: PEFT refuses: {error}") from error
    for parameter in transformer.parameters():
        if parameter.requires_grad:
            # On a backbone in bf16 they would be that, too, whose steps are coarser than updates.
            parameter.data = parameter.data.float()


def _matched(transformer: "PreTrainedModel", names: list[str], recipe: Recipe) -> list[str]:
    modules = [name for name in names if re.fullmatch(recipe.target_modules, name)]
    if not modules:
        shown = ", ".join(_shown(transformer, recipe.layer_pattern))
        raise TrainingError(
            f"target_modules {recipe.target_modules!r} matches no module of "
            f"{type(transformer).__name__}; there are {shown}, …"
        )
    return modules


def _shown(transformer: "PreTrainedModel", layer_pattern: str) -> list[str]:
    """Return some names that a pattern could be made for, layers of one kind as one."""
    leaves = [name for name, part in transformer.named_modules() if not list(part.children())]
    inside = [name for name in leaves if re.search(layer_pattern, name)]
    return list(dict.fromkeys(re.sub(r"\d+", "N", name) for name in inside or leaves))[
        :_SHOWN_NAMES
    ]


def _require_inside(modules: list[str], recipe: Recipe) -> None:
    outside = [name for name in modules if layer_of(name, recipe.layer_pattern) is None]
    if outside:
        raise TrainingError(
            f"target_modules {recipe.target_modules!r} matches {len(outside)} modules outside the "
            f"layers that {recipe.layer_pattern!r} finds, first {outside[0]}: narrow the one, or "
            "widen the other"
        )


def _require_size(fit: Fit, recipe: Recipe) -> None:
    expected = recipe.trainable_parameters
    if expected is not None and fit.trainable_parameters != expected:
        raise TrainingError(
            f"the preset {recipe.preset} trains {expected:,} parameters, this model comes to "
            f"{fit.trainable_parameters:,}: {recipe.model} isn't the backbone that it is made for"
        )
