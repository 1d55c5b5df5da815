"""The embedder that gets the adapters, loaded with sentence-transformers.

Knows names, weights, modes and prompts; not what is trained on it.
"""

from typing import TYPE_CHECKING

from artifacts.errors import ModelError
from artifacts.model_source import ModelSource, load
from trainer.devices import Precision
from trainer.recipe import Recipe

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from torch.nn import Module
    from transformers import PreTrainedModel

#: What PEFT calls the dropout of an adapter, within a module's name.
_ADAPTERS_OWN = ".lora_dropout."


def load_model(source: ModelSource, device: str, precision: Precision) -> "SentenceTransformer":
    """Return the sentence-transformers model that `source` says, on `device`.

    In bf16 the weights are as they are stored, since autocast does the rest; in fp32 all are that.
    Raises ModelMissingError if the weights can't be read.
    """
    import torch

    return load(source, device, "auto" if precision == "bf16" else torch.float32)


def freeze(model: "SentenceTransformer") -> None:
    """Let training leave the weights of `model` as they are."""
    for parameter in model.parameters():
        parameter.requires_grad_(False)


def drop_in_adapters_alone(model: "Module") -> None:
    """Put `model` in evaluation mode, and nothing but the dropout of its adapters in training's.

    The texts of a triplet differ by two words, and each would be dropped out anew. With MiniLM's
    own 10 % on, 3,200 triplets came to 85 % on SABER's texts; with it off, and all else the same,
    to 92 %. By mode, since some models drop out without a module for it: a rate in the
    configuration, used while the module that has it is in training.
    """
    model.eval()
    for name, module in model.named_modules():
        if _ADAPTERS_OWN in f".{name}.":
            module.train()


def transformer_of(model: "SentenceTransformer") -> "PreTrainedModel":
    """Return the transformer in the embedder `model`: what adapters are attached to."""
    transformer = model.transformers_model
    if transformer is None:
        raise ModelError(
            "expected an embedder that has a transformer, found one of "
            f"{', '.join(type(module).__name__ for module in model)}"
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
