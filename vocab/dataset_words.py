"""The adjectives and nouns of the binding text dataset, read from two TOML files and checked once.

A folder holds `adjectives.toml` (families of adjectives) and `nouns.toml` (groups of nouns, each
naming the families it accepts); the packaged one is `vocab/binding`. A user's own folder may have
any number of words. The counts of the packaged one are pinned by its tests, not here. This module
doesn't know how words are sampled, what a plan is, or what a sentence looks like.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from reprlib import Repr
from types import MappingProxyType
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from vocab.errors import VocabularyError

PACKAGED_FOLDER = Path(__file__).parent / "binding"


@dataclass(frozen=True, slots=True)
class Noun:
    """An object's name, and the families whose every adjective is plausible for it."""

    word: str
    domain: str
    families: frozenset[str]


@dataclass(frozen=True, slots=True)
class WordBank:
    """The words of one dataset, in file order; `family_of` is keyed by the lower-case adjective."""

    families: Mapping[str, tuple[str, ...]]
    family_of: Mapping[str, str]
    nouns: tuple[Noun, ...]


@cache
def load_word_bank(folder: Path | None = None) -> WordBank:
    """Read `adjectives.toml` and `nouns.toml` of a folder, by default the packaged one.

    The answer is kept for the life of the process: a later edit of the files is not seen.

    Raises:
        VocabularyError: a file is missing, is not TOML, or holds words that a plan can't use.

    """
    source = PACKAGED_FOLDER if folder is None else folder
    adjectives = source / "adjectives.toml"
    families = _read(adjectives, _AdjectivesFile).families
    family_of = _family_of(adjectives, families)
    return WordBank(
        families=MappingProxyType({name: tuple(words) for name, words in families.items()}),
        family_of=MappingProxyType(family_of),
        nouns=_nouns(source / "nouns.toml", family_of, families.keys()),
    )


def _family_of(path: Path, families: Mapping[str, list[str]]) -> dict[str, str]:
    family_of: dict[str, str] = {}
    for family, words in families.items():
        for word in words:
            earlier = family_of.setdefault(word.lower(), family)
            if earlier != family:
                # A word of two families could fill both slots of a bundle.
                raise VocabularyError(
                    f"{path}: families, {family}: expected adjectives of no other family, found "
                    f"{word!r}, which {earlier} lists too; remove one of the two"
                )
    return family_of


def _nouns(path: Path, family_of: Mapping[str, str], families: Iterable[str]) -> tuple[Noun, ...]:
    nouns: list[Noun] = []
    group_of: dict[str, int] = {}
    for number, group in enumerate(_read(path, _NounsFile).group, start=1):
        _check_families(f"{path}: group #{number}, families", group.families, families)
        for word in group.nouns:
            _check_no_adjective(f"{path}: group #{number}, nouns", word, family_of)
            earlier = group_of.setdefault(word.lower(), number)
            if earlier != number:
                raise VocabularyError(
                    f"{path}: group #{number}, nouns: expected nouns of no other group, found "
                    f"{word!r}, which group #{earlier} lists too; remove one of the two"
                )
            nouns.append(Noun(word, group.domain, frozenset(group.families)))
    return tuple(nouns)


def _check_families(where: str, accepted: Iterable[str], known: Iterable[str]) -> None:
    names = list(known)
    for family in accepted:
        if family not in names:
            raise VocabularyError(
                f"{where}: expected families of adjectives.toml ({', '.join(names)}), found "
                f"{family!r}; respell it or add the family there"
            )


def _check_no_adjective(where: str, word: str, family_of: Mapping[str, str]) -> None:
    # Each core word occurs exactly once in a text, so it cannot be both object and attribute.
    family = family_of.get(word.lower())
    if family is not None:
        raise VocabularyError(
            f"{where}: expected a noun that is no adjective of adjectives.toml, found {word!r}, "
            f"which its family {family} lists; remove one of the two"
        )


# ---- what a word may look like ----

# One word of a text: spaces or other punctuation would make it several, or end its sentence.
_ONE_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
# The query's "A, B and C" and a caption's articles are made of these.
_FRAME_WORDS = frozenset({"a", "an", "the", "and"})


def _fault(expected: str, found: object, remedy: str) -> PydanticCustomError:
    # A template's braces are filled, and a found word may hold some: the text goes in as a value.
    sentence = f"expected {expected}, found {_shown(found)}; {remedy}"
    return PydanticCustomError("vocabulary", "{sentence}", {"sentence": sentence})


def _check_word(text: str) -> str:
    if not _ONE_WORD.fullmatch(text):
        raise _fault("a single word (letters, inner hyphens)", text, "use one word or join it")
    if text.lower() in _FRAME_WORDS:
        raise _fault("a word that is no article or conjunction", text, "remove it")
    return text


def _check_distinct(words: list[str]) -> list[str]:
    seen: set[str] = set()
    for word in words:
        if word.lower() in seen:
            raise _fault("each word once, whatever its case", word, "remove the repetition")
        seen.add(word.lower())
    return words


_Word = Annotated[str, AfterValidator(_check_word)]
_Words = Annotated[list[_Word], Field(min_length=1), AfterValidator(_check_distinct)]


# ---- the two files ----


class _Table(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class _AdjectivesFile(_Table):
    families: Annotated[dict[_Word, _Words], Field(min_length=1)]


class _Group(_Table):
    domain: _Word
    families: _Words
    nouns: _Words


class _NounsFile(_Table):
    group: Annotated[list[_Group], Field(min_length=1)]


_FileT = TypeVar("_FileT", bound=_Table)


def _read(path: Path, model: type[_FileT]) -> _FileT:
    try:
        return model.model_validate(tomllib.loads(path.read_bytes().decode("utf-8-sig")))
    except OSError as error:
        raise VocabularyError(
            f"{path}: expected a readable file, found none ({error.strerror}); create it, or name "
            "the folder that holds adjectives.toml and nouns.toml"
        ) from error
    except ValidationError as error:
        raise VocabularyError(f"{path}: {_first_fault(error, model)}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise VocabularyError(
            f"{path}: expected TOML in UTF-8, found {_one_line(str(error))}; mend the file there"
        ) from error


# ---- a validation error as one line ----


def _first_fault(error: ValidationError, model: type[_Table]) -> str:
    # One fault a line: the first mended, the next load names the next.
    first, *others = error.errors(include_url=False)
    more = f" (and {len(others)} more)" if others else ""
    return f"{_place(first['loc'])}: {_one_line(_sentence(first, model))}{more}"


def _place(loc: tuple[int | str, ...]) -> str:
    """Spell a pydantic location as a reader of the file counts: "group #4, nouns #2"."""
    words = ""
    for part in loc:
        words += f" #{part + 1}" if isinstance(part, int) else f", {_one_line(part)}"
    return words.removeprefix(", ")


def _sentence(fault: ErrorDetails, model: type[_Table]) -> str:
    found = _shown(fault["input"])
    match fault["type"]:
        case "missing":
            return f"expected this key, found none in {found}; add it"
        case "extra_forbidden":
            table = model if len(fault["loc"]) == 1 else _Group
            known = ", ".join(table.model_fields)
            return f"expected one of the keys {known}, found this one; remove or respell it"
        case "string_type":
            return f"expected a text, found {found}; put it in quotes"
        case "list_type":
            return f"expected a list, found {found}; put it in square brackets"
        case "too_short":
            return f"expected at least one entry, found {found}; add to it or remove it"
        case "dict_type" | "model_type" | "model_attributes_type":
            return f"expected a table, found {found}; write it as key = value lines"
        case _:
            return fault["msg"]


_REPR = Repr()
_REPR.maxstring = _REPR.maxother = 80


def _shown(found: object) -> str:
    return _one_line(_REPR.repr(found))


def _one_line(text: str) -> str:
    return " ".join(text.split())
