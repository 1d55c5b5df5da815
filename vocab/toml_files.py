"""A TOML file read into a model, or one line that says what is wrong with it, and where.

Knows nothing of what the files hold.
"""

import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from vocab.errors import VocabularyError

_File = TypeVar("_File", bound=BaseModel)


def read_toml(path: Path, kind: type[_File]) -> _File:
    """Read one TOML file into `kind`, or say what is wrong with it and where."""
    try:
        return kind.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise VocabularyError(f"{path}: expected a TOML file, found no such file") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise VocabularyError(
            f"{path}: expected a readable UTF-8 TOML file, found: {error}; mend the file"
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise VocabularyError(
            f"{path}: at {place}: {first['msg']}, found {first['input']!r}; mend the entry"
        ) from error
