"""A recipe: everything that a training run is made from, with nothing left open.

Knows how settings and a preset make one, and what of it decides on the result; not how it is
carried out.
"""

import re
from dataclasses import asdict, dataclass
from typing import Literal

from pydantic import JsonValue

from artifacts.errors import SettingsError
from artifacts.manifest import fingerprint
from artifacts.model_settings import TrainingSettings
from trainer.presets import Preset, find_preset

Overlap = Literal["all", "none", "only"]

#: What may differ between a run and the one that goes on with it.
_OPERATION = frozenset(
    {"run", "published", "threads", "checkpoint_steps", "lines_alpha", "lines_beta"}
)
#: What the number of trainable parameters depends on.
_SIZING = ("model", "target_modules", "rank")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How one run trains. `None` means just what its field's comment says."""

    run: str
    preset: str
    #: What to load, and the name that the world knows it by; a folder's until it is found there.
    model: str
    published: str
    #: None: the newest.
    revision: str | None
    target_modules: str
    layer_pattern: str
    rank: int
    alpha: float
    dropout: float
    learning_rate: float
    weight_decay: float
    margin: float
    epochs: int
    batch_size: int
    #: None: the model's own default.
    instruction: str | None
    precision: Literal["auto", "bf16", "fp32"]
    device: str
    #: None: torch's own number.
    threads: int | None
    overlap: Overlap
    #: None: all there are.
    max_triplets: int | None
    validation_triplets: int
    validation_steps: int
    checkpoint_steps: int
    lines_alpha: float
    lines_beta: float
    seed: int
    #: What the adapters must come to; None: not known beforehand.
    trainable_parameters: int | None

    def to_json(self) -> dict[str, JsonValue]:
        """Return the recipe as plain JSON."""
        return asdict(self)

    def fingerprint(self) -> str:
        """Return the checksum of what must be equal for another run to go on with this one."""
        return fingerprint(
            {name: value for name, value in self.to_json().items() if name not in _OPERATION}
        )


def resolve_recipe(settings: TrainingSettings) -> Recipe:
    """Return the recipe of `settings`: what they leave unset is the preset's.

    Raises SettingsError for an unknown preset, for what `custom` must be given, and for a pattern
    that is none.
    """
    preset = find_preset(settings.preset)
    chosen = settings.model_dump()
    for name in _from_preset(settings):
        chosen[name] = getattr(preset, name)
    _require_given(settings, chosen)
    _require_patterns(chosen)
    own = all(chosen[name] == getattr(preset, name) for name in _SIZING)
    return Recipe(
        **chosen,
        published=preset.published if chosen["model"] == preset.model else chosen["model"],
        trainable_parameters=preset.trainable_parameters if own else None,
    )


def _from_preset(settings: TrainingSettings) -> list[str]:
    fields = Preset.__dataclass_fields__
    return [name for name in fields if getattr(settings, name, "") is None]


def _require_given(settings: TrainingSettings, chosen: dict[str, object]) -> None:
    missing = [name for name in ("model", "target_modules", "layer_pattern") if not chosen[name]]
    if missing:
        named = ", ".join(f"training.{name}" for name in missing)
        raise SettingsError(f"the preset {settings.preset} needs {named}, unset here; set it")


def _require_patterns(chosen: dict[str, object]) -> None:
    for name in ("target_modules", "layer_pattern"):
        try:
            pattern = re.compile(str(chosen[name]))
        except re.error as error:
            raise SettingsError(
                f"training.{name}: expected a regular expression, found {chosen[name]!r}: {error}"
            ) from error
        if name == "layer_pattern" and pattern.groups != 1:
            raise SettingsError(
                f"training.{name}: expected one group, the number of the layer, "
                f"found {pattern.groups} in {chosen[name]!r}"
            )
