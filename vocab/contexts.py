"""Where and when a caption of the binding text dataset takes place.

Reads three word lists, one adverbial phrase a line: scenes, times of day and weathers. It knows
the shape of a phrase and nothing of its use: how contexts are sampled, which objects suit a
scene, and where in a sentence a phrase goes are decided elsewhere.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from vocab.errors import VocabularyError

PACKAGED_FOLDER = Path(__file__).parent / "binding"

_FORBIDDEN_CHARACTER = re.compile(r"[^\w '-]|[\d_]")


@dataclass(frozen=True, slots=True)
class Contexts:
    """The phrases a context is made of: a scene, and optionally a time of day and a weather."""

    scenes: tuple[str, ...]
    times: tuple[str, ...]
    weathers: tuple[str, ...]


@cache
def load_contexts(folder: Path | None = None) -> Contexts:
    """Read `scenes.txt`, `times.txt` and `weathers.txt` of a folder, by default the packaged one.

    The answer is kept for the life of the process: a later edit of the files is not seen.
    """
    source = PACKAGED_FOLDER if folder is None else folder
    return Contexts(
        scenes=_read_phrases(source / "scenes.txt"),
        times=_read_phrases(source / "times.txt"),
        weathers=_read_phrases(source / "weathers.txt"),
    )


def _read_phrases(path: Path) -> tuple[str, ...]:
    """Return the phrases of one file in its order; comments and blank lines are no phrases."""
    line_of: dict[str, int] = {}
    phrases: list[str] = []
    for number, line in enumerate(_read_text(path).splitlines(), start=1):
        phrase = line.strip()
        if not phrase or phrase.startswith("#"):
            continue
        _check_phrase(phrase, f"{path}:{number}")
        earlier = line_of.setdefault(phrase.casefold(), number)
        if earlier != number:
            raise VocabularyError(
                f"{path}:{number}: expected distinct phrases, found {phrase!r} again"
                f" (first on line {earlier}); remove one of the two"
            )
        phrases.append(phrase)
    if not phrases:
        raise VocabularyError(
            f"{path}: expected at least one phrase, found none; add one phrase a line"
        )
    return tuple(phrases)


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise VocabularyError(
            f"{path}: expected a file of phrases, found no such file; add it, one phrase a line"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise VocabularyError(
            f"{path}: expected a readable UTF-8 text file, found: {error}; replace the file"
        ) from error


def _check_phrase(phrase: str, where: str) -> None:
    """Reject what would break a sentence that the phrase is put into."""
    if not phrase[0].islower():
        raise VocabularyError(
            f"{where}: expected a phrase that starts with a lower-case letter,"
            f" found {phrase!r}; rewrite its start"
        )
    if found := _FORBIDDEN_CHARACTER.search(phrase):
        raise VocabularyError(
            f"{where}: expected only letters, spaces, hyphens and straight apostrophes,"
            f" found {found.group()!r} in {phrase!r}; remove it"
        )
