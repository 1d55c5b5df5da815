"""What is refused before the first step, and in which words."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import BoW

from artifacts.errors import ModelError, ModelMissingError, SettingsError, TrainingError
from artifacts.model_source import missing
from tests.trainer.builds import recipe, some_triplets
from tests.with_torch.trainer.conftest import train
from trainer.backbone import transformer_of
from trainer.devices import resolve_precision, thread_limit
from trainer.recipe import Recipe


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


@pytest.mark.parametrize("device", ["cuda", "cuda:1"])
def test_precision_follows_the_gpu_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    current: list[str] = []

    @contextmanager
    def as_current(asked: str) -> Iterator[None]:
        current.append(asked)
        yield
        current.pop()

    def has_bf16(including_emulation: bool = True) -> bool:
        # The last GPU alone has it of its own; any can emulate it.
        return including_emulation or current == ["cuda:1"]

    monkeypatch.setattr(torch.cuda, "device", as_current)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", has_bf16)
    has_it = device == "cuda:1"
    assert resolve_precision("auto", device) == ("bf16" if has_it else "fp32")
    if not has_it:
        with pytest.raises(TrainingError, match="cuda doesn't have it"):
            resolve_precision("bf16", device)


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


@pytest.mark.parametrize("content", [b"", bytes(100), b"no weights"], ids=["", "zeros", "text"])
def test_damaged_weights_are_refused(tiny: Recipe, tmp_path: Path, content: bytes) -> None:
    damaged = Path(shutil.copytree(tiny.model, tmp_path / "damaged"))
    (damaged / "model.safetensors").write_bytes(content)
    with pytest.raises(ModelMissingError, match="damaged, it cannot be loaded"):
        train(tmp_path / "run", replace(tiny, model=str(damaged)), some_triplets())


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("video_preprocessor_config.json", {"video_processor_type": "Qwen3VLVideoProcessor"}),
        ("processor_config.json", {"video_processor": {}}),
    ],
)
def test_a_processor_that_needs_torchvision_says_so_before_the_weights_are_loaded(
    tiny: Recipe,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    file: str,
    content: dict[str, object],
) -> None:
    model = Path(shutil.copytree(tiny.model, tmp_path / "model"))
    (model / file).write_text(json.dumps(content))
    monkeypatch.setattr("sentence_transformers.SentenceTransformer", None)
    monkeypatch.setattr(
        "artifacts.weights.find_spec",
        lambda name: None if name == "torchvision" else find_spec(name),
    )
    with pytest.raises(
        ModelMissingError, match=r"model needs torchvision, not .*index that torch came from"
    ):
        train(tmp_path / "run", replace(tiny, model=str(model)), some_triplets())


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            ImportError("\nA requires the Torchvision library.\nMore"),
            "library; pip install the torchv",
        ),
        (
            ImportError("Could not import 'A'"),
            "nms does not exist; pip install the torchvision that",
        ),
        (ImportError("No module named 'timm'"), "No module named 'timm'; install what it needs"),
        (OSError("No such file."), "No such file; give a folder or a name"),
    ],
)
def test_what_a_model_lacks_is_told_with_what_to_do(error: Exception, words: str) -> None:
    if "Could not" in str(error):
        error.__cause__ = RuntimeError("operator torchvision::nms does not exist")
    assert words in str(missing("a/b", error))


def test_an_embedder_without_a_transformer_is_refused() -> None:
    model = SentenceTransformer(modules=[BoW(vocab=["red", "cube"])], device="cpu")
    with pytest.raises(ModelError, match=r"expected an embedder that has a transformer, .* BoW"):
        transformer_of(model)


def test_a_pattern_that_matches_nothing_is_refused(tiny: Recipe, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="matches no module of BertModel"):
        train(tmp_path, replace(tiny, target_modules=".*q_proj"), some_triplets())
