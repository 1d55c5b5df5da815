"""What lies on this disk under a model's name: a change of it makes other vectors.

Knows files; a name that is none here is left to the model's loader.
"""

from pathlib import Path

from artifacts.files import sha256_of_file
from artifacts.model_source import folder_checksum, is_model_folder


def local_checksum(name: str) -> str | None:
    """Return a checksum of the file or folder called `name`; None where there is none."""
    place = Path(name)
    try:
        if place.is_dir():
            return folder_checksum(place) if is_model_folder(place) else None
        return sha256_of_file(place) if place.is_file() else None
    except OSError:
        # No name of a file at all: too long, or with characters that none has.
        return None
