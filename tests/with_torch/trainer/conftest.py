"""A tiny BERT to train, and recipes for it."""

from pathlib import Path

import pytest

from tests.trainer.builds import recipe
from tests.with_torch.trainer.tiny import LAYERS, TARGETS, save_bert
from trainer import training
from trainer.outcome import Progress, TrainingOutcome
from trainer.recipe import Recipe
from trainer.training import ignore_progress
from trainer.triplets import Triplets


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A sentence-transformers model of three layers."""
    return save_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture
def tiny(bert: str) -> Recipe:
    """Six steps of four triplets, validated and kept every two."""
    return recipe(
        preset="custom",
        model=bert,
        target_modules=TARGETS,
        layer_pattern=LAYERS,
        # So that a resumed run must have the random state of one that never stopped.
        dropout=0.1,
        learning_rate=1e-2,
        margin=0.2,
        batch_size=4,
        device="cpu",
        precision="fp32",
        threads=1,
        validation_triplets=8,
        validation_steps=2,
        checkpoint_steps=2,
    )


def kept_beside(folder: Path) -> Path:
    """Return where the run in `folder` has its checkpoints."""
    return folder.with_name(f"{folder.name}.checkpoints")


def train(
    folder: Path, recipe: Recipe, triplets: Triplets, progress: Progress = ignore_progress
) -> TrainingOutcome:
    """Train in `folder`, with checkpoints beside it."""
    return training.train(folder, kept_beside(folder), recipe, triplets, progress)


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the content of every file in `folder` by its name below it."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
