"""Real MiniLM, and a tiny model of texts and pictures, through sentence-transformers."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from artifacts.errors import EmbeddingError, ModelMissingError, SettingsError
from artifacts.model_settings import EvaluationSettings
from artifacts.weights import weights_of
from evaluation.embedders import sentence_transformer
from evaluation.embedders.embedder import Embedder
from evaluation.embedders.opening import open_embedder
from tests.evaluation.embedders.doubles import images, texts
from tests.with_torch.embedders.tiny_models import (
    copy_of_minilm,
    in_hub_cache,
    pictures,
    tiny_clip,
)

SENTENCES = ("A red cube and a blue kite.", "A crimson cube, a blue kite.", "Taxes are due in May.")


def opened(embedder: str = "minilm", **settings: object) -> Embedder:
    values = {"embedder": embedder, "threads": 1, "device": "cpu", **settings}
    return open_embedder(EvaluationSettings.model_validate(values))


def test_minilm_means_something() -> None:
    embedder = opened()
    vectors = np.asarray(embedder.embed_texts(texts(*SENTENCES)))
    assert embedder.modalities == {"text"}
    assert embedder.unit_length
    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    assert vectors[0] @ vectors[1] > 0.8 > 0.2 > vectors[0] @ vectors[2]


def test_vectors_do_not_depend_on_the_batch() -> None:
    contents = [" ".join(SENTENCES[: 1 + number % 3]) + str(number) for number in range(20)]
    alone = opened(batch_size=1).embed_texts(texts(*contents))
    together = opened(batch_size=20).embed_texts(texts(*contents))
    np.testing.assert_allclose(np.asarray(alone), np.asarray(together), atol=1e-6)


def test_a_model_in_bfloat16_keeps_its_promise_of_unit_length(tmp_path: Path) -> None:
    """It normalises in bfloat16, too, which alone would be off by more than the checks allow."""
    model = SentenceTransformer(weights_of("minilm"), device="cpu").to(torch.bfloat16)
    model.save(str(tmp_path))
    contents = [f"{text} {number}" for number in range(20) for text in SENTENCES]
    embedder = opened(f"st:{tmp_path}")
    vectors = np.asarray(embedder.embed_texts(texts(*contents)))
    assert "bfloat16" in embedder.identity
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    exact = np.asarray(opened().embed_texts(texts(*contents)))
    assert (vectors * exact).sum(axis=1).min() > 0.999


@pytest.mark.parametrize("length", [0.5, 0.98, np.nan])
def test_a_promise_that_is_broken_is_not_mended(length: float) -> None:
    vectors = np.array([[0, length]], dtype=np.float32)
    np.testing.assert_array_equal(sentence_transformer._exact_lengths(vectors), vectors)


def test_minilm_has_no_eyes() -> None:
    with pytest.raises(EmbeddingError, match="minilm embeds text, was given 1"):
        opened().embed_images(images("a"))


def test_an_instruction_stands_before_every_text() -> None:
    instructed = opened(instruction="Which colors? ").embed_texts(texts(*SENTENCES))
    written = opened().embed_texts(texts(*(f"Which colors? {text}" for text in SENTENCES)))
    np.testing.assert_allclose(np.asarray(instructed), np.asarray(written), atol=1e-6)


def test_the_instruction_is_the_one_that_was_used(tmp_path: Path) -> None:
    model = SentenceTransformer(
        weights_of("minilm"), device="cpu", prompts={"q": "Find: "}, default_prompt_name="q"
    )
    model.save(str(tmp_path))
    assert opened().instruction is None
    assert opened(instruction="Which colors? ").instruction == "Which colors? "
    assert opened(f"st:{tmp_path}").instruction == "Find: "
    # An empty one takes the model's own away.
    assert opened(f"st:{tmp_path}", instruction="").instruction is None


def test_a_model_is_known_by_its_content_wherever_it_lies(tmp_path: Path) -> None:
    folder = copy_of_minilm(tmp_path / "moved")
    moved = opened(f"st:{folder}")
    assert moved.identity == opened().identity
    assert moved.identity != opened(instruction="Which colors? ").identity
    (folder / "README.md").write_text("another")
    assert opened(f"st:{folder}").identity == moved.identity
    config = folder / "sentence_bert_config.json"
    config.write_text(config.read_text().replace("256", "128"))
    assert opened(f"st:{folder}").identity != moved.identity


def test_a_model_of_the_hub_is_known_by_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    in_hub_cache(tmp_path, "anyone/minilm", commit)
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path))
    found = opened("st:anyone/minilm")
    assert commit in found.identity
    assert found.revision == commit
    assert opened("minilm", revision="main").revision is None
    assert opened("st:anyone/minilm", revision="main").identity == found.identity
    assert opened("st:anyone/minilm", revision=commit).identity == found.identity
    with pytest.raises(ModelMissingError, match="anyone/minilm, it cannot be loaded"):
        opened("st:anyone/minilm", revision="another")


def test_a_model_of_the_hub_whose_processor_needs_torchvision_is_not_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    in_hub_cache(tmp_path, "anyone/seeing", commit)
    folder = tmp_path / "models--anyone--seeing" / "snapshots" / commit
    (folder / "video_preprocessor_config.json").write_text('{"processor_class": "Seeing"}')
    (folder / "model.safetensors").unlink()
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path))
    monkeypatch.setattr(
        "artifacts.weights.find_spec",
        lambda name: None if name == "torchvision" else find_spec(name),
    )
    with pytest.raises(ModelMissingError, match="processor of anyone/seeing needs torchvision"):
        opened("st:anyone/seeing")


@pytest.mark.parametrize(
    "name", ["anyone/anything", "anything", "bert-base-uncased", "/no/such/folder", "a/b/c"]
)
def test_a_model_that_is_not_there_is_said(name: str) -> None:
    with pytest.raises(
        ModelMissingError, match=rf"model at (sentence-transformers/)?{name}, it cannot be loaded"
    ):
        opened(f"st:{name}")


def test_a_folder_without_a_model_is_said(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match="it cannot be loaded"):
        opened(f"st:{tmp_path}")


def test_damaged_weights_are_said(tmp_path: Path) -> None:
    folder = copy_of_minilm(tmp_path / "model")
    (folder / "model.safetensors").write_bytes(b"\x00" * 100)
    with pytest.raises(ModelMissingError, match="it cannot be loaded"):
        opened(f"st:{folder}")


def test_a_device_that_is_not_there_is_said() -> None:
    with pytest.raises(SettingsError, match="device cuda:7 was asked for, torch finds 0 CUDA"):
        opened(device="cuda:7")


def test_a_model_of_texts_and_pictures_is_asked_for_both(tmp_path: Path) -> None:
    embedder = opened(f"st:{tiny_clip(tmp_path / 'clip')}", batch_size=2)
    assert embedder.modalities == {"text", "image"}
    assert not embedder.unit_length
    seen = np.asarray(embedder.embed_images(pictures(tmp_path, "red", "blue", "green")))
    read = np.asarray(embedder.embed_texts(texts(*SENTENCES)))
    assert seen.shape == read.shape == (3, 16)
    assert np.abs(seen[0] - seen[1]).max() > 1e-3


def test_a_picture_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    inputs = pictures(tmp_path, "red")
    inputs[0].path.write_bytes(b"no picture")
    with pytest.raises(EmbeddingError, match=r"picture of scene-0, .*scene-0\.png, cannot be read"):
        opened(f"st:{tiny_clip(tmp_path / 'clip')}").embed_images(inputs)


def test_what_was_embedded_is_not_embedded_again(tmp_path: Path) -> None:
    settings = EvaluationSettings(embedder="minilm", device="cpu")
    first = open_embedder(settings, cache=tmp_path).embed_texts(texts(*SENTENCES))
    again = open_embedder(settings, cache=tmp_path)
    inner = again._embedder._embedder._embedder  # type: ignore[attr-defined]
    inner._model.encode = None
    np.testing.assert_array_equal(
        np.asarray(first), np.asarray(again.embed_texts(texts(*SENTENCES)))
    )
