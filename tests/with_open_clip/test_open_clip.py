"""open_clip's models, on a tiny one with random weights: no package holds real ones.

So that it is called as it should be is tested here, and not that its vectors mean something.
"""

import json
from pathlib import Path

import numpy as np
import open_clip
import pytest
import torch
from PIL import Image

from artifacts.errors import ModelMissingError, SettingsError
from artifacts.files import sha256_of_file
from artifacts.model_settings import EvaluationSettings
from evaluation.embedders import open_clip as ours
from evaluation.embedders.embedder import Embedder, ImageInput
from evaluation.embedders.opening import open_embedder
from tests.evaluation.embedders.doubles import texts

ARCHITECTURE = "Tiny-Test"
CONFIG = {
    "embed_dim": 16,
    "vision_cfg": {"image_size": 32, "layers": 1, "width": 64, "patch_size": 16},
    "text_cfg": {"context_length": 32, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 1},
}
SENTENCES = ("A red cube and a blue kite.", "A blue cube and a red kite.", "A drum.")


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    (folder / f"{ARCHITECTURE}.json").write_text(json.dumps(CONFIG))
    open_clip.add_model_config(folder)
    torch.manual_seed(0)
    torch.save(open_clip.create_model(ARCHITECTURE).state_dict(), folder / "tiny.pt")
    return folder / "tiny.pt"


def opened(spec: object, **settings: object) -> Embedder:
    values = {"embedder": f"open-clip:{spec}", "threads": 1, "device": "cpu", **settings}
    return open_embedder(EvaluationSettings.model_validate(values))


def pictures(folder: Path, *colors: str) -> list[ImageInput]:
    inputs = []
    for number, color in enumerate(colors):
        path = folder / f"scene-{number}.png"
        Image.new("RGB", (48, 40), color).save(path)
        inputs.append(ImageInput(f"scene-{number}", path, sha256_of_file(path)))
    return inputs


def test_texts_and_pictures_share_a_space(weights: Path, tmp_path: Path) -> None:
    embedder = opened(f"{ARCHITECTURE}/{weights}", batch_size=2)
    assert embedder.modalities == {"text", "image"}
    read = np.asarray(embedder.embed_texts(texts(*SENTENCES)))
    seen = np.asarray(embedder.embed_images(pictures(tmp_path, "red", "blue", "green")))
    assert read.shape == seen.shape == (3, 16)
    assert np.abs(read[0] - read[1]).max() > 1e-4
    assert np.abs(seen[0] - seen[1]).max() > 1e-4


def test_the_vectors_are_open_clip_s_own(weights: Path) -> None:
    model, _, _ = open_clip.create_model_and_transforms(ARCHITECTURE, pretrained=str(weights))
    tokens = open_clip.get_tokenizer(ARCHITECTURE)(list(SENTENCES))
    with torch.inference_mode():
        expected = model.eval().encode_text(tokens, normalize=True).numpy()
    embedder = opened(f"{ARCHITECTURE}/{weights}", batch_size=1)
    found = np.asarray(embedder.embed_texts(texts(*SENTENCES)))
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_the_identity_is_of_the_weights_wherever_they_lie(weights: Path, tmp_path: Path) -> None:
    (tmp_path / "moved.pt").write_bytes(weights.read_bytes())
    first = opened(f"{ARCHITECTURE}/{weights}")
    assert opened(f"{ARCHITECTURE}/{tmp_path / 'moved.pt'}").identity == first.identity
    state = torch.load(weights, weights_only=True)
    state["logit_scale"] += 1
    torch.save(state, tmp_path / "changed.pt")
    assert opened(f"{ARCHITECTURE}/{tmp_path / 'changed.pt'}").identity != first.identity
    told = opened(f"{ARCHITECTURE}/{weights}", instruction="A picture of ")
    assert told.identity != first.identity


def test_openai_s_weights_get_the_activation_that_they_were_trained_with() -> None:
    assert ours._has_quick_gelu("ViT-B-32", "openai")
    assert not ours._has_quick_gelu("ViT-B-32", "laion2b_s34b_b79k")
    assert not ours._has_quick_gelu(ARCHITECTURE, "a/file.pt")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("ViT-B-23/openai", "expected an architecture of open_clip.*'ViT-B-23'; near: ViT-B-32"),
        ("ViT-B-32/openia", "expected an open_clip tag for ViT-B-32, or.*'openia'; near: openai"),
        ("ViT-B-32", "expected an open_clip tag for ViT-B-32, or file, .*''"),
        ("ViT-B-32//no/such/file.pt", "'/no/such/file.pt'"),
    ],
)
def test_what_open_clip_does_not_know_is_said(spec: str, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        opened(spec)


@pytest.mark.filterwarnings("ignore::UserWarning:huggingface_hub")
def test_weights_that_cannot_be_had_are_said() -> None:
    with pytest.raises(ModelMissingError, match="ViT-B-32/laion2b_s34b_b79k cannot be loaded"):
        opened("ViT-B-32/laion2b_s34b_b79k")


@pytest.mark.parametrize("content", [b"no weights", b""])
def test_a_file_that_holds_no_weights_is_said(
    weights: Path, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "other.pt").write_bytes(content)
    with pytest.raises(ModelMissingError, match="cannot be loaded"):
        opened(f"{ARCHITECTURE}/{tmp_path / 'other.pt'}")


def test_weights_of_another_architecture_are_said(weights: Path, tmp_path: Path) -> None:
    state = torch.load(weights, weights_only=True)
    state["text_projection"] = state["text_projection"][:, :3].clone()
    torch.save(state, tmp_path / "other.pt")
    with pytest.raises(ModelMissingError, match="cannot be loaded"):
        opened(f"{ARCHITECTURE}/{tmp_path / 'other.pt'}")
