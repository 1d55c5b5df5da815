"""What an embedder's vectors depend on besides its input, as text and checksums.

Knows files and tensors; not which of them a model reads.
"""

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from artifacts.files import sha256_of, sha256_of_file

if TYPE_CHECKING:
    from torch.nn import Module

#: What an adapter's configuration says of where it was made rather than of what it does.
_CIRCUMSTANCES = ("base_model_name_or_path", "revision", "auto_mapping", "peft_version")


def identity_of(**parts: object) -> str:
    """Return what the vectors depend on as one line; a part that is None is left out."""
    return json.dumps(
        {name: part for name, part in parts.items() if part is not None},
        sort_keys=True,
        ensure_ascii=False,
    )


def adapter_checksum(folder: Path) -> str:
    """Return a checksum of an adapter: its weights, and what its configuration says they do."""
    config = json.loads((folder / "adapter_config.json").read_text(encoding="utf-8"))
    kept = {name: value for name, value in config.items() if name not in _CIRCUMSTANCES}
    weights = sha256_of_file(folder / "adapter_model.safetensors")
    return sha256_of(f"{weights} {json.dumps(kept, sort_keys=True)}".encode())


def weights_checksum(model: "Module") -> str:
    """Return a checksum of the weights of a torch module as they are in memory."""
    import torch

    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    return digest.hexdigest()
