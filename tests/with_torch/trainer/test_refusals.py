"""What is refused before the first step, and in which words."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from artifacts.errors import ModelMissingError, SettingsError, TrainingError
from tests.trainer.builds import recipe, some_triplets
from trainer.devices import resolve_precision, thread_limit
from trainer.recipe import Recipe
from trainer.training import train


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
@pytest.mark.parametrize("device", ["cuda", "cuda:1"])
def test_a_gpu_that_is_not_there_is_refused(tiny: Recipe, tmp_path: Path, device: str) -> None:
    with pytest.raises(SettingsError, match=f"device {device} was asked for, torch finds 0 CUDA"):
        train(tmp_path, replace(tiny, device=device), some_triplets())
    assert list(tmp_path.iterdir()) == []


def test_precision_follows_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    for has_it, expected in ((True, "bf16"), (False, "fp32")):
        monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda has_it=has_it: has_it)
        monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
        assert resolve_precision("auto", "cpu") == expected
        assert resolve_precision("bf16", "cpu") == "bf16"
        assert resolve_precision("fp32", "cpu") == "fp32"
    assert resolve_precision("auto", "mps") == "fp32"
    with pytest.raises(TrainingError, match="mps doesn't have it"):
        resolve_precision("bf16", "mps")


def test_the_thread_limit_is_lifted_afterwards() -> None:
    before = torch.get_num_threads()
    with thread_limit(before + 1):
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before


def test_a_model_that_is_not_there_is_refused(tmp_path: Path) -> None:
    absent = recipe(
        preset="custom",
        model=str(tmp_path / "nowhere"),
        target_modules=".*query",
        layer_pattern=r"layer\.(\d+)\.",
        device="cpu",
    )
    with pytest.raises(ModelMissingError, match=r"model at .*nowhere, it cannot be loaded"):
        train(tmp_path, absent, some_triplets())


def test_a_pattern_that_matches_nothing_is_refused(tiny: Recipe, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="matches no module of BertModel"):
        train(tmp_path, replace(tiny, target_modules=".*q_proj"), some_triplets())
