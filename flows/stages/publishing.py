"""What every stage does alike: whether there is anything to do, and what a manifest records.

Knows manifests and settings; not what a stage makes.
"""

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files

from pydantic import JsonValue

from artifacts.builds import Build
from artifacts.errors import (
    BuildConflictError,
    DamagedFileError,
    StoreError,
    ValidationFailedError,
)
from artifacts.files import require_size
from artifacts.manifest import Manifest, read_manifest
from artifacts.reports import RuleReport
from vocab.prompts import load_prompts

#: Their versions show in the bytes of a build.
_RECORDED = ("saber-factory", "pyarrow", "inflect")
#: Folders, and the modules in them, that turn a draft into a row; all modules where none is named.
_DECIDING: tuple[tuple[str, frozenset[str]], ...] = (
    ("validators", frozenset()),
    ("validators/rules", frozenset()),
    ("validators/constructions", frozenset()),
    ("generators/constructions", frozenset()),
    (
        "generators",
        frozenset({"arrangements.py", "assembly.py", "core_words.py", "drafts.py", "templates.py"}),
    ),
    ("artifacts", frozenset({"articles.py", "ledger_view.py", "words.py"})),
)
#: The entry of a manifest's versions that holds the rules' checksum.
RULES = "rules"


@dataclass(frozen=True, slots=True)
class StageOutcome:
    """What a stage holds now, and whether this run made it."""

    manifest: Manifest
    built: bool


def recorded_versions() -> dict[str, str]:
    """Return the versions that a manifest records."""
    return {name: version(name) for name in _RECORDED}


@cache
def rules_checksum() -> str:
    """Return the checksum of what decides on a draft: other code may give other rows."""
    digest = hashlib.sha256()
    for name, wanted in _DECIDING:
        package, *folders = name.split("/")
        modules = files(package).joinpath(*folders).iterdir()
        for module in sorted(modules, key=lambda path: path.name):
            if module.name.endswith(".py") and (not wanted or module.name in wanted):
                digest.update(module.read_bytes())
    # What a draft must not repeat; the rest of the prompts decides nothing.
    digest.update("\n".join(load_prompts().labels).encode())
    return digest.hexdigest()


@contextmanager
def staged(build: Build, stage: str) -> Iterator[Build]:
    """Yield a build whose folder of `stage` takes the place of the real one at the end.

    Until then what is there stays as it is: a full disk or a killed process costs nothing. It lies
    inside the build, so that moving it is one rename.
    """
    staging = Build(build.path, "staging")
    written, place = staging.path / stage, build.path / stage
    try:
        if staging.path.exists():
            shutil.rmtree(staging.path)
        written.mkdir(parents=True)
        yield staging
        if place.exists():
            place.rename(staging.path / "replaced")
        written.rename(place)
    except OSError as error:
        raise StoreError(f"cannot write {place}: {error.strerror}; see to the disk") from error
    finally:
        shutil.rmtree(staging.path, ignore_errors=True)


def finished_stage(build: Build, stage: str, settings: dict[str, JsonValue]) -> Manifest | None:
    """Return the manifest of a stage that was built from just these settings; None if unbuilt.

    Raises BuildConflictError if it was built from others, DamagedFileError if a file is missing.
    """
    if not build.manifest(stage).exists():
        return None
    try:
        manifest = read_manifest(build.manifest(stage))
    except DamagedFileError as error:
        raise DamagedFileError(f"{error}, or --force makes it anew") from error
    if manifest.settings != settings:
        raise BuildConflictError(
            f"build {build.name!r} holds a {stage} made with other settings "
            f"({describe_differences(manifest.settings, settings)}): name another with --build, or "
            "replace it with --force"
        )
    for entry in manifest.files:
        try:
            require_size(build.path, entry)
        except DamagedFileError as error:
            raise DamagedFileError(f"{error}, or --force makes it anew") from error
    return manifest


def describe_differences(old: dict[str, JsonValue], new: dict[str, JsonValue]) -> str:
    """Return the settings that differ, each with both values; of a table only what differs in it.

    A table that one side lacks follows from another setting, as what identifies a model does from
    the writer, and is left out beside that.
    """
    changed = [key for key in sorted(old.keys() | new.keys()) if old.get(key) != new.get(key)]
    own = [key for key in changed if not _is_of_one_side(old.get(key), new.get(key))]
    return ", ".join(
        line for key in own or changed for line in _differences(key, old.get(key), new.get(key))
    )


def _is_of_one_side(old: JsonValue, new: JsonValue) -> bool:
    return (old is None and isinstance(new, dict)) or (new is None and isinstance(old, dict))


def _differences(name: str, old: JsonValue, new: JsonValue) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _differences(f"{name}.{key}", old.get(key), new.get(key))
    elif old != new:
        yield f"{name}: {old} there, {new} now"


def require_passed(reports: list[RuleReport]) -> None:
    """Raise ValidationFailedError naming the rules that failed, with their first finding."""
    failed = [report for report in reports if report.failed]
    if failed:
        first = failed[0]
        raise ValidationFailedError(
            f"{len(failed)} of {len(reports)} rules failed: "
            f"{', '.join(report.rule for report in failed)}; first: {first.examples[0]}"
        )
