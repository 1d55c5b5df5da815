"""What every construction of a dataset is made from: words, contexts, styles, and the writer.

Loads them from where the settings point, and gives their checksum, which identifies a build.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from artifacts.errors import SettingsError, VocabularyError
from artifacts.plans import Writer
from artifacts.settings import DatasetSettings
from flows.llm.identity import IDENTITY, ServedWriter, llm_identity
from generators.constructions import CONSTRUCTIONS
from generators.constructions.base import Construction
from generators.embedded.writer import EmbeddedWriter
from generators.planning import Planner, PlanWords
from vocab import contexts, dataset_words, phrases

#: The recorded setting that stands for the folders of words.
WORDS_CHECKSUM = "words_sha256"
_WORD_FILES = ("adjectives.toml", "nouns.toml")
_CONTEXT_FILES = ("scenes.txt", "times.txt", "weathers.txt")
_PHRASE_FILES = ("registers.toml", "openers.toml", "phrases.toml")


@dataclass(frozen=True, slots=True)
class DatasetWords:
    """The words of a dataset."""

    plan_words: PlanWords

    def planner(self, construction: Construction, settings: DatasetSettings) -> Planner:
        """Return the planner of a construction."""
        return Planner(
            construction,
            self.plan_words,
            settings.seed,
            counterbalance=settings.counterbalance,
            chooses_words=settings.writer == "embedded" or settings.llm.style != "free",
        )


def load_words(settings: DatasetSettings) -> DatasetWords:
    """Load the words that the settings name; raises VocabularyError for a fault in a file."""
    return DatasetWords(
        PlanWords(
            bank=dataset_words.load_word_bank(settings.words),
            contexts=contexts.load_contexts(settings.contexts),
            registers=tuple(phrases.load_registers()),
            openers=tuple(phrases.load_openers()),
        )
    )


def make_writer(settings: DatasetSettings) -> Writer:
    """Return the writer that the settings name."""
    return ServedWriter(settings.llm) if settings.writer == "llm" else EmbeddedWriter()


def word_files(settings: DatasetSettings) -> Iterator[tuple[Path, bytes]]:
    """Yield the files of words and contexts that the settings name, with their content."""
    for folder, names in (
        (settings.words or dataset_words.PACKAGED_FOLDER, _WORD_FILES),
        (settings.contexts or contexts.PACKAGED_FOLDER, _CONTEXT_FILES),
    ):
        for name in names:
            yield folder / name, _content(folder / name)


def words_checksum(settings: DatasetSettings) -> str:
    """Return the checksum of all words that a dataset is made from, the writer's among them."""
    digest = hashlib.sha256()
    for _, content in word_files(settings):
        digest.update(content)
    for name in _PHRASE_FILES:
        digest.update(_content(phrases.PACKAGED_FOLDER / name))
    return digest.hexdigest()


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise VocabularyError(
            f"{path}: cannot be read: {error.strerror}; check the path"
        ) from error


def recorded_settings(settings: DatasetSettings) -> dict[str, JsonValue]:
    """Return what identifies a dataset: all but how much and how fast; words by content."""
    excluded = settings.GROWTH | {"words", "contexts"}
    recorded: dict[str, JsonValue] = settings.model_dump(mode="json", exclude=set(excluded))
    if settings.writer == "llm":
        recorded[IDENTITY] = llm_identity(settings.llm)
    return {**recorded, WORDS_CHECKSUM: words_checksum(settings)}


def quotas_of(settings: DatasetSettings) -> dict[str, int]:
    """Return construction → quota; raises SettingsError for a construction that doesn't exist."""
    unknown = settings.quotas.keys() - CONSTRUCTIONS.keys()
    if unknown:
        raise SettingsError(
            f"dataset.quotas: expected constructions out of {', '.join(CONSTRUCTIONS)}, found "
            f"{', '.join(sorted(unknown))}; correct the name"
        )
    quotas = {}
    for name, construction in CONSTRUCTIONS.items():
        default = construction.quota if settings.quota is None else settings.quota
        quotas[name] = settings.quotas.get(name, default)
    return quotas
