"""A Qwen3-VL of tiny size with the processor of the real ones, which needs torchvision, too.

Its configuration, tokenizer and template are laid out as the published models' are. So text and
pictures go the whole way that they will go with real weights; the vectors mean nothing.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
from transformers import Qwen2Tokenizer, Qwen3VLProcessor
from transformers.convert_slow_tokenizer import bytes_to_unicode

from artifacts.files import sha256_of_file
from artifacts.model_settings import EvaluationSettings
from evaluation.embedders.adapters import Adapter
from evaluation.embedders.embedder import Embedder, ImageInput
from evaluation.embedders.opening import open_embedder
from tests.evaluation.embedders.doubles import texts
from tests.trainer.builds import recipe, some_triplets
from tests.with_torch.trainer.conftest import train
from tests.with_torch.trainer.tiny import tiny_qwen
from trainer.lora import read_adapter

SPECIAL = {
    "image_token_id": "<|image_pad|>",
    "video_token_id": "<|video_pad|>",
    "vision_start_token_id": "<|vision_start|>",
    "vision_end_token_id": "<|vision_end|>",
}
TURN = ("<|im_start|>", "<|im_end|>")
TEMPLATE = """\
{%- for message in messages -%}
<|im_start|>{{ message.role }}
{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content %}
{%- if part.type == "image" %}<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ part.text }}
{%- endif %}{% endfor %}{% endif %}<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
PIXELS = {"patch_size": 16, "merge_size": 2, "temporal_patch_size": 2, "min_pixels": 4096}
SENTENCES = ("A red cube and a blue kite.", "A blue cube and a red kite.", "A drum.")
WHO_LOOKS = "Represent the user's input."


@pytest.fixture(scope="module")
def qwen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An embedder as sentence-transformers saves one, with a prompt of its own."""
    folder = tmp_path_factory.mktemp("qwen")
    _save_backbone(folder / "backbone")
    transformer = Transformer(str(folder / "backbone"))
    modules = [transformer, Pooling(32, pooling_mode="lasttoken"), Normalize()]
    model = SentenceTransformer(
        modules=modules, device="cpu", prompts={"own": WHO_LOOKS}, default_prompt_name="own"
    )
    model.save(str(folder / "qwen3-vl"))
    return folder / "qwen3-vl"


def _save_backbone(folder: Path) -> None:
    letters = {letter: number for number, letter in enumerate(bytes_to_unicode().values())}
    tokenizer = Qwen2Tokenizer(vocab=letters, merges=[])
    tokenizer.add_special_tokens({"additional_special_tokens": [*TURN, *SPECIAL.values()]})
    tokenizer.save_pretrained(folder)
    known = {name: tokenizer.convert_tokens_to_ids(token) for name, token in SPECIAL.items()}
    tiny_qwen(len(tokenizer), **known).save_pretrained(folder)
    _write(folder / "preprocessor_config.json", image_processor_type="Qwen2VLImageProcessorFast")
    _write(folder / "video_preprocessor_config.json", video_processor_type="Qwen3VLVideoProcessor")
    (folder / "chat_template.jinja").write_text(TEMPLATE)


def _write(path: Path, **more: str) -> None:
    path.write_text(json.dumps({**PIXELS, "processor_class": "Qwen3VLProcessor", **more}))


def opened(qwen: Path, **settings: object) -> Embedder:
    values = {"embedder": f"st:{qwen}", "threads": 1, "device": "cpu", **settings}
    return open_embedder(EvaluationSettings.model_validate(values))


def seen(folder: Path, *sides: tuple[int, int]) -> list[ImageInput]:
    inputs = []
    for number, side in enumerate(sides):
        path = folder / f"scene-{number}.png"
        Image.new("RGB", side, ("red", "blue", "green")[number]).save(path)
        inputs.append(ImageInput(f"scene-{number}", path, sha256_of_file(path)))
    return inputs


def test_its_processor_is_the_published_models_own(qwen: Path) -> None:
    (first, *_) = SentenceTransformer(str(qwen), device="cpu")
    assert type(first.processor) is Qwen3VLProcessor


def test_texts_and_pictures_share_a_space(qwen: Path, tmp_path: Path) -> None:
    embedder = opened(qwen, batch_size=2)
    assert embedder.modalities == {"text", "image"}
    assert embedder.unit_length
    read = np.asarray(embedder.embed_texts(texts(*SENTENCES)))
    # Of three sizes, so that each has another number of tokens.
    looked = np.asarray(embedder.embed_images(seen(tmp_path, (64, 64), (96, 64), (64, 128))))
    assert read.shape == looked.shape == (3, 32)
    for vectors in (read, looked):
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
        for one, other in ((0, 1), (0, 2), (1, 2)):
            assert np.abs(vectors[one] - vectors[other]).max() > 1e-4


def test_a_vector_does_not_depend_on_the_batch(qwen: Path, tmp_path: Path) -> None:
    inputs = seen(tmp_path, (64, 64), (96, 64), (64, 128))
    alone, together = (opened(qwen, batch_size=size) for size in (1, 3))
    for embed, given in (("embed_texts", texts(*SENTENCES)), ("embed_images", inputs)):
        one, three = (np.asarray(getattr(each, embed)(given)) for each in (alone, together))
        np.testing.assert_allclose(one, three, atol=1e-5)


def test_the_instruction_is_a_part_of_the_message(qwen: Path, tmp_path: Path) -> None:
    picture = seen(tmp_path, (64, 64))
    own, told, other = (
        opened(qwen, instruction=instruction) for instruction in (None, WHO_LOOKS, "Find it.")
    )
    for embed, given in (("embed_texts", texts(*SENTENCES)), ("embed_images", picture)):
        first, second, third = (
            np.asarray(getattr(each, embed)(given)) for each in (own, told, other)
        )
        np.testing.assert_allclose(first, second, atol=1e-6)
        assert np.abs(first - third).max() > 1e-4


def test_it_is_trained_on_texts_and_scored_on_pictures(qwen: Path, tmp_path: Path) -> None:
    small: dict[str, Any] = {
        "batch_size": 4,
        "validation_triplets": 8,
        "validation_steps": 1,
        "learning_rate": 1e-2,
    }
    made = recipe(preset="qwen3-vl-2b", model=str(qwen), device="cpu", threads=1, **small)
    outcome = train(tmp_path / "run", made, some_triplets(4, 8))
    assert (outcome.steps, outcome.prompt) == (1, WHO_LOOKS)
    adapter = Adapter(str(qwen), None, tmp_path / "run" / "adapter-lines", outcome.prompt)
    assert any(w.any() for name, w in read_adapter(adapter.folder).items() if "lora_B" in name)
    chosen = EvaluationSettings(embedder="trained:mine", threads=1, device="cpu")
    trained = open_embedder(chosen, adapter_of=lambda run, scaled: adapter)
    picture = seen(tmp_path, (64, 64))
    for embed, given in (("embed_texts", texts(*SENTENCES)), ("embed_images", picture)):
        before, after = (np.asarray(getattr(e, embed)(given)) for e in (opened(qwen), trained))
        assert np.isfinite(after).all()
        assert np.abs(before - after).max() > 1e-4
