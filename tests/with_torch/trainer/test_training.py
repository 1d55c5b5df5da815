"""Whole runs of a tiny model: what they leave, and that stopping them changes nothing."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save

from artifacts.errors import TrainingError
from artifacts.model_source import locate
from tests.trainer.builds import some_triplets
from tests.with_torch.trainer.conftest import read_files
from trainer.backbone import freeze, load_model, transformer_of
from trainer.checkpoints import FOLDER, checkpoint_folder, newest_checkpoint
from trainer.curves import points_of
from trainer.lora import attach_lora
from trainer.outcome import Progress, Setup
from trainer.recipe import Recipe
from trainer.training import RUN_FILES, train

TRIPLETS = some_triplets()
STEPS = 6

#: Trains in a process of its own, until it is killed.
_SCRIPT = """
import json, sys, time
from pathlib import Path
from tests.trainer.builds import some_triplets
from trainer.recipe import Recipe
from trainer.training import train

def slowly(step, steps, loss):
    print(step, flush=True)
    time.sleep(0.2)

train(Path(sys.argv[1]), Recipe(**json.loads(sys.argv[2])), some_triplets(), slowly)
"""


def interrupt_at(step: int) -> Progress:
    def stop(now: int, steps: int, loss: float) -> None:
        if now == step:
            raise KeyboardInterrupt

    return stop


def test_a_run_leaves_its_files_and_no_checkpoint(tiny: Recipe, tmp_path: Path) -> None:
    outcome = train(tmp_path, tiny, TRIPLETS)
    assert sorted(read_files(tmp_path)) == sorted(outcome.files) == sorted(RUN_FILES)
    assert (outcome.steps, outcome.layers, outcome.modules) == (STEPS, 3, 9)
    assert list(outcome.scales) == [0, 0.5, 1]
    assert outcome.trainable_parameters == 9 * 2 * 32 * 4
    assert outcome.resumed_from is None
    record = json.loads((tmp_path / "recipe.json").read_text())
    assert record["trainable_parameters"] == outcome.trainable_parameters
    assert record["triplets"] == TRIPLETS.fingerprint()


def test_the_curves_begin_before_training_and_end_after_it(tiny: Recipe, tmp_path: Path) -> None:
    curves = train(tmp_path, replace(tiny, validation_steps=4), TRIPLETS).curves
    assert [step for step, _ in points_of(curves, "train_loss")] == [1, 2, 3, 4, 5, 6]
    for metric in ("validation_loss", "validation_accuracy"):
        assert [step for step, _ in points_of(curves, metric)] == [0, 4, 6]
    assert [point.epoch for point in curves if point.step == STEPS] == [1, 1, 1]


def test_a_model_s_own_dropout_is_off_and_the_adapters_is_not(tiny: Recipe) -> None:
    model = load_model(locate(tiny.model, None), "cpu", "fp32")
    freeze(model)
    attach_lora(transformer_of(model), tiny)
    rates = {
        "lora_dropout" in name: module.p
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.Dropout)
    }
    assert rates == {True: 0.1, False: 0}


def test_it_learns(tiny: Recipe, tmp_path: Path) -> None:
    easy = tuple(row._replace(negative="In the sun stand the bell.") for row in TRIPLETS.train)
    triplets = replace(TRIPLETS, train=easy)
    curves = train(tmp_path, replace(tiny, epochs=5), triplets).curves
    losses = [loss for _, loss in points_of(curves, "train_loss")]
    assert sum(losses[-STEPS:]) < sum(losses[:STEPS]) / 2


def test_progress_is_told_each_step(tiny: Recipe, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    train(tmp_path, tiny, TRIPLETS, lambda step, steps, loss: told.append((step, steps)))
    assert told == [(step, STEPS) for step in range(1, STEPS + 1)]


def test_the_same_seed_and_data_give_the_same_bytes(tiny: Recipe, tmp_path: Path) -> None:
    for name in ("one", "two"):
        train(tmp_path / name, tiny, TRIPLETS)
    train(tmp_path / "other", replace(tiny, seed=1), TRIPLETS)
    one, two, other = (read_files(tmp_path / name) for name in ("one", "two", "other"))
    assert one == two
    assert one["adapter/adapter_model.safetensors"] != other["adapter/adapter_model.safetensors"]


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("step", [1, 2, 3, 5, 6])
def test_interrupted_and_resumed_equals_uninterrupted(
    tiny: Recipe, tmp_path: Path, step: int, precision: str
) -> None:
    recipe = replace(tiny, epochs=1 if step < STEPS else 2, precision=precision)  # type: ignore[arg-type]
    whole = train(tmp_path / "whole", recipe, TRIPLETS)
    last = step // 2 * 2 if step % 2 else step - 2
    where = f"goes on from step {last}" if last else "starts over"
    with pytest.raises(TrainingError, match=f"was interrupted; the same command {where}"):
        train(tmp_path / "cut", recipe, TRIPLETS, interrupt_at(step))
    resumed = train(tmp_path / "cut", recipe, TRIPLETS)
    assert resumed.resumed_from == (last or None)
    assert resumed.curves == whole.curves
    assert read_files(tmp_path / "cut") == read_files(tmp_path / "whole")


def test_killed_at_any_moment_and_resumed_equals_uninterrupted(
    tiny: Recipe, tmp_path: Path
) -> None:
    recipe = replace(tiny, checkpoint_steps=1)
    whole = train(tmp_path / "whole", recipe, TRIPLETS)
    command = [sys.executable, "-c", _SCRIPT, str(tmp_path / "cut"), json.dumps(asdict(recipe))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as process:
        assert process.stdout is not None
        while process.stdout.readline().strip() != "4":
            assert process.poll() is None
        time.sleep(0.1)
        process.send_signal(signal.SIGKILL)
    resumed = train(tmp_path / "cut", recipe, TRIPLETS)
    assert resumed.resumed_from in (3, 4)
    assert resumed.curves == whole.curves
    assert read_files(tmp_path / "cut") == read_files(tmp_path / "whole")


def test_a_checkpoint_cut_short_is_not_taken_up(tiny: Recipe, tmp_path: Path) -> None:
    whole = train(tmp_path / "whole", tiny, TRIPLETS)
    cut = tmp_path / "cut"
    with pytest.raises(TrainingError, match="goes on from step 4"):
        train(cut, tiny, TRIPLETS, interrupt_at(5))
    mine = Setup(tiny, locate(tiny.model, None), TRIPLETS, "cpu", "fp32").fingerprint()
    newest = newest_checkpoint(checkpoint_folder(cut, mine))
    assert newest is not None
    (newest.path / "optimizer.pt").write_bytes(b"")
    resumed = train(cut, tiny, TRIPLETS)
    assert resumed.resumed_from == 2
    assert resumed.curves == whole.curves


def test_another_model_in_the_same_folder_begins_anew(tiny: Recipe, tmp_path: Path) -> None:
    moving = Path(shutil.copytree(tiny.model, tmp_path / "model"))
    recipe = replace(tiny, model=str(moving))
    with pytest.raises(TrainingError, match="goes on from step 4"):
        train(tmp_path / "run", recipe, TRIPLETS, interrupt_at(5))
    (moving / "model.safetensors").write_bytes(saved_with(tiny.model, scale=1.5))
    assert train(tmp_path / "run", recipe, TRIPLETS).resumed_from is None


def saved_with(model: str, scale: float) -> bytes:
    """Return the weights of a saved model, each `scale` times what it was, as a file holds them."""
    weights = load_file(Path(model) / "model.safetensors")
    scaled = {name: weight * scale for name, weight in weights.items()}
    return bytes(save(scaled, metadata={"format": "pt"}))


def test_another_recipe_or_other_data_begin_anew(tiny: Recipe, tmp_path: Path) -> None:
    for recipe, triplets in ((replace(tiny, seed=3), TRIPLETS), (tiny, some_triplets(26))):
        folder = tmp_path / str(recipe.seed)
        with pytest.raises(TrainingError, match="goes on from step 4"):
            train(folder, tiny, TRIPLETS, interrupt_at(5))
        assert train(folder, recipe, triplets).resumed_from is None
        assert not (folder / FOLDER).exists()


def test_lines_may_change_between_a_run_and_the_one_that_goes_on(
    tiny: Recipe, tmp_path: Path
) -> None:
    with pytest.raises(TrainingError, match="goes on from step 4"):
        train(tmp_path, tiny, TRIPLETS, interrupt_at(5))
    outcome = train(tmp_path, replace(tiny, lines_alpha=0.5, lines_beta=0.5), TRIPLETS)
    assert outcome.resumed_from == 4
    assert list(outcome.scales) == [0.5, 0.75, 1]


def test_a_run_without_validation_has_a_loss_alone(tiny: Recipe, tmp_path: Path) -> None:
    outcome = train(tmp_path, replace(tiny, validation_triplets=0), some_triplets(24, 0))
    assert {point.metric for point in outcome.curves} == {"train_loss"}


def test_a_loss_that_is_no_number_stops_it(tiny: Recipe, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"the loss of step \d is nan: .* lower learning_rate"):
        train(tmp_path, replace(tiny, learning_rate=1e30), TRIPLETS)


def test_the_instruction_goes_before_every_text(tiny: Recipe, tmp_path: Path) -> None:
    for name, instruction in (("plain", None), ("told", "red kite")):
        train(tmp_path / name, replace(tiny, instruction=instruction), TRIPLETS)
    plain, told = (read_files(tmp_path / name) for name in ("plain", "told"))
    weights = "adapter/adapter_model.safetensors"
    assert plain[weights] != told[weights]
    assert b'prompt="red kite"' in told["README.md"]
