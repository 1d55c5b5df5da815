"""EfficientNet-Lite0 with its published weights, on pictures drawn here."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from artifacts.errors import EmbeddingError, ModelMissingError
from artifacts.model_settings import EvaluationSettings
from evaluation.embedders import efficientnet
from evaluation.embedders.embedder import Embedder, ImageInput
from evaluation.embedders.opening import open_embedder
from tests.evaluation.embedders.doubles import texts
from tests.with_torch.embedders.tiny_models import pictures


def opened(**settings: object) -> Embedder:
    values = {"embedder": "efficientnet-lite0", "threads": 1, "device": "cpu", **settings}
    return open_embedder(EvaluationSettings.model_validate(values))


def test_pictures_that_look_alike_are_near(tmp_path: Path) -> None:
    embedder = opened(batch_size=2)
    vectors = np.asarray(embedder.embed_images(pictures(tmp_path, "red", "crimson", "cyan")))
    assert embedder.modalities == {"image"}
    assert vectors.shape == (3, 1280)
    assert vectors.dtype == np.float32
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_the_whole_picture_counts_up_to_its_corner(tmp_path: Path) -> None:
    inputs = pictures(tmp_path, "red", "blue", side=224)
    with Image.open(inputs[0].path) as picture:
        picture.paste("yellow", (210, 210, 224, 224))
        picture.save(inputs[1].path)
    vectors = np.asarray(opened().embed_images(inputs))
    assert vectors[0] @ vectors[1] < 1 - 1e-4


@pytest.mark.parametrize("mode", ["L", "P", "RGBA", "CMYK"])
def test_any_kind_of_picture_is_read_in_rgb(tmp_path: Path, mode: str) -> None:
    path = tmp_path / ("a.tiff" if mode == "CMYK" else "a.png")
    Image.new("RGB", (50, 30), "red").convert(mode).save(path)
    assert opened().embed_images([ImageInput("scene-0", path, "0")]).shape == (1, 1280)


def test_it_reads_no_text() -> None:
    with pytest.raises(EmbeddingError, match="efficientnet-lite0 embeds image, was given 1"):
        opened().embed_texts(texts("a"))


def test_damaged_weights_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "efficientnet-lite0-57934424.pth").write_bytes(b"no weights")
    monkeypatch.setattr(efficientnet, "weights_of", lambda _: str(tmp_path))
    with pytest.raises(ModelMissingError, match="cannot be loaded"):
        opened()


def test_it_knows_a_photograph() -> None:
    """With its preprocessing and weights it finds the daisy: both are what they should be."""
    import torch
    from sklearn.datasets import load_sample_image

    daisy = 985
    embedder = opened()
    model = embedder._embedder._model  # type: ignore[attr-defined]
    pixels = efficientnet._pixels(Image.fromarray(load_sample_image("flower.jpg")))
    with torch.inference_mode():
        logits = model(torch.from_numpy(np.ascontiguousarray(pixels))[None])
    assert int(logits.argmax()) == daisy
