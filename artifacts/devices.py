"""The device that a model runs on: what the settings ask for, held against what torch finds.

Imports torch only when it is asked. Knows no model.
"""

from artifacts.errors import SettingsError


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


def _missing(asked: str, found: str) -> str:
    return (
        f"device {asked} was asked for, torch finds {found}; see to the driver and to the build of "
        "torch, or ask for auto"
    )
