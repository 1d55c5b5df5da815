"""The benchmark stage: settings → records → Parquet → manifest, and the check of what was written.

The check reads the files back and judges them by rules that share no code with the generator.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pyarrow as pa
from pydantic import JsonValue, ValidationError

from artifacts.builds import Build
from artifacts.errors import DamagedFileError, StoreError
from artifacts.files import FileEntry, replace_file, require_checksum, sha256_of
from artifacts.manifest import Manifest, fingerprint, read_manifest, write_manifest
from artifacts.parquet import read_verified, write_table
from artifacts.records import Candidate, Question, Record, Relevance, Scene
from artifacts.reports import RuleReport
from artifacts.schema import stored_schema, to_stored_table
from artifacts.settings import BenchmarkSettings
from flows.progress import Progress
from flows.stages.publishing import StageOutcome, finished_stage, recorded_versions, staged
from generators.benchmark import Benchmark, generate_benchmark
from validators.benchmark import (
    BenchmarkExpectation,
    CoverageRow,
    coverage_table,
    validate_benchmark,
)
from vocab.benchmark_words import load_vocabulary, vocabulary_files

STAGE = "benchmark"
_RECORD_TYPES: tuple[type[Record], ...] = (Question, Candidate, Scene, Relevance)
#: The build keeps the words that it was made from: it can be checked when they have moved.
VOCABULARY_FOLDER = "vocabulary"


def build_benchmark(
    build: Build, settings: BenchmarkSettings, progress: Progress, *, force: bool = False
) -> StageOutcome:
    """Build the benchmark unless it's there; with `force` whatever is there is replaced.

    Raises BuildConflictError, GenerationError, VocabularyError or StoreError; whichever it is, what
    was there before is there still.
    """
    words = vocabulary_files(settings.vocabulary)
    recorded = recorded_settings(settings, words)
    finished = None if force else finished_stage(build, STAGE, recorded)
    if finished:
        return StageOutcome(finished, built=False)
    progress.step("sampling questions, candidates and captions")
    benchmark = generate_benchmark(settings, load_vocabulary(settings.vocabulary))
    progress.step("writing Parquet")
    with staged(build, STAGE) as staging:
        manifest = _write(staging, benchmark, words, recorded)
    _release_buffers()
    return StageOutcome(manifest, built=True)


def require_same_benchmark(build: Build, settings: BenchmarkSettings) -> None:
    """Raise BuildConflictError where `build` holds a benchmark made with other settings."""
    finished_stage(build, STAGE, recorded_settings(settings, vocabulary_files(settings.vocabulary)))


def recorded_settings(settings: BenchmarkSettings, words: dict[str, bytes]) -> dict[str, JsonValue]:
    """Return what identifies a benchmark: its settings, the vocabulary by content, not by path."""
    digest = hashlib.sha256(b"".join(words[name] for name in sorted(words))).hexdigest()
    recorded: dict[str, JsonValue] = settings.model_dump(mode="json", exclude={"vocabulary"})
    return {**recorded, "vocabulary_sha256": digest}


def check_benchmark(build: Build) -> tuple[list[RuleReport], list[CoverageRow]]:
    """Judge a finished benchmark from its files, from the checksums up.

    Raises BuildMissingError if it isn't finished, DamagedFileError if a file isn't what it was.
    """
    manifest = read_manifest(build.manifest(STAGE))
    vocabulary = load_vocabulary(_verified_vocabulary(build, manifest))
    settings = settings_of_manifest(build, manifest)
    sizes = dict.fromkeys(settings.sizes, (settings.independent_per_n, settings.chains))
    with duckdb.connect() as connection:
        for record_type in _RECORD_TYPES:
            entry = _entry_of(build, manifest, record_type.view)
            table = read_verified(build.path, entry, stored_schema(record_type))
            connection.register(record_type.view, table)
        _release_buffers()
        expected = BenchmarkExpectation(sizes, vocabulary, settings.scattered)
        reports = validate_benchmark(connection, expected)
        return reports, coverage_table(connection, vocabulary)


def _release_buffers() -> None:
    """Give back what Arrow keeps for later tables: twice 40 MB that the check is to have."""
    pa.default_memory_pool().release_unused()


def _write(
    build: Build, benchmark: Benchmark, words: dict[str, bytes], recorded: dict[str, JsonValue]
) -> Manifest:
    files = _write_words(build, words) + _write_records(build, benchmark)
    manifest = Manifest(
        stage=STAGE,
        settings=recorded,
        fingerprint=fingerprint(recorded),
        files=files,
        counts={entry.kind: entry.rows for entry in files if entry.kind != VOCABULARY_FOLDER},
        versions=recorded_versions(),
        complete=True,
    )
    write_manifest(build.manifest(STAGE), manifest)
    return manifest


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot create {folder}: {error.strerror}; see to the disk") from error


def _write_words(build: Build, words: dict[str, bytes]) -> list[FileEntry]:
    _make_folder(build.benchmark / VOCABULARY_FOLDER)
    entries = []
    for name, content in words.items():
        path = f"{STAGE}/{VOCABULARY_FOLDER}/{name}"
        replace_file(build.path / path, content)
        entries.append(FileEntry(path, VOCABULARY_FOLDER, 0, len(content), sha256_of(content)))
    return entries


def _write_records(build: Build, benchmark: Benchmark) -> list[FileEntry]:
    columns: tuple[tuple[type[Record], Sequence[Record]], ...] = (
        (Question, benchmark.questions),
        (Candidate, benchmark.candidates),
        (Scene, benchmark.scenes),
        (Relevance, benchmark.relevance),
    )
    return [
        write_table(
            build.path,
            f"{STAGE}/{record_type.view}.parquet",
            record_type.view,
            to_stored_table(record_type, records),
        )
        for record_type, records in columns
    ]


def settings_of_manifest(build: Build, manifest: Manifest) -> BenchmarkSettings:
    """Return the settings that a benchmark was made from; its vocabulary is the build's copy."""
    known = BenchmarkSettings.model_fields.keys() & manifest.settings.keys()
    try:
        return BenchmarkSettings.model_validate({key: manifest.settings[key] for key in known})
    except ValidationError as error:
        found = error.errors()[0]["msg"]
        raise _misfit(build, f"settings of a benchmark, found: {found}") from error


def _entry_of(build: Build, manifest: Manifest, kind: str) -> FileEntry:
    entries = [entry for entry in manifest.files if entry.kind == kind]
    if len(entries) != 1:
        raise _misfit(build, f"one file of {kind}, found {len(entries)}")
    return entries[0]


def _misfit(build: Build, expected: str) -> DamagedFileError:
    return DamagedFileError(
        f"manifest {build.manifest(STAGE)} is damaged: expected {expected}; "
        "build it again, with --force"
    )


def _verified_vocabulary(build: Build, manifest: Manifest) -> Path:
    for entry in manifest.files:
        if entry.kind == VOCABULARY_FOLDER:
            require_checksum(build.path, entry)
    return build.benchmark / VOCABULARY_FOLDER
