"""Models small enough for a test, with random weights: they embed, but mean nothing."""

import json
import shutil
import warnings
from pathlib import Path
from typing import Any

from PIL import Image

from artifacts.files import sha256_of_file
from artifacts.weights import weights_of
from evaluation.embedders.embedder import ImageInput


def pictures(folder: Path, *colors: str, side: int = 40) -> list[ImageInput]:
    """Draw a square of each color on gray."""
    inputs = []
    for number, color in enumerate(colors):
        path = folder / f"scene-{number}.png"
        picture = Image.new("RGB", (side, side), "gray")
        picture.paste(color, (side // 4, side // 4, side // 2, side // 2))
        picture.save(path)
        inputs.append(ImageInput(f"scene-{number}", path, sha256_of_file(path)))
    return inputs


def copy_of_minilm(folder: Path) -> Path:
    shutil.copytree(weights_of("minilm"), folder)
    return folder


def in_hub_cache(cache: Path, repository: str, commit: str) -> None:
    """Put MiniLM where huggingface_hub keeps what it downloaded."""
    home = cache / f"models--{repository.replace('/', '--')}"
    (home / "snapshots").mkdir(parents=True)
    copy_of_minilm(home / "snapshots" / commit)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(commit)


def tiny_clip(folder: Path) -> Path:
    """Save a CLIP model of transformers, for sentence-transformers to load."""
    import torch
    from transformers import AutoTokenizer, CLIPConfig, CLIPModel, CLIPProcessor
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    tokenizer = AutoTokenizer.from_pretrained(weights_of("minilm"))
    tokenizer.model_max_length = 77
    layers: dict[str, Any] = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "projection_dim": 16,
    }
    words = {"vocab_size": len(tokenizer), "eos_token_id": 102, "pad_token_id": 0}
    config = CLIPConfig(
        text_config={**layers, **words, "bos_token_id": 101},
        vision_config={**layers, "image_size": 32, "patch_size": 8},
        projection_dim=16,
    )
    torch.manual_seed(0)
    CLIPModel(config).save_pretrained(folder)
    pixels = CLIPImageProcessorPil(
        size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
    )
    CLIPProcessor(image_processor=pixels, tokenizer=tokenizer).save_pretrained(folder)
    return folder


def adapter_on_minilm(folder: Path, seed: int = 0) -> Any:
    """Save an adapter as PEFT does; returns the model that it is on, to compare with."""
    import torch
    from peft import LoraConfig, get_peft_model
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(weights_of("minilm"), device="cpu")
    target = r".*layer\.\d+\.attention\.self\.(query|value)"
    config = LoraConfig(r=4, lora_alpha=4, target_modules=target)
    with warnings.catch_warnings():
        # PEFT reads a name that transformers has renamed.
        warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)
        adapted = get_peft_model(model.transformers_model, config)
    torch.manual_seed(seed)
    for name, parameter in adapted.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.1)
    adapted.save_pretrained(folder)
    return model.eval()


def change_config(folder: Path, **changes: object) -> None:
    file = folder / "adapter_config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))
