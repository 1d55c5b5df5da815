"""Where a sentence-transformers model comes from, and how it is loaded from there.

A package, a folder, or a commit on the Hub. Decided before anything is loaded, for trainer and
evaluation alike: a name that cannot be had, or a package that it needs, is said at once, and what
is loaded is what the identity says. Knows no model.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from artifacts.errors import ModelMissingError
from artifacts.files import sha256_of, sha256_of_file
from artifacts.weights import remedy_of, require_packages, weights_of

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

#: Files of a model's folder that nothing computed depends on.
_TOLD_ONLY = frozenset({".md"})
#: A folder without one of these is no model's.
_DESCRIBED_BY = ("modules.json", "config.json")
#: What a processor that reads videos, too, is made with: without it transformers makes none.
_VIDEO = "torchvision"


@dataclass(frozen=True, slots=True)
class ModelSource:
    """What to load, and as what it is known."""

    #: A folder, or a name on the Hub.
    location: str
    #: On the Hub; None for a folder.
    commit: str | None
    #: The commit, or a checksum of the folder: where it lies, and whether it moved, is nothing.
    identity: str


def locate(model: str, revision: str | None) -> ModelSource:
    """Return where `model` is: a packaged name, a folder or a name on the Hub.

    Raises ModelMissingError where the Hub doesn't have it, or can't be asked and nothing was
    downloaded before, and for a folder that isn't a model's.
    """
    location = weights_of(model)
    if Path(location).is_dir():
        if not is_model_folder(Path(location)):
            raise missing(model, FileNotFoundError(f"no {' or '.join(_DESCRIBED_BY)} in it"))
        return ModelSource(location, None, f"folder {folder_checksum(Path(location))}")
    name = _full_name(model)
    commit = _commit(name, revision)
    return ModelSource(name, commit, f"{name} {commit}")


def is_model_folder(folder: Path) -> bool:
    """Whether a model was saved to `folder`: others may hold a whole disk, and aren't read."""
    return any((folder / name).is_file() for name in _DESCRIBED_BY)


def folder_checksum(folder: Path) -> str:
    """Return a checksum of the names and contents of the files below a model's folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    names = [(path, path.relative_to(folder)) for path in files]
    lines = [
        f"{name.as_posix()} {sha256_of_file(path)}"
        for path, name in names
        if path.suffix not in _TOLD_ONLY and not any(part.startswith(".") for part in name.parts)
    ]
    return sha256_of("\n".join(lines).encode())


def load(
    source: ModelSource, device: str, dtype: "str | torch.dtype" = "auto"
) -> "SentenceTransformer":
    """Return the model that `source` says, on `device`; its weights as stored unless `dtype` says.

    Raises ModelMissingError where it can't be loaded: a file that isn't there, or isn't a model's;
    weights that are damaged, or another model's; a package that it needs.
    """
    from safetensors import SafetensorError

    _require_packages_of(source)
    try:
        # Importing it imports torchvision, if that is installed, which may be for another torch.
        from sentence_transformers import SentenceTransformer

        with _no_progress_bars():
            return SentenceTransformer(
                source.location,
                device=device,
                revision=source.commit,
                model_kwargs={"dtype": dtype},
            )
    except (OSError, ValueError, ImportError, KeyError, RuntimeError, SafetensorError) as error:
        raise missing(source.location, error) from error


def missing(model: str, error: BaseException) -> ModelMissingError:
    """Return the error for a model that can't be loaded, with the reason's first line."""
    root = _first_of(error)
    reason = next(iter(str(root).strip().splitlines()), type(root).__name__).rstrip(".")
    remedy = "give a folder or a name on the Hub, and a connection or its files in the Hub's cache"
    if _VIDEO in str(root).lower():
        remedy = remedy_of(_VIDEO)
    elif isinstance(root, ImportError):
        remedy = "install what it needs"
    return ModelMissingError(
        f"expected a sentence-transformers model at {model}, it cannot be loaded: {reason}; "
        f"{remedy}"
    )


def _full_name(model: str) -> str:
    """Return the name as sentence-transformers completes it."""
    if "/" in model:
        return model
    from sentence_transformers.util import ORIGINAL_TRANSFORMER_MODELS

    is_whole = model.lower() in ORIGINAL_TRANSFORMER_MODELS
    return model if is_whole else f"sentence-transformers/{model}"


def _commit(name: str, revision: str | None) -> str:
    import httpx2
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RevisionResolutionError

    try:
        resolved = HfApi().resolve_revision(name, revision=revision, cache_dir=_cache())
    # No such name or revision; no name at all; no connection.
    except (OSError, ValueError, httpx2.HTTPError, RevisionResolutionError) as error:
        raise missing(name, error) from error
    return str(resolved.resolved)


def _cache() -> str | None:
    """Return where sentence-transformers keeps what it downloads; None: where the Hub does."""
    return os.environ.get("SENTENCE_TRANSFORMERS_HOME")


def _require_packages_of(source: ModelSource) -> None:
    """Raise ModelMissingError where the processor of a model needs a package that isn't there.

    It is loaded last, and would say so after gigabytes of weights.
    """
    beside, within = "video_preprocessor_config.json", "processor_config.json"
    if _described(source, beside) or "video_processor" in _described(source, within):
        require_packages(f"the processor of {source.location}", _VIDEO, _VIDEO)


def _described(source: ModelSource, name: str) -> dict[str, Any]:
    """Return what a model's file `name` says; nothing where it hasn't one, or it can't be read."""
    import httpx2

    try:
        found = json.loads(_file_of(source, name).read_bytes())
    except (OSError, ValueError, httpx2.HTTPError):
        # What a model must have is the loader's to say.
        return {}
    return found if isinstance(found, dict) else {}


def _file_of(source: ModelSource, name: str) -> Path:
    if source.commit is None:
        return Path(source.location) / name
    from huggingface_hub import hf_hub_download

    return Path(hf_hub_download(source.location, name, revision=source.commit, cache_dir=_cache()))


def _first_of(error: BaseException) -> BaseException:
    """Return what `error` was raised from where it only says that an import failed."""
    cause = error.__cause__
    return _first_of(cause) if isinstance(error, ImportError) and cause is not None else error


@contextmanager
def _no_progress_bars() -> Iterator[None]:
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
