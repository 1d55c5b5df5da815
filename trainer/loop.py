"""The training loop: sentence-transformers' own trainer, what it is given, and what it calls back.

The one module that imports the heavy packages on import, since it derives classes from theirs; so
it is imported where training starts and nowhere else. Knows a model with adapters on it; nothing of
builds, files of a run or LiNeS.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.base.sampler import DefaultBatchSampler
from sentence_transformers.sentence_transformer.evaluation import BaseEvaluator
from sentence_transformers.sentence_transformer.losses import TripletDistanceMetric, TripletLoss
from transformers import (
    PrinterCallback,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)

from artifacts.errors import StoreError, TrainingError
from trainer.backbone import drop_in_adapters_alone, prompt_of, transformer_of
from trainer.batches import batch_order
from trainer.checkpoints import Checkpoint, seal_checkpoint
from trainer.lora import load_weights, read_weights, save_adapter
from trainer.outcome import Progress, Setup
from trainer.recipe import Recipe
from trainer.triplets import Triplet

#: Cosines this close are equal: float noise breaks true ties.
_TIE = 1e-6
_TEXTS_AT_A_TIME = 64
_DIVERGED = "lower learning_rate, or set precision to fp32"


@dataclass(frozen=True, slots=True)
class _Job:
    """A setup, and what only the loop needs with it."""

    setup: Setup
    prompt: str | None
    #: Where checkpoints go.
    folder: Path
    progress: Progress


def run_loop(
    model: SentenceTransformer,
    setup: Setup,
    folder: Path,
    begun: Checkpoint | None,
    progress: Progress,
) -> list[dict[str, float]]:
    """Train the adapters on `model`, from `begun` if there is a checkpoint; return the log.

    Raises TrainingError where they diverge, in the last step too.
    """
    job = _Job(setup, prompt_of(model, setup.recipe), folder, progress)
    trainer = _trainer(model, job, fresh=begun is None)
    try:
        trainer.train(resume_from_checkpoint=str(begun.path) if begun else None)
        if trainer.evaluator and trainer.state.global_step % setup.recipe.validation_steps:
            trainer.evaluate()
    except torch.OutOfMemoryError as error:
        raise TrainingError(
            f"{setup.device} has too little memory for batches of {setup.recipe.batch_size} "
            "triplets; set a smaller batch_size"
        ) from error
    _require_finite(model, job)
    return [dict(entry) for entry in trainer.state.log_history]


def _trainer(model: SentenceTransformer, job: _Job, *, fresh: bool) -> "_AdapterTrainer":
    recipe, triplets = job.setup.recipe, job.setup.triplets
    trainer = _AdapterTrainer(
        recipe=recipe,
        model=model,
        args=_arguments(job, fresh=fresh),
        train_dataset=_dataset(triplets.train),
        loss=TripletLoss(model, TripletDistanceMetric.COSINE, recipe.margin),
        evaluator=_Validation(job) if triplets.validation else None,
        callbacks=[_Watch(job)],
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def _arguments(job: _Job, *, fresh: bool) -> SentenceTransformerTrainingArguments:
    setup, recipe = job.setup, job.setup.recipe
    validates = bool(setup.triplets.validation)
    arguments = SentenceTransformerTrainingArguments(
        output_dir=str(job.folder),
        num_train_epochs=recipe.epochs,
        per_device_train_batch_size=recipe.batch_size,
        learning_rate=recipe.learning_rate,
        lr_scheduler_type="constant",
        optim="adamw_torch",
        weight_decay=recipe.weight_decay,
        seed=recipe.seed,
        batch_sampler=_SimilarLengths,
        bf16=setup.precision == "bf16",
        use_cpu=setup.device == "cpu",
        prompts=job.prompt,
        eval_strategy="steps" if validates else "no",
        eval_steps=recipe.validation_steps,
        eval_on_start=validates and fresh,
        save_strategy="steps",
        save_steps=recipe.checkpoint_steps,
        # Each step: what a checkpoint doesn't hold would be missing from a resumed run's curves.
        logging_steps=1,
        logging_nan_inf_filter=False,
        report_to="none",
        push_to_hub=False,
        disable_tqdm=True,
        dataloader_pin_memory=setup.device.startswith("cuda"),
    )
    _pin(arguments, setup.device)
    return arguments


def _pin(arguments: TrainingArguments, device: str) -> None:
    """Keep the trainer to one GPU, the one asked for: by itself it takes all that it sees."""
    if device.startswith("cuda"):
        chosen = torch.device(device if ":" in device else f"{device}:0")
        torch.cuda.set_device(chosen)
        arguments.__dict__["_setup_devices"] = chosen
        arguments._n_gpu = 1


def _dataset(triplets: Sequence[Triplet]) -> Dataset:
    names = ("query", "positive", "negative")
    return Dataset.from_dict(
        {name: [getattr(triplet, name) for triplet in triplets] for name in names}
    )


def _require_finite(model: SentenceTransformer, job: _Job) -> None:
    """Raise TrainingError unless the adapters, and what they make of a triplet, are numbers.

    A step's loss is that of the weights before it, so the last one's result is seen by none.
    """
    weights = read_weights(transformer_of(model)).values()
    vectors = _embedded(model, job, job.setup.triplets.train[0][2:])
    if not all(bool(torch.isfinite(found).all()) for found in (*weights, vectors)):
        raise TrainingError(
            "the last step diverged: expected adapters under which the vectors of a triplet are "
            f"numbers, found others; {_DIVERGED}"
        )


def _embedded(model: SentenceTransformer, job: _Job, texts: Sequence[str]) -> torch.Tensor:
    """Return unit vectors of `texts`, computed as in training."""
    kind = job.setup.device.partition(":")[0]
    with torch.autocast(kind, torch.bfloat16, enabled=job.setup.precision == "bf16"):
        vectors: torch.Tensor = model.encode(
            list(texts),
            prompt=job.prompt,
            batch_size=_TEXTS_AT_A_TIME,
            convert_to_tensor=True,
            normalize_embeddings=True,
            show_progress_bar=False,
        )
    return vectors.float().cpu()


class _SimilarLengths(DefaultBatchSampler):  # type: ignore[misc]
    """Batches of triplets whose captions are about as long."""

    def __init__(self, dataset: Dataset, **given: object) -> None:
        super().__init__(dataset, **given)
        self._lengths = [len(text) for text in dataset["positive"]]

    def __iter__(self) -> Iterator[list[int]]:
        return iter(batch_order(self._lengths, self.batch_size, self.seed, self.epoch))


class _AdapterTrainer(SentenceTransformerTrainer):  # type: ignore[misc]
    """Drops out in adapters alone, keeps nothing else in checkpoints, and writes no card."""

    def __init__(self, *, recipe: Recipe, **given: object) -> None:
        self._recipe = recipe
        super().__init__(**given)

    def add_model_card_callback(self, default_args_dict: Mapping[str, Any]) -> None:
        """Leave it out: it embeds examples, and asks the Hub about the data."""

    def compute_loss(self, model: torch.nn.Module, *args: object, **more: object) -> torch.Tensor:
        """Compute it as the original does, which puts all of `model` in training mode before."""
        drop_in_adapters_alone(model)
        loss: torch.Tensor = super().compute_loss(model, *args, **more)
        return loss

    def _save_checkpoint(self, model: torch.nn.Module, trial: object) -> None:
        try:
            super()._save_checkpoint(model, trial)
        # A disk that fills while torch writes is a RuntimeError.
        except (OSError, RuntimeError) as error:
            reason = next(iter(str(error).splitlines()), type(error).__name__)
            raise StoreError(
                f"cannot write the checkpoint of step {self.state.global_step:,} to "
                f"{self.args.output_dir}: {reason}; see to the disk"
            ) from error

    def _save(self, output_dir: str | None = None, state_dict: object = None) -> None:
        folder = Path(output_dir or self.args.output_dir)
        save_adapter(transformer_of(self.model), self._recipe, folder)

    def _load_from_checkpoint(self, checkpoint_path: str) -> None:
        load_weights(transformer_of(self.model), Path(checkpoint_path))


class _Watch(TrainerCallback):  # type: ignore[misc]
    """Reports progress, refuses a loss that is no number, and seals checkpoints."""

    def __init__(self, job: _Job) -> None:
        self._job = job

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        **more: object,
    ) -> None:
        logged = state.log_history[-1]
        for key, told in (("loss", "loss"), ("eval_loss", "validation loss")):
            if not math.isfinite(logged.get(key, 0)):
                raise TrainingError(
                    f"the {told} of step {state.global_step} is {logged[key]}: expected a number; "
                    f"{_DIVERGED}"
                )
        if "loss" in logged:
            self._job.progress(state.global_step, state.max_steps, logged["loss"])

    def on_save(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        **more: object,
    ) -> None:
        seal_checkpoint(self._job.folder, state.global_step)


class _Validation(BaseEvaluator):  # type: ignore[misc]
    """Loss and accuracy on the validation triplets: each text embedded once."""

    def __init__(self, job: _Job) -> None:
        super().__init__()
        self._job = job
        triplets = job.setup.triplets.validation
        self._texts = list(dict.fromkeys(text for row in triplets for text in row[2:]))
        places = {text: place for place, text in enumerate(self._texts)}
        self._places = torch.tensor([[places[text] for text in row[2:]] for row in triplets])

    def __call__(
        self, model: SentenceTransformer, *args: object, **more: object
    ) -> dict[str, float]:
        vectors = _embedded(model, self._job, self._texts)
        query, positive, negative = vectors[self._places].unbind(1)
        lead = (query * positive).sum(1) - (query * negative).sum(1)
        right = (lead > _TIE).double() + (lead.abs() <= _TIE).double() / 2
        loss = torch.relu(self._job.setup.recipe.margin - lead).mean()
        return {"loss": float(loss), "accuracy": 100 * float(right.mean())}
