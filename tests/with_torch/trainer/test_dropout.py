"""A backbone's own dropout is off while it is trained, however it has it; the adapters' isn't."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from artifacts.model_source import locate
from tests.trainer.builds import some_triplets
from tests.with_torch.trainer.conftest import train
from tests.with_torch.trainer.tiny import save_bert, save_llama
from trainer.backbone import drop_in_adapters_alone, freeze, load_model, transformer_of
from trainer.curves import points_of
from trainer.lora import attach_lora
from trainer.recipe import Recipe

BACKBONES: dict[str, Callable[[Path], str]] = {
    # 10 % in modules of its own, and as much of the attention.
    "bert": save_bert,
    # A rate in its configuration, and no module.
    "llama": lambda folder: save_llama(folder, attention_dropout=0.3),
}
PLACES = {
    "bert": {},
    "llama": {"target_modules": r".*self_attn\.(q|v)_proj", "layer_pattern": r"layers\.(\d+)\."},
}


def on(backbone: str, tiny: Recipe, folder: Path, **changed: object) -> Recipe:
    return replace(tiny, model=BACKBONES[backbone](folder), **PLACES[backbone], **changed)  # type: ignore[arg-type]


@pytest.mark.parametrize("dropout", [0, 0.5])
@pytest.mark.parametrize("backbone", BACKBONES)
def test_two_passes_differ_by_the_adapters_dropout_alone(
    tiny: Recipe, tmp_path: Path, backbone: str, dropout: float
) -> None:
    recipe = on(backbone, tiny, tmp_path, dropout=dropout)
    model = load_model(locate(recipe.model, None), "cpu", "fp32")
    freeze(model)
    attach_lora(transformer_of(model), recipe)
    for name, weight in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(weight)
    model.train()
    drop_in_adapters_alone(model)
    words = model.preprocess(["a red cube and a blue kite on a shelf in the sun"])
    one, two = (model(dict(words))["sentence_embedding"] for _ in range(2))
    assert torch.equal(one, two) is (dropout == 0)


def test_a_run_is_the_same_whatever_rate_the_backbone_has(tiny: Recipe, tmp_path: Path) -> None:
    losses = {}
    for rate in (0.0, 0.3):
        model = save_llama(tmp_path / str(rate), attention_dropout=rate)
        recipe = replace(tiny, model=model, dropout=0, **PLACES["llama"])  # type: ignore[arg-type]
        curves = train(tmp_path / f"run-{rate}", recipe, some_triplets()).curves
        losses[rate] = points_of(curves, "train_loss")
    assert losses[0.0] == losses[0.3]
