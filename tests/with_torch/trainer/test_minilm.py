"""The real MiniLM for a few steps."""

from dataclasses import replace
from pathlib import Path

import torch

from tests.trainer.builds import recipe, some_triplets
from tests.with_torch.trainer.conftest import train
from trainer.lora import read_adapter


def test_the_real_model_trains(tmp_path: Path) -> None:
    made = replace(
        recipe(device="cpu", threads=1, validation_triplets=8), batch_size=4, precision="auto"
    )
    outcome = train(tmp_path, made, some_triplets(12, 8))
    assert (outcome.steps, outcome.layers) == (3, 6)
    weights, scaled = (read_adapter(tmp_path / name) for name in ("adapter", "adapter-lines"))
    first, last = (f"base_model.model.encoder.layer.{layer}." for layer in (0, 5))
    for name, weight in scaled.items():
        if "lora_B" in name and name.startswith(first):
            assert not weight.any()
        if "lora_B" in name and name.startswith(last):
            assert weight.any()
            assert torch.equal(weight, weights[name])
    assert (
        "base_model: sentence-transformers/all-MiniLM-L6-v2" in (tmp_path / "README.md").read_text()
    )
