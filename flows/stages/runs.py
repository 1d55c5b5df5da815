"""Stages that hold several runs, each by its name: training and evaluation.

A run is a folder of the stage and an entry in the stage's manifest: its settings, and checksums of
what it read. It is written beside its place and moved there when it is whole. Knows nothing of what
a run does.
"""

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.errors import BuildConflictError, BuildMissingError, DamagedFileError, StoreError
from artifacts.files import FileEntry, replace_file, require_checksum, sha256_of_file
from artifacts.manifest import Manifest, Stage, fingerprint, read_manifest, write_manifest
from artifacts.records import Record
from artifacts.schema import from_table
from flows.stages.publishing import describe_differences, recorded_versions

R = TypeVar("R", bound=Record)

#: The stages that hold runs, and what makes one.
RUN_STAGES: dict[Stage, str] = {"training": "saber train", "evaluation": "saber evaluate"}
#: Where runs are written until they are whole; no run can have such a name.
_UNFINISHED = ".unfinished"
#: Where runs keep what they go on from.
_RESUMING = ".checkpoints"
#: Ends the name of a run's folder while another takes its place; no run's name ends so.
_REPLACED = ".replaced"
#: The folder of what is told of all runs together, and so no name of a run.
REPORT = "report"
#: The kind of a listed file that holds no rows.
FILE = "file"


class RunRecord(BaseModel):
    """What a manifest says of one run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    settings: dict[str, JsonValue]
    #: Checksums of what it read, by what that is.
    inputs: dict[str, JsonValue]
    #: What others need to know of it: the embedder's name, the base of an adapter.
    facts: dict[str, JsonValue] = {}


def read_runs(build: Build, stage: Stage) -> dict[str, RunRecord]:
    """Return the finished runs of a stage, by name; none where the stage was never begun."""
    path = build.manifest(stage)
    if not path.exists():
        return {}
    recorded = read_manifest(path).settings.get("runs")
    if not isinstance(recorded, dict):
        raise DamagedFileError(f"manifest {path} is damaged: expected runs, found {recorded!r}")
    return {name: _record(path, entry) for name, entry in recorded.items()}


def find_run(build: Build, stage: Stage, run: str, command: str) -> RunRecord:
    """Return a finished run; raises BuildMissingError naming those there are."""
    runs = read_runs(build, stage)
    if run not in runs:
        known = ", ".join(runs) or "none"
        raise BuildMissingError(
            f"no {stage} run {run!r} in build {build.name!r}; there: {known}; `{command}` makes one"
        )
    return runs[run]


def is_current(build: Build, stage: Stage, run: str, wanted: RunRecord) -> bool:
    """Whether the run is there, whole, and made from just these settings and inputs.

    Raises BuildConflictError where it was made with other settings: that is another run.
    """
    require_same_settings(build, stage, run, wanted.settings)
    found = read_runs(build, stage).get(run)
    return found is not None and found.inputs == wanted.inputs and _is_whole(build, stage, run)


def require_same_settings(
    build: Build, stage: Stage, run: str, settings: dict[str, JsonValue]
) -> None:
    """Raise BuildConflictError where the build holds that run, made with other settings."""
    found = read_runs(build, stage).get(run)
    if found is not None and found.settings != settings:
        raise BuildConflictError(
            f"build {build.name!r} holds the {stage} run {run!r} made with other settings "
            f"({describe_differences(found.settings, settings)}): `{RUN_STAGES[stage]} --force` "
            "replaces it, --run names another"
        )


def unfinished_folder(build: Build, stage: Stage, run: str) -> Path:
    """Return where a run is written until it is whole; made if it isn't there.

    What a broken-off run left is there still, for the next one to go on with or to replace.
    """
    folder = build.path / stage / _UNFINISHED / run
    with _disk(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def resuming_folder(build: Build, stage: Stage, run: str) -> Path:
    """Return where a run keeps what it goes on from: until it is listed, so not with its files."""
    return build.path / stage / _RESUMING / run


def begun_runs(build: Build, stage: Stage) -> list[str]:
    """Return the runs that were begun and aren't whole: broken off, or being made just now."""
    folders = [build.path / stage / name for name in (_UNFINISHED, _RESUMING)]
    found = [file.relative_to(folder) for folder in folders for file in folder.glob("*/**/*")]
    return sorted({path.parts[0] for path in found if not path.parts[0].endswith(_REPLACED)})


def publish_run(
    build: Build, stage: Stage, run: str, record: RunRecord, tables: Mapping[str, str]
) -> None:
    """Move a run that is whole to its place and list its files; `tables`: views by file name."""
    place = build.path / stage / run
    runs = read_runs(build, stage)
    if runs.pop(run, None):
        # Until its folder has been replaced no manifest lists it.
        _write(build, stage, runs, run, [])
    _replace_folder(unfinished_folder(build, stage, run), place)
    listed = [_entry(build, path, tables) for path in sorted(place.rglob("*")) if path.is_file()]
    _write(build, stage, {**runs, run: record}, run, listed)


def replace_report(build: Build, stage: Stage, files: Mapping[str, bytes]) -> None:
    """Put these files, by name below the stage, in the place of its report; lists them."""
    folder = build.path / stage / REPORT
    with _disk(folder):
        shutil.rmtree(folder, ignore_errors=True)
        for name in files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        replace_file(folder / name, content)
    listed = [_entry(build, folder / name, {}) for name in sorted(files)]
    runs = read_runs(build, stage)
    _write(build, stage, runs, REPORT, listed, covered=_covering(runs))


def is_report_current(build: Build, stage: Stage) -> bool:
    """Whether the report is there, whole, and of just the runs that there are."""
    covered = read_manifest(build.manifest(stage)).settings.get(REPORT)
    return covered == _covering(read_runs(build, stage)) and _is_whole(build, stage, REPORT)


def require_whole(build: Build, stage: Stage, run: str) -> None:
    """Raise DamagedFileError unless every file of a run has the content that is listed."""
    for entry in read_manifest(build.manifest(stage)).files:
        if entry.name.startswith(f"{stage}/{run}/"):
            require_checksum(build.path, entry)


def read_records(build: Build, record_type: type[R], run: str | None = None) -> list[R]:
    """Return the stored records of a finished run, or of all; raises DamagedFileError."""
    where, values = ("WHERE run = ?", [run]) if run else ("", [])
    try:
        with connect(build, {record_type.view}) as connection:
            rows = connection.sql(f"SELECT * FROM {record_type.view} {where}", params=values)
            return from_table(record_type, rows.to_arrow_table())
    except (duckdb.Error, pa.ArrowException) as error:
        raise DamagedFileError(
            f"the {record_type.view} of build {build.name!r} can't be read: "
            f"{str(error).splitlines()[0]}; `saber status --deep` names the file"
        ) from error


def contents(build: Build, stage: Stage, below: str = "") -> str:
    """Return a checksum of what the files of a finished stage hold, those below a folder only."""
    listed = read_manifest(build.manifest(stage)).files
    prefix = f"{stage}/{below}"
    return fingerprint([[e.name, e.sha256] for e in listed if e.name.startswith(prefix)])


def _write(
    build: Build,
    stage: Stage,
    runs: Mapping[str, RunRecord],
    folder: str,
    listed: list[FileEntry],
    covered: str | None = None,
) -> None:
    """Write the manifest anew with `listed` as the files of one folder of the stage."""
    path = build.manifest(stage)
    before = read_manifest(path) if path.exists() else None
    kept = [
        entry
        for entry in (before.files if before else [])
        if not entry.name.startswith(f"{stage}/{folder}/")
    ]
    files = sorted(kept + listed, key=lambda entry: entry.name)
    recorded: dict[str, JsonValue] = {
        "runs": {name: runs[name].model_dump() for name in runs},
        REPORT: covered or (before.settings.get(REPORT) if before else None),
    }
    manifest = Manifest(
        stage=stage,
        settings=recorded,
        fingerprint=fingerprint(recorded),
        files=files,
        counts=_counts(files) | {"runs": len(runs)},
        versions=recorded_versions(),
        complete=True,
    )
    write_manifest(path, manifest)


def _covering(runs: Mapping[str, RunRecord]) -> str:
    """Return the checksum of the runs that a report is of."""
    return fingerprint({name: runs[name].model_dump() for name in runs})


def _counts(files: list[FileEntry]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for entry in files:
        if entry.rows:
            counts[entry.kind] += entry.rows
    return dict(counts)


def _entry(build: Build, path: Path, tables: Mapping[str, str]) -> FileEntry:
    kind = tables.get(path.name, FILE)
    return FileEntry(
        name=path.relative_to(build.path).as_posix(),
        kind=kind,
        rows=0 if kind == FILE else pq.read_metadata(path).num_rows,
        bytes=path.stat().st_size,
        sha256=sha256_of_file(path),
    )


def _record(path: Path, entry: JsonValue) -> RunRecord:
    try:
        return RunRecord.model_validate(entry)
    except ValidationError as error:
        found = error.errors()[0]["msg"]
        raise DamagedFileError(f"manifest {path} is damaged: a run: {found}") from error


def _is_whole(build: Build, stage: Stage, run: str) -> bool:
    try:
        require_whole(build, stage, run)
    except DamagedFileError:
        return False
    return True


def _replace_folder(written: Path, place: Path) -> None:
    replaced = written.with_name(f"{written.name}{_REPLACED}")
    with _disk(place):
        shutil.rmtree(replaced, ignore_errors=True)
        if place.exists():
            place.rename(replaced)
        written.rename(place)
        shutil.rmtree(replaced, ignore_errors=True)


@contextmanager
def _disk(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}; see to the disk") from error
