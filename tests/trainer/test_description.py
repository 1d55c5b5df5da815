"""Curves, plot, card and record of a run."""

import json
from dataclasses import replace

import pytest

from artifacts.model_source import ModelSource
from tests.trainer.builds import recipe, some_triplets
from trainer.card import card_of
from trainer.curves import curves_of, points_of
from trainer.figure import plot_curves
from trainer.outcome import Setup, TrainingOutcome

LOG: list[dict[str, float]] = [
    {"eval_loss": 0.2, "eval_accuracy": 50.0, "eval_runtime": 1.0, "epoch": 0, "step": 0},
    {"loss": 0.19, "grad_norm": 1.0, "learning_rate": 1e-3, "epoch": 0.5, "step": 1},
    {"loss": 0.1, "grad_norm": 1.0, "learning_rate": 1e-3, "epoch": 1.0, "step": 2},
    {"eval_loss": 0.05, "eval_accuracy": 87.5, "epoch": 1.0, "step": 2},
    {"train_runtime": 3.0, "train_loss": 0.15, "epoch": 1.0, "step": 2},
]

SOURCE = ModelSource("org/model", commit="abc123", identity="org/model abc123")


@pytest.fixture
def outcome() -> TrainingOutcome:
    return TrainingOutcome(
        setup=Setup(recipe(revision="abc123"), SOURCE, some_triplets(), "cpu", "bf16"),
        curves=curves_of("minilm", LOG),
        steps=2,
        prompt='Say "which".',
        modules=24,
        layers=6,
        trainable_parameters=294_912,
        scales=(0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
        versions={"torch": "2.13.0", "peft": "0.21.2"},
    )


def test_curves_hold_what_was_measured_and_no_times(outcome: TrainingOutcome) -> None:
    assert {point.metric for point in outcome.curves} == {
        "train_loss",
        "validation_loss",
        "validation_accuracy",
    }
    assert points_of(outcome.curves, "train_loss") == [(1, 0.19), (2, 0.1)]
    assert points_of(outcome.curves, "validation_accuracy") == [(0, 50.0), (2, 87.5)]


def test_a_step_that_is_measured_again_has_one_point() -> None:
    again: list[dict[str, float]] = [*LOG, {"eval_loss": 0.04, "step": 2}]
    assert points_of(curves_of("minilm", again), "validation_loss") == [(0, 0.2), (2, 0.04)]


def test_the_same_curves_are_the_same_picture(outcome: TrainingOutcome) -> None:
    picture = plot_curves(outcome.curves)
    assert picture.startswith(b"\x89PNG")
    assert picture == plot_curves(outcome.curves)
    assert b"Software" not in picture
    assert b"tIME" not in picture


def test_a_run_without_validation_is_plotted(outcome: TrainingOutcome) -> None:
    losses = [point for point in outcome.curves if point.metric == "train_loss"]
    assert plot_curves(losses).startswith(b"\x89PNG")


def test_the_card_says_what_it_is_and_how_it_is_loaded(outcome: TrainingOutcome) -> None:
    card = card_of(outcome)
    for part in (
        "base_model: sentence-transformers/all-MiniLM-L6-v2",
        'PeftModel.from_pretrained(model.transformers_model, "adapter-lines")',
        'revision="abc123"',
        r'prompt="Say \"which\"."',
        "294,912 trainable parameters on 24 modules in 6 layers",
        "| base | `org/model abc123` |",
        "λ(l) = 0 + 1 · l / 5",
        "0, 0.2, 0.4, 0.6, 0.8, 1.",
        "`dataset-fingerprint`",
        outcome.setup.triplets.fingerprint(),
        "24 triplets, 2 steps",
        "| validation_accuracy | 50 % | 87.5 % |",
        "peft 0.21.2, torch 2.13.0",
        r"(query\|key\|value",
    ):
        assert part in card
    assert card == card_of(outcome)


@pytest.mark.parametrize(
    ("prompt", "call", "row"),
    [
        (None, 'model.encode("red banner and torn flag")', "| instruction | none |"),
        # It takes the place of the model's own.
        ("", 'model.encode("red banner and torn flag", prompt="")', "| instruction | empty |"),
    ],
)
def test_an_empty_instruction_is_not_none(
    outcome: TrainingOutcome, prompt: str | None, call: str, row: str
) -> None:
    card = card_of(replace(outcome, prompt=prompt))
    assert call in card
    assert row in card


def test_a_folder_goes_by_its_own_name(outcome: TrainingOutcome) -> None:
    made = replace(recipe(), model="/here/mine", published="mine")
    setup = replace(outcome.setup, recipe=made, source=ModelSource("/here/mine", None, "folder 12"))
    local = replace(outcome, setup=setup)
    assert 'SentenceTransformer("mine")  # the folder, wherever it is now' in card_of(local)
    assert "/here" not in card_of(local)
    assert "/here" not in json.dumps(local.to_json())


def test_the_record_is_plain_json(outcome: TrainingOutcome) -> None:
    record = json.loads(json.dumps(outcome.to_json()))
    assert record["recipe"]["layer_pattern"] == outcome.setup.recipe.layer_pattern
    assert record["lines_scales"][-1] == 1
    assert record["train_triplets"] == 24


def test_what_decides_on_the_adapter_is_in_the_fingerprint(outcome: TrainingOutcome) -> None:
    setup = outcome.setup
    mine = setup.fingerprint()
    assert replace(setup, device="cpu:0").fingerprint() == mine
    assert replace(setup, precision="fp32").fingerprint() != mine
    assert replace(setup, device="cuda").fingerprint() != mine
    assert replace(setup, triplets=some_triplets(26)).fingerprint() != mine
