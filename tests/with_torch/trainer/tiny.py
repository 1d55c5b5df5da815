"""Tiny embedders of random weights: a BERT, and a Qwen3-VL built from its configuration alone."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from transformers import PreTrainedModel

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".")
SETTING = ("a", "and", "on", "shelf", "stand", "in", "the", "sun")
BOUND = ("red", "green", "blue", "pale", "cube", "kite", "mug", "harp", "bell")
WORDS = (*SPECIAL, *SETTING, *BOUND)

TARGETS = r".*encoder\.layer\.\d+\.attention\.self\.(query|key|value)"
LAYERS = r"encoder\.layer\.(\d+)\."


def save_bert(folder: Path) -> str:
    """Write a sentence-transformers model of three tiny layers to `folder`; return its name."""
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=48,
        max_position_embeddings=64,
    )
    return _save(BertModel(config), folder, "mean")


def save_llama(folder: Path, attention_dropout: float) -> str:
    """Write a model of two tiny layers, which drops out attention without a module for it."""
    import torch
    from transformers import LlamaConfig, LlamaModel

    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=len(WORDS),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=48,
        max_position_embeddings=64,
        attention_dropout=attention_dropout,
    )
    return _save(LlamaModel(config), folder, "mean")


def save_qwen(folder: Path) -> str:
    """Write a sentence-transformers model on `tiny_qwen`, in bf16, for texts; return its name.

    Its processor is but a tokenizer, which sentence-transformers must be told: see `text_only`.
    """
    import torch

    return _save(tiny_qwen().to(torch.bfloat16), folder, "lasttoken")


def text_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sentence-transformers load a tokenizer for the processor, which needs torchvision."""
    from transformers import AutoTokenizer

    monkeypatch.setattr(
        "sentence_transformers.base.modules.transformer.AutoProcessor", AutoTokenizer
    )


def _save(backbone: "PreTrainedModel", folder: Path, pooling: str) -> str:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertTokenizerFast

    backbone.save_pretrained(folder / "backbone")
    words = {word: place for place, word in enumerate(WORDS)}
    BertTokenizerFast(vocab=words).save_pretrained(folder / "backbone")
    transformer = Transformer(str(folder / "backbone"), model_kwargs={"dtype": "auto"})
    modules = [transformer, Pooling(transformer.get_embedding_dimension(), pooling_mode=pooling)]
    SentenceTransformer(modules=modules).save_pretrained(str(folder / "model"))
    return str(folder / "model")


def qwen_on_meta(layers: int, hidden: int, heads: int, intermediate: int) -> "PreTrainedModel":
    """Return a Qwen3-VL of real size without weights: on the meta device it takes no memory."""
    import torch
    from transformers import Qwen3VLConfig, Qwen3VLModel

    config = Qwen3VLConfig(
        text_config={
            "num_hidden_layers": layers,
            "hidden_size": hidden,
            "num_attention_heads": heads,
            "num_key_value_heads": 8,
            "head_dim": 128,
            "intermediate_size": intermediate,
        }
    )
    with torch.device("meta"):
        return Qwen3VLModel(config)


def tiny_qwen(vocab_size: int = 64, **tokens: int) -> "PreTrainedModel":
    """Return a Qwen3-VL of three text layers and two vision blocks, weights random.

    `tokens` are the numbers of those that its configuration knows: `image_token_id` and the like.
    """
    import torch
    from transformers import Qwen3VLConfig, Qwen3VLModel

    torch.manual_seed(1)
    text = {
        "vocab_size": vocab_size,
        "num_hidden_layers": 3,
        "hidden_size": 32,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "intermediate_size": 48,
        "rope_scaling": {"rope_type": "default", "mrope_section": [2, 1, 1], "rope_theta": 1e4},
    }
    vision = {
        "depth": 2,
        "hidden_size": 16,
        "num_heads": 2,
        "intermediate_size": 24,
        "out_hidden_size": 32,
        "num_position_embeddings": 16,
        "deepstack_visual_indexes": [0],
    }
    return Qwen3VLModel(Qwen3VLConfig(text_config=text, vision_config=vision, **tokens))
