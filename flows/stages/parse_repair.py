"""Repair of the parser's recorded opinions: made again where damaged, or where a shard is new."""

from pathlib import Path

from artifacts.builds import Build, shard_name
from artifacts.errors import BuildMissingError, DamagedFileError
from artifacts.manifest import read_manifest
from artifacts.records import ParseCheck
from artifacts.settings import DatasetSettings
from artifacts.shards import shard_state
from flows.progress import Progress
from flows.stages.parsing import parse_build, parses_manifest
from flows.stages.repairing import Repair
from generators.constructions import CONSTRUCTIONS


def repair_parses(
    build: Build, settings: DatasetSettings, progress: Progress, *, shards_changed: bool
) -> list[Repair]:
    """Restore damaged opinions of a dataset that was parsed; does nothing for another.

    Where shards of examples changed, those that replaced lost ones are parsed, too.
    """
    parsed = [
        parses_manifest(build, name)
        for name in CONSTRUCTIONS
        if parses_manifest(build, name).exists() or _folder(build, name).is_dir()
    ]
    repairs = [repair for path in parsed for repair in _look_at(build, path)]
    if repairs or (parsed and shards_changed):
        parse_build(build, settings.parser, settings.processes, progress)
    return repairs


def _folder(build: Build, construction: str) -> Path:
    name = shard_name(ParseCheck.view, construction, 0)
    return (build.path / name).parent


def _look_at(build: Build, path: Path) -> list[Repair]:
    """Return what is to be repaired; a damaged manifest is removed, so that all is made anew."""
    try:
        entries = read_manifest(path).files
    except DamagedFileError:
        path.unlink()
        return [Repair(path.relative_to(build.path).as_posix(), "corrupt", "restored")]
    except BuildMissingError:
        return [Repair(path.relative_to(build.path).as_posix(), "missing", "restored")]
    states = [(entry.name, shard_state(build.path, entry)) for entry in entries]
    return [Repair(name, state, "restored") for name, state in states if state != "complete"]
