"""Pictures of scenes: a folder whose files are named by their scene_id.

Knows names and bytes, and never opens a picture.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from artifacts.errors import EmbeddingError, StoreError
from artifacts.files import sha256_of_file
from evaluation.embedders.embedder import ImageInput

#: What a picture's name may end with.
SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp"})

#: By scene_id.
Pictures = Mapping[str, ImageInput]


def find_pictures(folder: Path) -> Pictures:
    """Return the pictures in `folder`; whether there are scenes of such names is not known here.

    Raises StoreError where there is no folder, or no picture in it, and EmbeddingError where two
    have one name.
    """
    if not folder.is_dir():
        raise StoreError(f"{folder}: expected a folder of pictures, found none; check the path")
    found: dict[str, ImageInput] = {}
    for path in _pictures_in(folder):
        if path.stem in found:
            other = found[path.stem].path.name
            raise EmbeddingError(
                f"{folder}: expected one picture of a scene, found {other} and {path.name}; "
                "remove one"
            )
        found[path.stem] = ImageInput(path.stem, path, sha256_of_file(path))
    if not found:
        raise StoreError(
            f"{folder}: expected pictures named SCENE_ID and {', '.join(sorted(SUFFIXES))}, "
            "found none"
        )
    return found


def _pictures_in(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() in SUFFIXES:
            yield path
