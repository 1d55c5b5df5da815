"""The embedder that gets the adapters, loaded with sentence-transformers.

Knows names, weights and prompts; not what is trained on it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from artifacts.errors import ModelError
from artifacts.model_source import ModelSource, missing
from trainer.devices import Precision
from trainer.recipe import Recipe

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from transformers import PreTrainedModel


def load_model(source: ModelSource, device: str, precision: Precision) -> "SentenceTransformer":
    """Return the sentence-transformers model that `source` says, on `device`.

    In bf16 the weights are as they are stored, since autocast does the rest; in fp32 all are that.
    Raises ModelMissingError if the weights can't be read.
    """
    import torch
    from sentence_transformers import SentenceTransformer

    dtype = "auto" if precision == "bf16" else torch.float32
    try:
        with _no_progress_bars():
            return SentenceTransformer(
                source.location,
                revision=source.commit,
                device=device,
                model_kwargs={"dtype": dtype},
            )
    except (OSError, ValueError) as error:
        raise missing(source.location, error) from error


def freeze(model: "SentenceTransformer") -> None:
    """Let training leave `model` as it is: none of its weights is trained, nothing is dropped out.

    The texts of a triplet differ by two words, and each would be dropped out anew. With MiniLM's
    own 10 % on, 3,200 triplets came to 85 % on SABER's texts; with it off, and all else the same,
    to 92 %.
    """
    from torch.nn import Dropout

    for parameter in model.parameters():
        parameter.requires_grad_(False)
    for module in model.modules():
        if isinstance(module, Dropout):
            module.p = 0


def transformer_of(model: "SentenceTransformer") -> "PreTrainedModel":
    """Return the transformer in the embedder `model`: what adapters are attached to."""
    transformer = model.transformers_model
    if transformer is None:
        raise ModelError(
            "expected an embedder that has a transformer, found "
            f"{type(transformer or model).__name__}"
        )
    return transformer


def prompt_of(model: "SentenceTransformer", recipe: Recipe) -> str | None:
    """Return what is put before every text: the recipe's, else the model's default; None if none.

    Training doesn't apply a model's default prompt by itself, unlike embedding.
    """
    if recipe.instruction is not None:
        return recipe.instruction
    name = model.default_prompt_name
    return None if name is None else str(model.prompts[name])


@contextmanager
def _no_progress_bars() -> Iterator[None]:
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
