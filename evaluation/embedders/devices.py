"""Where a model runs: its threads, and what runs out there.

Knows torch; no model.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from artifacts.errors import EmbeddingError


def use_threads(threads: int | None) -> None:
    """Have torch use so many threads on a CPU, in the whole process; None leaves it as it is."""
    import torch

    if threads is not None:
        torch.set_num_threads(threads)


@contextmanager
def out_of_memory_told(name: str, batch_size: int) -> Iterator[None]:
    """Convert what torch raises where a batch doesn't fit the device."""
    import torch

    try:
        yield
    except torch.OutOfMemoryError as error:
        raise EmbeddingError(
            f"{name} ran out of the device's memory at {batch_size} inputs at a time: "
            f"{str(error).splitlines()[0]}; lower batch_size"
        ) from error
