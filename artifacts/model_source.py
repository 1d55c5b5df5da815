"""Where a sentence-transformers model comes from: a package, a folder, or a commit on the Hub.

Decided before anything is loaded, for trainer and evaluation alike: a name that cannot be had is
said at once, and what is loaded is what the identity says. Knows no model.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from artifacts.errors import ModelMissingError
from artifacts.files import sha256_of, sha256_of_file
from artifacts.weights import weights_of

#: Files of a model's folder that nothing computed depends on.
_TOLD_ONLY = frozenset({".md"})
#: A folder without one of these is no model's.
_DESCRIBED_BY = ("modules.json", "config.json")


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


def missing(model: str, error: BaseException) -> ModelMissingError:
    """Return the error for a model that can't be loaded, with the reason's first line."""
    reason = next(iter(str(error).splitlines()), type(error).__name__).rstrip(".")
    return ModelMissingError(
        f"expected a sentence-transformers model at {model}, it cannot be loaded: {reason}; "
        "give a folder or a name on the Hub, and a connection or its files in the Hub's cache"
    )


def _full_name(model: str) -> str:
    """Return the name as sentence-transformers completes it."""
    from sentence_transformers.util import ORIGINAL_TRANSFORMER_MODELS

    is_whole = "/" in model or model.lower() in ORIGINAL_TRANSFORMER_MODELS
    return model if is_whole else f"sentence-transformers/{model}"


def _commit(name: str, revision: str | None) -> str:
    import httpx2
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RevisionResolutionError

    try:
        resolved = HfApi().resolve_revision(
            name, revision=revision, cache_dir=os.environ.get("SENTENCE_TRANSFORMERS_HOME")
        )
    # No such name or revision; no name at all; no connection.
    except (OSError, ValueError, httpx2.HTTPError, RevisionResolutionError) as error:
        raise missing(name, error) from error
    return str(resolved.resolved)
