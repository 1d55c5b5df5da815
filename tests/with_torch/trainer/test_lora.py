"""Adapters on models of real and of tiny size, as files, and scaled by LiNeS."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from peft import PeftModel
from sentence_transformers import SentenceTransformer

from artifacts.errors import TrainingError
from tests.trainer.builds import recipe, some_triplets
from tests.with_torch.trainer.conftest import read_files, train
from tests.with_torch.trainer.tiny import qwen_on_meta, tiny_qwen
from trainer.lines import scale_adapter
from trainer.lora import (
    attach_lora,
    count_trainable,
    load_weights,
    read_adapter,
    read_weights,
    save_adapter,
    write_adapter,
)
from trainer.recipe import Recipe

QWEN = replace(recipe(preset="qwen3-vl-2b"), trainable_parameters=None)
SIZES = {"qwen3-vl-2b": (28, 2_048, 16, 6_144), "qwen3-vl-8b": (36, 4_096, 32, 12_288)}


@pytest.mark.parametrize("preset", SIZES)
def test_the_paper_s_backbones_come_to_the_paper_s_parameters(preset: str) -> None:
    model = qwen_on_meta(*SIZES[preset])
    wanted = recipe(preset=preset)
    fit = attach_lora(model, wanted)
    assert fit.trainable_parameters == wanted.trainable_parameters
    assert (len(fit.modules), fit.layers) == (4 * SIZES[preset][0], SIZES[preset][0])


def test_another_size_than_the_preset_s_is_refused() -> None:
    with pytest.raises(TrainingError, match=r"trains 1,605,632 parameters, this model comes to"):
        attach_lora(tiny_qwen(), recipe(preset="qwen3-vl-2b"))


def test_a_pattern_without_a_match_names_modules_that_are_there() -> None:
    with pytest.raises(
        TrainingError, match=r"matches no module of Qwen3VLModel; there are .*layers\.N\."
    ):
        attach_lora(tiny_qwen(), replace(QWEN, target_modules=r".*\.query"))


@pytest.mark.parametrize("pattern", [r".*(qkv|q_proj)", r".*blocks\.\d+\.attn\.proj"])
def test_a_vision_block_that_the_pattern_hits_is_refused(pattern: str) -> None:
    with pytest.raises(TrainingError, match=r"outside the layers .* first visual\.blocks\.0"):
        attach_lora(tiny_qwen(), replace(QWEN, target_modules=pattern))


def test_layers_that_text_and_vision_share_a_name_for_are_refused() -> None:
    with pytest.raises(TrainingError, match=r"in language_model\.layers and visual\.blocks"):
        attach_lora(tiny_qwen(), replace(QWEN, layer_pattern=r"(?:layers|blocks)\.(\d+)\."))


def test_modules_that_peft_cannot_adapt_are_refused() -> None:
    with pytest.raises(TrainingError, match="PEFT refuses"):
        attach_lora(tiny_qwen(), replace(QWEN, target_modules=r".*layers\.\d+\.mlp\.act_fn"))


def test_text_layers_alone_are_trained() -> None:
    model = tiny_qwen()
    frozen = {name: weight.clone() for name, weight in model.named_parameters()}
    fit = attach_lora(model, QWEN)
    trained = [name for name, weight in model.named_parameters() if weight.requires_grad]
    assert all("language_model.layers." in name and "lora_" in name for name in trained)
    assert count_trainable(model) == fit.trainable_parameters
    take_steps(model)
    for name, weight in model.named_parameters():
        if "lora_" not in name:
            assert torch.equal(weight, frozen[name.replace(".base_layer", "")])
    assert all(weight.abs().sum() > 0 for weight in read_weights(model).values())


def take_steps(model: torch.nn.Module) -> None:
    words = torch.arange(12).reshape(3, 4)
    optimizer = torch.optim.AdamW([w for w in model.parameters() if w.requires_grad], lr=0.05)
    for _ in range(3):
        query, positive, negative = model(input_ids=words).last_hidden_state[:, -1]
        loss = torch.cosine_similarity(query, negative, 0) - torch.cosine_similarity(
            query, positive, 0
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@pytest.fixture
def adapted(tmp_path: Path) -> Path:
    """The adapter of a Qwen3-VL after some steps."""
    model = tiny_qwen()
    attach_lora(model, QWEN)
    take_steps(model)
    save_adapter(model, QWEN, tmp_path / "adapter")
    return tmp_path / "adapter"


def updates(folder: Path) -> dict[str, torch.Tensor]:
    """Return what an adapter adds to each weight, but for PEFT's constant alpha / r."""
    weights = read_adapter(folder)
    return {
        name: weights[name.replace("lora_A", "lora_B")].double() @ weights[name].double()
        for name in weights
        if "lora_A" in name
    }


@pytest.mark.parametrize(("alpha", "beta"), [(0, 1), (0.25, 0.5), (1, 0)])
def test_lines_scales_each_update_by_its_layer(adapted: Path, alpha: float, beta: float) -> None:
    target = adapted.parent / "lines"
    before = {path.name: path.read_bytes() for path in adapted.iterdir()}
    made = replace(QWEN, lines_alpha=alpha, lines_beta=beta)
    scales = scale_adapter(adapted, target, made, 3)
    unscaled, scaled = updates(adapted), updates(target)
    assert unscaled.keys() == scaled.keys()
    for name, update in unscaled.items():
        layer = int(name.split("layers.")[1].split(".")[0])
        assert scales[layer] == alpha + beta * layer / 2
        torch.testing.assert_close(scaled[name], scales[layer] * update)
    assert {path.name: path.read_bytes() for path in adapted.iterdir()} == before
    assert (target / "adapter_config.json").read_bytes() == before["adapter_config.json"]


def test_lines_leaves_one_factor_alone(adapted: Path) -> None:
    target = adapted.parent / "lines"
    scale_adapter(adapted, target, QWEN, 3)
    before, after = read_adapter(adapted), read_adapter(target)
    assert all(torch.equal(before[name], after[name]) for name in before if "lora_A" in name)


def test_lines_counts_the_backbone_s_layers_where_some_have_no_adapter(tmp_path: Path) -> None:
    model = tiny_qwen()
    made = replace(QWEN, target_modules=r".*language_model\.layers\.1\.self_attn\.q_proj")
    fit = attach_lora(model, made)
    take_steps(model)
    save_adapter(model, made, tmp_path / "adapter")
    scale_adapter(tmp_path / "adapter", tmp_path / "lines", made, fit.layers)
    (before,), (after,) = (
        updates(tmp_path / "adapter").values(),
        updates(tmp_path / "lines").values(),
    )
    torch.testing.assert_close(after, before / 2)


def test_lines_refuses_to_make_a_weight_infinite_and_names_the_first(adapted: Path) -> None:
    target = adapted.parent / "lines"
    first = r"λ = 5e\+299 makes .*layers\.1\.self_attn\.k_proj\.lora_B.* infinite; lower lines"
    with pytest.raises(TrainingError, match=first):
        scale_adapter(adapted, target, replace(QWEN, lines_alpha=0, lines_beta=1e300), 3)
    assert not target.exists()


def test_lines_refuses_a_weight_that_is_in_no_layer(adapted: Path) -> None:
    weights = {"base_model.model.visual.blocks.0.attn.proj.lora_B.weight": torch.ones(2, 2)}
    write_adapter(adapted, weights, {})
    with pytest.raises(TrainingError, match="every weight in one of 3 layers"):
        scale_adapter(adapted, adapted.parent / "lines", QWEN, 3)


def test_an_adapter_s_weights_return_as_they_were(adapted: Path) -> None:
    model = tiny_qwen()
    attach_lora(model, QWEN)
    load_weights(model, adapted)
    stored, loaded = read_adapter(adapted), read_weights(model)
    assert stored.keys() == loaded.keys()
    assert all(torch.equal(stored[name], loaded[name]) for name in stored)


def test_a_run_s_files_name_no_folder_of_this_machine(tiny: Recipe, tmp_path: Path) -> None:
    moved = shutil.copytree(tiny.model, tmp_path / "somewhere" / "my-embedder")
    outcome = train(tmp_path / "run", replace(tiny, model=str(moved)), some_triplets())
    for folder in ("adapter", "adapter-lines"):
        config = json.loads((tmp_path / "run" / folder / "adapter_config.json").read_text())
        assert config["base_model_name_or_path"] == "my-embedder"
        assert config["peft_type"] == "LORA"
    card = (tmp_path / "run" / "README.md").read_text()
    assert "base_model: my-embedder\n" in card
    assert outcome.setup.source.identity in card
    files = read_files(tmp_path / "run")
    assert len(files) == 7
    assert not [name for name, content in files.items() if str(moved.parent).encode() in content]
    # Whoever evaluates it here must find it.
    assert outcome.setup.recipe.model == str(moved)


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_peft_loads_what_a_run_leaves(tiny: Recipe, bert: str, tmp_path: Path) -> None:
    texts = ["a red cube and a blue kite", "a blue cube and a red kite"]
    vectors = {}
    train(tmp_path, tiny, some_triplets())
    for folder in ("", "adapter", "adapter-lines"):
        model = SentenceTransformer(bert, device="cpu")
        if folder:
            PeftModel.from_pretrained(model.transformers_model, str(tmp_path / folder))
        vectors[folder] = model.encode(texts, convert_to_tensor=True)
    assert not torch.allclose(vectors[""], vectors["adapter"])
    assert not torch.allclose(vectors["adapter"], vectors["adapter-lines"])


def test_two_pictures_differ_to_an_adapted_qwen() -> None:
    """Its own processor needs torchvision, so the picture goes in as that would put it."""
    from PIL import Image
    from transformers import Qwen2VLImageProcessorPil

    model = tiny_qwen()
    # Its real number is beyond the tiny vocabulary.
    model.config.image_token_id = 60
    attach_lora(model, QWEN)
    vision = model.config.vision_config
    process = Qwen2VLImageProcessorPil(
        patch_size=vision.patch_size, merge_size=vision.spatial_merge_size
    )
    states = []
    for color in ("red", "blue"):
        shown = process(Image.new("RGB", (64, 64), color), return_tensors="pt")
        tokens = int(shown["image_grid_thw"].prod()) // vision.spatial_merge_size**2
        ids = torch.tensor([[1, *[model.config.image_token_id] * tokens, 2]])
        kinds = (ids == model.config.image_token_id).int()
        with torch.no_grad():
            found = model(input_ids=ids, mm_token_type_ids=kinds, **shown)
        states.append(found.last_hidden_state[0, -1])
    assert torch.isfinite(torch.stack(states)).all()
    assert (states[0] - states[1]).abs().max() > 1e-4
