"""How precisely a run computes, and on how many threads: what was asked for, and what is there.

Asks torch and guesses nothing. Knows nothing of models.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from artifacts.errors import TrainingError

Precision = Literal["bf16", "fp32"]


def resolve_precision(asked: Literal["auto", "bf16", "fp32"], device: str) -> Precision:
    """Return what to compute in on `device`: for auto, bf16 where the device has it."""
    if asked == "fp32":
        return "fp32"
    has_it = _has_bf16(device)
    if asked == "auto":
        return "bf16" if has_it else "fp32"
    if not has_it and device != "cpu":
        raise TrainingError(f"precision bf16: {device} doesn't have it; ask for auto or fp32")
    # A CPU without instructions for it computes bf16 all the same, slowly.
    return "bf16"


@contextmanager
def thread_limit(threads: int | None) -> Iterator[None]:
    """Let torch use this many threads on a CPU for as long as the context lasts."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(threads or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _has_bf16(device: str) -> bool:
    import torch

    if device.startswith("cuda"):
        # It asks of the current device, and by itself takes what is computed in fp32 for it, too.
        with torch.cuda.device(device):
            return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    if device != "cpu":
        return False
    asks = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(bool(getattr(torch.cpu, ask, lambda: False)()) for ask in asks)
