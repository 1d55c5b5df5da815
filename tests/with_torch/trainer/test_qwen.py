"""A whole run on a Qwen3-VL of tiny size, by the paper's own preset."""

import json
from pathlib import Path

import pytest
import torch

from artifacts.errors import TrainingError
from artifacts.model_source import locate
from tests.trainer.builds import recipe, some_triplets
from tests.with_torch.trainer.conftest import read_files, train
from tests.with_torch.trainer.tiny import save_qwen, text_only
from trainer.backbone import load_model
from trainer.lora import attach_lora, read_adapter
from trainer.recipe import Recipe


@pytest.fixture
def qwen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recipe:
    text_only(monkeypatch)
    small = {
        "device": "cpu",
        "precision": "bf16",
        "threads": 1,
        "batch_size": 4,
        "validation_triplets": 8,
        "validation_steps": 3,
        "checkpoint_steps": 2,
    }
    return recipe(preset="qwen3-vl-2b", model=save_qwen(tmp_path / "qwen"), **small)


def test_the_paper_s_recipe_runs(qwen: Recipe, tmp_path: Path) -> None:
    outcome = train(tmp_path / "run", qwen, some_triplets())
    assert (outcome.steps, outcome.layers, outcome.modules) == (6, 3, 12)
    assert outcome.setup.precision == "bf16"
    weights = read_adapter(tmp_path / "run" / "adapter")
    assert all(".language_model.layers." in name for name in weights)
    assert any(weight.any() for name, weight in weights.items() if "lora_B" in name)
    scaled = read_adapter(tmp_path / "run" / "adapter-lines")
    first = [name for name in scaled if ".layers.0." in name and "lora_B" in name]
    assert not any(scaled[name].any() for name in first)
    record = json.loads((tmp_path / "run" / "recipe.json").read_text())
    assert record["recipe"]["learning_rate"] == 5e-5


def test_adapters_are_kept_finer_than_a_backbone_in_bf16(qwen: Recipe, tmp_path: Path) -> None:
    """At 5e-5 a weight in bf16 often wouldn't move at all."""
    transformer = load_model(locate(qwen.model, None), "cpu", "bf16").transformers_model
    attach_lora(transformer, qwen)
    kinds = {weight.requires_grad: weight.dtype for weight in transformer.parameters()}
    assert kinds == {True: torch.float32, False: torch.bfloat16}


def test_interrupted_and_resumed_equals_uninterrupted(qwen: Recipe, tmp_path: Path) -> None:
    def stop(step: int, steps: int, loss: float) -> None:
        if step == 5:
            raise KeyboardInterrupt

    whole = train(tmp_path / "whole", qwen, some_triplets())
    with pytest.raises(TrainingError, match="goes on from step 4"):
        train(tmp_path / "cut", qwen, some_triplets(), stop)
    assert train(tmp_path / "cut", qwen, some_triplets()).curves == whole.curves
    assert read_files(tmp_path / "cut") == read_files(tmp_path / "whole")
