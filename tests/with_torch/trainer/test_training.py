"""Whole runs of a tiny model: what they leave, and that stopping them changes nothing."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from safetensors.torch import load_file, save

from artifacts.errors import StoreError, TrainingError
from artifacts.model_source import locate
from tests.trainer.builds import some_triplets
from tests.with_torch.trainer.conftest import kept_beside, read_files, train
from trainer.checkpoints import checkpoint_folder, newest_checkpoint
from trainer.curves import points_of
from trainer.outcome import Progress, Setup, TrainingOutcome
from trainer.recipe import Recipe
from trainer.triplets import Triplets

TRIPLETS = some_triplets()
STEPS = 6
FILES = {
    "README.md",
    "adapter/adapter_config.json",
    "adapter/adapter_model.safetensors",
    "adapter-lines/adapter_config.json",
    "adapter-lines/adapter_model.safetensors",
    "curves.png",
    "recipe.json",
}

#: Trains in a process of its own, until it is killed.
_SCRIPT = """
import json, sys, time
from pathlib import Path
from tests.trainer.builds import some_triplets
from trainer.recipe import Recipe
from tests.with_torch.trainer.conftest import train

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


def go_on(
    folder: Path, recipe: Recipe, triplets: Triplets = TRIPLETS
) -> tuple[TrainingOutcome, list[int]]:
    """Return what a run came to, and the steps that it made for that."""
    made: list[int] = []
    outcome = train(folder, recipe, triplets, lambda step, steps, loss: made.append(step))
    return outcome, made


def test_a_run_leaves_its_files_and_no_checkpoint(tiny: Recipe, tmp_path: Path) -> None:
    outcome = train(tmp_path, tiny, TRIPLETS)
    assert set(read_files(tmp_path)) == FILES
    assert (outcome.steps, outcome.layers, outcome.modules) == (STEPS, 3, 9)
    assert list(outcome.scales) == [0, 0.5, 1]
    assert outcome.trainable_parameters == 9 * 2 * 32 * 4
    record = json.loads((tmp_path / "recipe.json").read_text())
    assert record["trainable_parameters"] == outcome.trainable_parameters
    assert record["triplets"] == TRIPLETS.fingerprint()


def test_the_curves_begin_before_training_and_end_after_it(tiny: Recipe, tmp_path: Path) -> None:
    curves = train(tmp_path, replace(tiny, validation_steps=4), TRIPLETS).curves
    assert [step for step, _ in points_of(curves, "train_loss")] == [1, 2, 3, 4, 5, 6]
    for metric in ("validation_loss", "validation_accuracy"):
        assert [step for step, _ in points_of(curves, metric)] == [0, 4, 6]
    assert [point.epoch for point in curves if point.step == STEPS] == [1, 1, 1]


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
    resumed, made = go_on(tmp_path / "cut", recipe)
    assert made == list(range(last + 1, STEPS * recipe.epochs + 1))
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
    resumed, made = go_on(tmp_path / "cut", recipe)
    assert made in ([4, 5, 6], [5, 6])
    assert resumed.curves == whole.curves
    assert read_files(tmp_path / "cut") == read_files(tmp_path / "whole")


def test_a_checkpoint_cut_short_is_not_taken_up(tiny: Recipe, tmp_path: Path) -> None:
    whole = train(tmp_path / "whole", tiny, TRIPLETS)
    cut = tmp_path / "cut"
    with pytest.raises(TrainingError, match="goes on from step 4"):
        train(cut, tiny, TRIPLETS, interrupt_at(5))
    mine = Setup(tiny, locate(tiny.model, None), TRIPLETS, "cpu", "fp32").fingerprint()
    newest = newest_checkpoint(checkpoint_folder(kept_beside(cut), mine))
    assert newest is not None
    (newest.path / "optimizer.pt").write_bytes(b"")
    resumed, made = go_on(cut, tiny)
    assert made == [3, 4, 5, 6]
    assert resumed.curves == whole.curves


def test_another_model_in_the_same_folder_begins_anew(tiny: Recipe, tmp_path: Path) -> None:
    moving = Path(shutil.copytree(tiny.model, tmp_path / "model"))
    recipe = replace(tiny, model=str(moving))
    with pytest.raises(TrainingError, match="goes on from step 4"):
        train(tmp_path / "run", recipe, TRIPLETS, interrupt_at(5))
    (moving / "model.safetensors").write_bytes(saved_with(tiny.model, scale=1.5))
    assert go_on(tmp_path / "run", recipe)[1] == [1, 2, 3, 4, 5, 6]


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
        assert go_on(folder, recipe, triplets)[1][0] == 1


def test_lines_may_change_between_a_run_and_the_one_that_goes_on(
    tiny: Recipe, tmp_path: Path
) -> None:
    with pytest.raises(TrainingError, match="goes on from step 4"):
        train(tmp_path, tiny, TRIPLETS, interrupt_at(5))
    outcome, made = go_on(tmp_path, replace(tiny, lines_alpha=0.5, lines_beta=0.5))
    assert made == [5, 6]
    assert list(outcome.scales) == [0.5, 0.75, 1]


def test_a_run_without_validation_has_a_loss_alone(tiny: Recipe, tmp_path: Path) -> None:
    outcome = train(tmp_path, replace(tiny, validation_triplets=0), some_triplets(24, 0))
    assert {point.metric for point in outcome.curves} == {"train_loss"}


def test_a_loss_that_is_no_number_stops_it(tiny: Recipe, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"the loss of step \d is nan: .* lower learning_rate"):
        train(tmp_path, replace(tiny, learning_rate=1e30), TRIPLETS)


@pytest.mark.parametrize(
    ("validation", "message"),
    [
        (8, "the validation loss of step 1 is nan: .* lower"),
        (0, "the last step diverged: .* lower"),
    ],
)
def test_a_last_step_that_diverges_is_not_published(
    tiny: Recipe, tmp_path: Path, validation: int, message: str
) -> None:
    """Its own loss is of the weights before it; afterwards they are 1e30, and finite."""
    once = replace(tiny, learning_rate=1e30, batch_size=24, validation_triplets=validation)
    for _ in range(2):
        with pytest.raises(TrainingError, match=message):
            train(tmp_path, once, some_triplets(24, validation))
        assert not (tmp_path / "adapter").exists()


@pytest.fixture
def _small_files() -> Iterator[None]:
    """No file may grow beyond so many bytes, less than the optimizer's state takes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("_small_files")
def test_a_disk_that_fills_while_the_optimizer_is_written_is_said(
    tiny: Recipe, tmp_path: Path
) -> None:
    with pytest.raises(StoreError, match=r"cannot write the checkpoint of step 2 to .*see to the"):
        train(tmp_path, replace(tiny, rank=16), TRIPLETS)


def test_the_instruction_goes_before_every_text(tiny: Recipe, tmp_path: Path) -> None:
    for name, instruction in (("plain", None), ("told", "red kite")):
        train(tmp_path / name, replace(tiny, instruction=instruction), TRIPLETS)
    plain, told = (read_files(tmp_path / name) for name in ("plain", "told"))
    weights = "adapter/adapter_model.safetensors"
    assert plain[weights] != told[weights]
    assert b'prompt="red kite"' in told["README.md"]
