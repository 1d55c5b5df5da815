"""A trained adapter, put onto the model that it was trained on.

Reads what PEFT writes. Knows nothing of training, nor where runs are kept: the caller says.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from artifacts.errors import ModelMissingError, SettingsError

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_TRAINED = re.compile(r"trained:([^/]+)(/unscaled)?")
_FILES = ("adapter_config.json", "adapter_model.safetensors")
#: What PEFT puts before the names of the modules where it wraps a model.
_WRAPPED = "base_model.model."
#: What PEFT raises: no module matches, a wrong shape, a configuration that is none, no transformer.
_REFUSALS = (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError)


class TrainedName(NamedTuple):
    """Which adapter a specification names."""

    #: Of `saber train`.
    run: str
    #: Whether LiNeS has scaled it.
    scaled: bool


@dataclass(frozen=True, slots=True)
class Adapter:
    """A trained adapter, and what it was trained on."""

    #: Name or folder of the base model; a packaged model by its name, wherever its folder is now.
    base: str
    revision: str | None
    #: Holds `adapter_config.json` and `adapter_model.safetensors`.
    folder: Path
    #: What it was trained with; the base model's default if None.
    instruction: str | None


def trained_name(embedder: str) -> TrainedName | None:
    """Return what `trained:RUN` or `trained:RUN/unscaled` names; None for any other embedder."""
    match = _TRAINED.fullmatch(embedder)
    return TrainedName(match[1], match[2] is None) if match else None


def require_files(folder: Path) -> None:
    """Raise ModelMissingError unless `folder` holds an adapter."""
    missing = [name for name in _FILES if not (folder / name).is_file()]
    if missing:
        raise ModelMissingError(
            f"an adapter was expected in {folder}, {', '.join(missing)} isn't there; "
            "train the run again"
        )


def put_on(model: "PreTrainedModel | None", folder: Path) -> None:
    """Put the adapter in `folder` onto a transformers model, in place.

    Raises SettingsError unless every weight of the adapter finds its place and every place its
    weight: PEFT would leave the others as they are, which scores like a model hardly trained.
    """
    from peft import PeftConfig, inject_adapter_in_model, set_peft_model_state_dict
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        config = PeftConfig.from_pretrained(str(folder))
        config.inference_mode = True
        stored = load_file(folder / "adapter_model.safetensors")
        weights = {name.removeprefix(_WRAPPED): tensor for name, tensor in stored.items()}
        inject_adapter_in_model(config, model)
        found = set_peft_model_state_dict(model, weights)
    except (*_REFUSALS, SafetensorError) as error:
        raise _unfit(folder, str(error).splitlines()[0]) from error
    marker = f".{config.peft_type.value.lower()}_"
    lacking = [name for name in found.missing_keys if marker in name]
    if lacking or found.unexpected_keys:
        raise _unfit(
            folder, f"{len(lacking)} weights lacking, {len(found.unexpected_keys)} without a place"
        )


def _unfit(folder: Path, found: str) -> SettingsError:
    return SettingsError(
        f"the adapter in {folder} doesn't fit the model it is put on: {found}; "
        "train it again on this model"
    )
