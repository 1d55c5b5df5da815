"""LiNeS: an adapter's updates scaled layer by layer, the first least and the last most.

λ(l) = α + β·l/(L-1) for l = 0 … L-1, where L counts the layers of the backbone's stack and l is a
layer's own number in it, so that adapters on some layers alone are scaled by where they sit. With
one layer λ is α + β: it is the last. An update is the product of two factors, B·A: B alone is
scaled, since scaling both would square λ. Knows adapters as files; needs no backbone.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from artifacts.errors import TrainingError
from trainer.layers import layer_of
from trainer.lora import read_adapter, read_config, write_adapter
from trainer.recipe import Recipe

if TYPE_CHECKING:
    from torch import Tensor

#: The factor that is scaled.
_SCALED = ".lora_B.weight"


def layer_scales(layers: int, alpha: float, beta: float) -> tuple[float, ...]:
    """Return λ of every layer, in order."""
    if layers == 1:
        return (alpha + beta,)
    return tuple(alpha + beta * number / (layers - 1) for number in range(layers))


def scale_adapter(source: Path, target: Path, recipe: Recipe, layers: int) -> tuple[float, ...]:
    """Write the adapter in `source`, scaled by the recipe's LiNeS, to `target`; return every λ.

    `source` stays as it is. Raises TrainingError if a weight belongs to no layer of the backbone.
    """
    scales = layer_scales(layers, recipe.lines_alpha, recipe.lines_beta)
    weights = {
        name: _scaled(name, weight, recipe.layer_pattern, scales)
        for name, weight in read_adapter(source).items()
    }
    write_adapter(target, weights, read_config(source))
    return scales


def _scaled(name: str, weight: "Tensor", pattern: str, scales: tuple[float, ...]) -> "Tensor":
    number = layer_of(name, pattern)
    if number is None or number >= len(scales):
        raise TrainingError(
            f"LiNeS: expected every weight in one of {len(scales)} layers that {pattern!r} finds, "
            f"found {name}"
        )
    if not name.endswith(_SCALED):
        return weight
    scaled = weight * scales[number]
    if not scaled.isfinite().all():
        raise TrainingError(
            f"LiNeS: λ = {scales[number]:g} makes {name} infinite; lower lines_alpha and lines_beta"
        )
    return scaled
