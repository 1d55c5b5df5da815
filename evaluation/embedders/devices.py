"""Where a model runs: the device that the settings name, its threads, and what runs out there.

Knows torch; no model.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from artifacts.errors import EmbeddingError, SettingsError


def device_of(asked: str) -> str:
    """Return the device to use: the best there is for `auto`, or the one asked for.

    Raises SettingsError where it isn't there: a run on a CPU instead could take days.
    """
    import torch

    kind, colon, number = asked.partition(":")
    has_mps = torch.backends.mps.is_available()
    if asked == "auto":
        return "cuda" if torch.cuda.is_available() else "mps" if has_mps else "cpu"
    if kind not in ("cpu", "cuda", "mps") or (colon and not number.isdecimal()):
        raise SettingsError(f"device is auto, cpu, cuda, cuda:1 or mps, found {asked!r}")
    if kind == "cuda" and int(number or 0) >= torch.cuda.device_count():
        raise SettingsError(_missing(asked, f"{torch.cuda.device_count()} CUDA devices"))
    if kind == "mps" and not has_mps:
        raise SettingsError(_missing(asked, "no Metal device"))
    return asked


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


def _missing(asked: str, found: str) -> str:
    return (
        f"device {asked} was asked for, torch finds {found}; see to the driver and to the build of "
        "torch, or ask for auto"
    )
