"""The words that a dataset was made from, kept in the build.

A build can be judged, re-judged and repaired when the packaged words have changed since, or a
user's own have moved.
"""

from collections.abc import Iterator
from pathlib import Path

from pydantic import JsonValue

from artifacts.builds import Build
from artifacts.errors import DamagedFileError, StoreError
from artifacts.files import FileEntry, replace_file, require_checksum, sha256_of
from artifacts.manifest import Manifest, fingerprint, read_manifest, write_manifest
from artifacts.settings import DatasetSettings
from artifacts.shards import shard_state
from flows.stages.dataset_words import WORDS_CHECKSUM, word_files, words_checksum
from flows.stages.publishing import recorded_versions

_KIND = "words"
_STAGE = "dataset"


def keep_words(build: Build, settings: DatasetSettings, recorded: dict[str, JsonValue]) -> None:
    """Copy the words that the settings name into the build, unless they are there."""
    if build.stream(_KIND).exists():
        return
    folder = _folder(build)
    _create(folder)
    _create(build.streams)
    entries = []
    for path, content in word_files(settings):
        replace_file(folder / path.name, content)
        name = (folder / path.name).relative_to(build.path).as_posix()
        entries.append(FileEntry(name, _KIND, 0, len(content), sha256_of(content)))
    manifest = Manifest(
        stage=_STAGE,
        settings=recorded,
        fingerprint=fingerprint(recorded),
        files=entries,
        counts={},
        versions=recorded_versions(),
        complete=True,
    )
    write_manifest(build.stream(_KIND), manifest)


def settings_of_build(
    build: Build, recorded: dict[str, JsonValue], settings: DatasetSettings
) -> DatasetSettings:
    """Return the settings that a manifest recorded, with the words that the build keeps.

    What is not recorded, such as processes, comes from `settings`. Raises DamagedFileError if a
    kept file isn't what it was.
    """
    for entry in read_manifest(build.stream(_KIND)).files:
        require_checksum(build.path, entry)
    known = {key: value for key, value in recorded.items() if key in DatasetSettings.model_fields}
    kept = {"words": _folder(build), "contexts": _folder(build)}
    return DatasetSettings.model_validate({**settings.model_dump(), **known, **kept})


def restore_words(
    build: Build, settings: DatasetSettings, recorded: dict[str, JsonValue]
) -> Iterator[tuple[str, str]]:
    """Restore damaged copies from what the settings name; yield each with what was wrong.

    Raises DamagedFileError where the settings name other words than the build was made from.
    """
    path = build.stream(_KIND)
    manifest = _readable(path)
    if manifest is None or manifest.settings != recorded:
        _require_words(path, settings, recorded)
        state = "corrupt" if path.exists() else "missing"
        path.unlink(missing_ok=True)
        keep_words(build, settings, recorded)
        yield path.relative_to(build.path).as_posix(), state
        return
    sources = {path.name: content for path, content in word_files(settings)}
    for entry in manifest.files:
        state = shard_state(build.path, entry)
        if state == "complete":
            continue
        path = build.path / entry.name
        content = sources.get(path.name, b"")
        if sha256_of(content) != entry.sha256:
            raise _other_words(path)
        _create(path.parent)
        replace_file(path, content)
        yield entry.name, state


def _require_words(path: Path, settings: DatasetSettings, recorded: dict[str, JsonValue]) -> None:
    if words_checksum(settings) != recorded.get(WORDS_CHECKSUM):
        raise _other_words(path)


def _other_words(path: Path) -> DamagedFileError:
    return DamagedFileError(
        f"{path} is damaged and the settings name other words: set dataset.words and "
        "dataset.contexts to the folders that the dataset was made from"
    )


def _readable(path: Path) -> Manifest | None:
    try:
        return read_manifest(path) if path.exists() else None
    except DamagedFileError:
        return None


def _create(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot create {folder}: {error.strerror}; see to the disk") from error


def _folder(build: Build) -> Path:
    return build.dataset / _KIND
