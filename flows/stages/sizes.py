"""Which files a build should have, and which of them are missing or have another size.

Cheap: no file is read but manifests. Knows manifests and sizes; not what to do about damage.
"""

import contextlib
from collections.abc import Sequence
from pathlib import Path

from artifacts.builds import Build
from artifacts.errors import DamagedFileError, StoreError
from artifacts.files import FileEntry
from artifacts.manifest import Stage
from artifacts.records import ParseCheck
from flows.stages.marking import stage_manifests
from flows.stages.unfinished import try_manifest, why_unfinished

#: What is raised for a file that went away since it was seen.
_GONE = (FileNotFoundError, StoreError)
#: How many damaged files a message names.
_NAMED = 5


def listed_files(build: Build, stages: Sequence[Stage]) -> tuple[list[FileEntry], dict[str, str]]:
    """Return the listed files, and the manifests that can't be read."""
    entries: dict[str, FileEntry] = {}
    damaged: dict[str, str] = {}
    for stage, path in _manifests(build, stages):
        manifest = try_manifest(path)
        if manifest is not None:
            entries |= {entry.name: entry for entry in manifest.files}
        elif path.exists():
            damaged[path.relative_to(build.path).as_posix()] = "corrupt"
        elif _is_finished(build, stage):
            damaged[path.relative_to(build.path).as_posix()] = "missing"
    return [entries[name] for name in sorted(entries)], damaged


def states_by_size(root: Path, entries: Sequence[FileEntry]) -> list[str]:
    """Return the state of every entry, in order, as far as existence and size tell it."""
    return [_state_by_size(root / entry.name, entry) for entry in entries]


def require_sizes(build: Build, stage: Stage) -> None:
    """Raise DamagedFileError where a file of a finished stage is missing or has another size.

    Rows that break a rule are another matter, and what the parser says is made again where it is
    damaged, without being asked.
    """
    entries, damaged = listed_files(build, [stage])
    wanted = [entry for entry in entries if entry.kind != ParseCheck.view]
    states = zip(wanted, states_by_size(build.path, wanted), strict=True)
    damaged |= {entry.name: state for entry, state in states if state in ("missing", "corrupt")}
    if damaged:
        named = ", ".join(f"{state} {name}" for name, state in list(damaged.items())[:_NAMED])
        more = ", …" if len(damaged) > _NAMED else ""
        raise DamagedFileError(
            f"build {build.path} is damaged: {len(damaged)} of {len(wanted)} files of its {stage} "
            f"aren't what its manifests list ({named}{more}); `saber rerun-failed` repairs it"
        )


def _manifests(build: Build, stages: Sequence[Stage]) -> list[tuple[Stage, Path]]:
    found: list[tuple[Stage, Path]] = []
    for stage in stages:
        with contextlib.suppress(*_GONE):
            found += [(stage, path) for path in stage_manifests(build, stage)]
    return found


def _is_finished(build: Build, stage: Stage) -> bool:
    """Whether a stage should have all of its manifests."""
    with contextlib.suppress(*_GONE):
        return not why_unfinished(build, stage)
    return False


def _state_by_size(path: Path, entry: FileEntry) -> str:
    with contextlib.suppress(OSError):
        if path.is_file():
            return entry.state if path.stat().st_size == entry.bytes else "corrupt"
    return "missing"
