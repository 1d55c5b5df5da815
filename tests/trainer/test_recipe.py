import dataclasses

import pytest

from artifacts.errors import SettingsError
from artifacts.model_settings import TrainingSettings
from tests.trainer.builds import recipe
from trainer.layers import layer_of
from trainer.presets import PRESETS
from trainer.recipe import resolve_recipe

QWEN = ("qwen3-vl-2b", "qwen3-vl-8b")


@pytest.mark.parametrize("name", QWEN)
def test_the_paper_s_backbones_have_the_paper_s_values(name: str) -> None:
    made = recipe(preset=name)
    assert (made.rank, made.alpha, made.dropout) == (4, 4, 0)
    assert (made.learning_rate, made.weight_decay) == (5e-5, 0.01)
    assert (made.epochs, made.margin) == (1, 0.05)
    assert (made.lines_alpha, made.lines_beta) == (0, 1)
    assert made.overlap == "all"
    assert made.max_triplets is None
    assert made.trainable_parameters == {QWEN[0]: 1_605_632, QWEN[1]: 3_833_856}[name]


def test_what_is_set_comes_before_the_preset() -> None:
    made = recipe(preset=QWEN[0], learning_rate=1e-4, batch_size=7, instruction="Match.")
    assert (made.learning_rate, made.batch_size, made.instruction) == (1e-4, 7, "Match.")
    assert made.trainable_parameters == 1_605_632


@pytest.mark.parametrize("changed", [{"rank": 8}, {"target_modules": ".*q_proj"}, {"model": "x/y"}])
def test_another_size_is_not_expected_to_be_the_preset_s(changed: dict[str, object]) -> None:
    assert recipe(preset=QWEN[0], **changed).trainable_parameters is None


def test_an_unknown_preset_lists_those_there_are() -> None:
    with pytest.raises(SettingsError, match=r"one of minilm, qwen3-vl-2b, .*found 'bert'"):
        resolve_recipe(TrainingSettings(preset="bert"))


def test_custom_says_what_it_must_be_given() -> None:
    with pytest.raises(SettingsError, match=r"needs training\.model, .*training\.layer_pattern"):
        recipe(preset="custom", target_modules=".*query")


def test_custom_takes_what_it_is_given() -> None:
    made = recipe(
        preset="custom", model="a/b", target_modules=".*query", layer_pattern=r"layer\.(\d+)\."
    )
    assert (made.model, made.published, made.rank) == ("a/b", "a/b", 4)


def test_a_model_in_a_package_goes_by_the_name_that_the_world_knows() -> None:
    assert recipe().published == "sentence-transformers/all-MiniLM-L6-v2"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"target_modules": "("}, r"training\.target_modules: expected a regular expression"),
        ({"layer_pattern": r"layer\.\d+"}, "expected one group, .* found 0"),
        ({"layer_pattern": r"(layer)\.(\d+)"}, "expected one group, .* found 2"),
    ],
)
def test_a_pattern_that_is_none_is_refused(changed: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        recipe(**changed)


def test_what_does_not_decide_on_the_adapter_leaves_the_fingerprint_alone() -> None:
    made = recipe()
    same = dataclasses.replace(
        made,
        run="other",
        published="mine",
        threads=7,
        checkpoint_steps=3,
        lines_alpha=0.5,
        lines_beta=0.5,
    )
    assert same.fingerprint() == made.fingerprint()
    assert dataclasses.replace(made, seed=1).fingerprint() != made.fingerprint()


@pytest.mark.parametrize("name", [name for name in PRESETS if name.startswith("qwen")])
def test_vision_blocks_are_no_layers(name: str) -> None:
    pattern = PRESETS[name].layer_pattern
    assert layer_of("language_model.layers.12.self_attn.q_proj", pattern) == 12
    assert layer_of("model.language_model.layers.3.self_attn.o_proj", pattern) == 3
    assert layer_of("visual.blocks.3.attn.qkv", pattern) is None
    assert layer_of("visual.layers.3.attn.q_proj", pattern) is None
