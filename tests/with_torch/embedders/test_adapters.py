"""A trained adapter on its base gives what the trained model gave, or it isn't put on."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from artifacts.errors import ModelMissingError, SettingsError
from artifacts.model_settings import EvaluationSettings
from evaluation.embedders.adapters import Adapter
from evaluation.embedders.embedder import Embedder
from evaluation.embedders.opening import open_embedder
from tests.evaluation.embedders.doubles import texts
from tests.with_torch.embedders.tiny_models import adapter_on_minilm, change_config

SENTENCES = ["A red cube and a blue kite.", "A blue cube and a red kite."]


def opened(
    folder: Path, *, base: str = "minilm", trained_with: str | None = None, **settings: object
) -> Embedder:
    values = {"embedder": "trained:mine", "device": "cpu", "threads": 1, **settings}
    return open_embedder(
        EvaluationSettings.model_validate(values),
        adapter_of=lambda run, scaled: Adapter(base, None, folder, trained_with),
    )


def embed(embedder: Embedder) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.asarray(embedder.embed_texts(texts(*SENTENCES)), dtype=np.float32)


def test_the_vectors_are_the_trained_model_s(tmp_path: Path) -> None:
    trained = adapter_on_minilm(tmp_path / "adapter")
    embedder = opened(tmp_path / "adapter")
    np.testing.assert_allclose(embed(embedder), trained.encode(SENTENCES), atol=1e-6)
    base = open_embedder(EvaluationSettings(embedder="minilm", device="cpu"))
    assert np.abs(embed(embedder) - embed(base)).max() > 1e-3
    assert embedder.name == "trained:mine"
    assert embedder.unit_length


def test_where_the_base_was_when_it_was_trained_is_nothing_to_it(tmp_path: Path) -> None:
    trained = adapter_on_minilm(tmp_path / "adapter")
    before = opened(tmp_path / "adapter").identity
    change_config(tmp_path / "adapter", base_model_name_or_path="/elsewhere/model")
    moved = opened(tmp_path / "adapter")
    assert moved.identity == before
    np.testing.assert_allclose(embed(moved), trained.encode(SENTENCES), atol=1e-6)


def test_the_identity_is_of_base_adapter_and_instruction(tmp_path: Path) -> None:
    adapter_on_minilm(tmp_path / "first")
    adapter_on_minilm(tmp_path / "second", seed=1)
    shutil.copytree(tmp_path / "first", tmp_path / "stronger")
    change_config(tmp_path / "stronger", lora_alpha=8)
    embedders = [
        open_embedder(EvaluationSettings(embedder="minilm", device="cpu")),
        opened(tmp_path / "first"),
        opened(tmp_path / "second"),
        opened(tmp_path / "stronger"),
        opened(tmp_path / "first", trained_with="Which colors? "),
    ]
    assert len({embedder.identity for embedder in embedders}) == 5


def test_the_instruction_is_the_training_s_unless_one_is_set(tmp_path: Path) -> None:
    adapter_on_minilm(tmp_path)
    trained = opened(tmp_path, trained_with="Which colors? ")
    said = opened(tmp_path, instruction="Which colors? ")
    assert trained.identity == said.identity
    np.testing.assert_allclose(embed(trained), embed(said), atol=1e-6)
    other = opened(tmp_path, trained_with="Which colors? ", instruction="What? ")
    assert other.identity != trained.identity


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("lacking", "2 weights lacking, 0 without a place"),
        ("another layer", "2 weights lacking, 2 without a place"),
        ("another width", "doesn't fit the model"),
        ("cut", "doesn't fit the model"),
    ],
)
def test_an_adapter_of_another_model_is_refused(tmp_path: Path, change: str, words: str) -> None:
    from safetensors.torch import load_file, save_file

    adapter_on_minilm(tmp_path)
    file = tmp_path / "adapter_model.safetensors"
    weights = load_file(file)
    if change == "lacking":
        weights = dict(list(weights.items())[2:])
    elif change == "another layer":
        weights = {
            name.replace("layer.0.attention.self.query", "layer.9.attention.self.query"): tensor
            for name, tensor in weights.items()
        }
    elif change == "another width":
        weights = {name: tensor[:1].contiguous() for name, tensor in weights.items()}
    save_file(weights, file)
    if change == "cut":
        file.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(SettingsError, match=words):
        opened(tmp_path)


def test_a_pattern_that_matches_nothing_is_refused(tmp_path: Path) -> None:
    adapter_on_minilm(tmp_path)
    change_config(tmp_path, target_modules=r".*language_model\.layers\.\d+\.q_proj")
    with pytest.raises(SettingsError, match="doesn't fit the model"):
        opened(tmp_path)


def test_a_folder_without_an_adapter_is_said(tmp_path: Path) -> None:
    adapter_on_minilm(tmp_path)
    (tmp_path / "adapter_model.safetensors").unlink()
    with pytest.raises(ModelMissingError, match=r"adapter_model\.safetensors isn't there"):
        opened(tmp_path)
