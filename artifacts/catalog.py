"""The views of a build: which rows its manifests vouch for, and SQL over them.

A file that no manifest lists is never read, so a reader sees finished shards only. Knows the
record types and the manifests; how DuckDB gets at the rows is `relations`, and how a user's SQL is
run is `query`.
"""

from collections.abc import Collection, Iterator

import duckdb

from artifacts.builds import Build
from artifacts.errors import BuildMissingError
from artifacts.files import FileEntry
from artifacts.manifest import read_manifest
from artifacts.query import query
from artifacts.records import RECORD_TYPES, Example, Record, Shard, SplitMember, Triplet
from artifacts.relations import CLOSED_CONFIG, Catalog, DerivedView, Relation, register
from artifacts.schema import arrow_schema

__all__ = ["ALL_VIEWS", "connect", "list_entries", "query", "read_catalog"]

#: Where the rows of each view come from.
_STAGE_OF = {
    "questions": "benchmark",
    "candidates": "benchmark",
    "scenes": "benchmark",
    "relevance": "benchmark",
    "images": "images",
    "examples": "dataset",
    "splits": "dataset",
    "parses": "dataset",
    "attempts": "dataset",
    "rejections": "dataset",
    "accepted_words": "dataset",
    "curves": "training",
    "results": "evaluation",
    "outcomes": "evaluation",
}

#: The command that finishes a stage, where it isn't called like it.
_COMMANDS = {"training": "train", "evaluation": "evaluate"}

#: The stored half of `examples`; the view joins the split to it.
_STORED_EXAMPLES = "examples_without_split"

_DERIVED = (
    DerivedView(
        name=Example.view,
        sql=f"""
            SELECT stored.*, splits.split
            FROM {_STORED_EXAMPLES} AS stored LEFT JOIN splits USING (example_id)
        """,
        reads=(_STORED_EXAMPLES, SplitMember.view),
    ),
    DerivedView(
        name=Triplet.view,
        sql=f"""
            SELECT example_id, kind, query, positive, split,
                CASE kind WHEN 'attribute' THEN negative_attribute ELSE negative_object END
                AS negative
            FROM {Example.view} CROSS JOIN (VALUES ('attribute'), ('object')) AS kinds (kind)
        """,
        reads=(_STORED_EXAMPLES, SplitMember.view),
    ),
)

ALL_VIEWS = frozenset(record_type.view for record_type in RECORD_TYPES)


def connect(build: Build, views: Collection[str] = ALL_VIEWS) -> duckdb.DuckDBPyConnection:
    """Return a connection for SQL of our own, in this process, that reads the views `views`.

    Raises `DamagedFileError` where a file of theirs is missing or of another size than listed.
    Ask for the views that are needed: `shards` costs a look at every file.
    """
    connection = duckdb.connect(config=CLOSED_CONFIG)
    register(connection, read_catalog(build), views)
    return connection


def read_catalog(build: Build) -> Catalog:
    """Return what the manifests of `build` list, as views."""
    entries = list_entries(build)
    relations = tuple(
        _relation(build, record_type, entries)
        for record_type in RECORD_TYPES
        if record_type not in (Triplet, Shard)
    )
    shards = Relation(Shard.view, arrow_schema(Shard), tuple(entries))
    return Catalog(build.path, relations, _DERIVED, shards)


def list_entries(build: Build) -> list[FileEntry]:
    """Return every file that a manifest of `build` lists, by name.

    A construction's own manifest is newer than what a stage's says of the same file.
    """
    found = {entry.name: entry for entry in _listed(build)}
    return [found[name] for name in sorted(found)]


def _listed(build: Build) -> Iterator[FileEntry]:
    manifests = [build.manifest(stage) for stage in build.finished_stages()]
    manifests += sorted(build.streams.glob("*.json"))
    if not manifests:
        raise BuildMissingError(
            f"no manifest in {build.path}: unfinished or not a build; "
            "run `saber benchmark` or `saber dataset`"
        )
    for path in manifests:
        yield from read_manifest(path).files


def _relation(build: Build, record_type: type[Record], entries: list[FileEntry]) -> Relation:
    view = record_type.view
    return Relation(
        name=_STORED_EXAMPLES if record_type is Example else view,
        schema=arrow_schema(record_type),
        files=tuple(entry for entry in entries if entry.kind == view),
        unfinished=_unfinished(build, _STAGE_OF[view]),
    )


def _unfinished(build: Build, stage: str) -> str:
    """Say why rows of `stage` cannot be read; empty when they can, or when it was never begun."""
    begun = (build.path / stage).is_dir()
    readable = stage in build.finished_stages() or (stage == "dataset" and build.streams.is_dir())
    if readable or not begun:
        return ""
    command = _COMMANDS.get(stage, stage)
    return f"no manifest at {build.manifest(stage)}: unfinished; run `saber {command}` again"
