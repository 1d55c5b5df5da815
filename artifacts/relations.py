"""The views as DuckDB sees them: registered datasets over listed files, and SQL over those.

Knows files, schemas and DuckDB, and nothing of manifests, record types or where a query comes from.
Light on purpose (no pydantic): the process that runs users' SQL imports it for every query.
"""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow import fs

from artifacts.errors import BuildMissingError
from artifacts.files import PARTITION_COLUMN, FileEntry, damaged, require_checksum, require_size
from artifacts.shards import shard_states

#: Shut DuckDB off from files, network and this process's variables. A dataset needs none of them.
CLOSED_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "python_enable_replacements": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "temp_directory": "",
}


@dataclass(frozen=True)
class Relation:
    """Rows of one record type and the files that hold them, in order."""

    name: str
    schema: pa.Schema
    files: tuple[FileEntry, ...]
    #: Why the rows cannot be had yet; empty when they can.
    unfinished: str = ""


@dataclass(frozen=True)
class DerivedView:
    """A view that SQL computes from relations."""

    name: str
    sql: str
    reads: tuple[str, ...]


@dataclass(frozen=True)
class Catalog:
    """All views of one build."""

    #: The build's folder; the names of files are below it.
    root: Path
    relations: tuple[Relation, ...]
    derived: tuple[DerivedView, ...]
    #: The view that lists every file with its state, computed when it is asked for.
    shards: Relation


def register(
    connection: duckdb.DuckDBPyConnection, catalog: Catalog, used: Collection[str]
) -> None:
    """Make every view of `catalog` known to `connection`, after checking the files of `used` ones.

    Views that are not used are there too, so that a misspelt name finds its neighbours; a damaged
    file of theirs harms nobody.
    """
    for relation in _used_relations(catalog, used):
        _require_files(catalog.root, relation)
    for relation in catalog.relations:
        connection.register(relation.name, _rows(catalog.root, relation))
    connection.register(catalog.shards.name, _shards(catalog, used))
    for view in catalog.derived:
        connection.execute(f"CREATE TEMP VIEW {view.name} AS {view.sql}")


def table_names(sql: str) -> set[str]:
    """Return the names of tables and views that `sql` reads, in lower case."""
    # An empty database: DuckDB names only what it cannot resolve itself.
    with duckdb.connect(config=CLOSED_CONFIG) as empty:
        try:
            return {name.lower() for name in empty.get_table_names(sql)}
        except duckdb.Error:
            # SHOW and the like look a name up at once; they read no rows.
            return set()


def require_contents(catalog: Catalog, used: Collection[str]) -> None:
    """Raise `DamagedFileError` unless the files of the `used` views have the listed checksums."""
    for relation in _used_relations(catalog, used):
        for entry in relation.files:
            require_checksum(catalog.root, entry)


def _used_relations(catalog: Catalog, views: Collection[str]) -> list[Relation]:
    names = set(views)
    for view in catalog.derived:
        if view.name in names:
            names.update(view.reads)
    return [relation for relation in catalog.relations if relation.name in names]


def _require_files(root: Path, relation: Relation) -> None:
    if relation.unfinished:
        raise BuildMissingError(relation.unfinished)
    for entry in relation.files:
        require_size(root, entry)


def _rows(root: Path, relation: Relation) -> pa.Table | ds.Dataset:
    if not relation.files:
        return relation.schema.empty_table()
    partitioned = PARTITION_COLUMN in relation.schema.names
    return ds.FileSystemDataset.from_paths(
        [str(root / entry.name) for entry in relation.files],
        schema=relation.schema,
        format=ds.ParquetFileFormat(),
        filesystem=fs.LocalFileSystem(),
        partitions=[_partition(root, entry) for entry in relation.files] if partitioned else None,
    )


def _partition(root: Path, entry: FileEntry) -> ds.Expression:
    prefix = f"{PARTITION_COLUMN}="
    for part in PurePosixPath(entry.name).parts:
        if part.startswith(prefix):
            return ds.field(PARTITION_COLUMN) == part.removeprefix(prefix)
    raise damaged(root / entry.name, f"rows of one {PARTITION_COLUMN}", f"no {prefix}… folder")


def _shards(catalog: Catalog, used: Collection[str]) -> pa.Table:
    if catalog.shards.name not in used:
        return catalog.shards.schema.empty_table()
    states = shard_states(catalog.root, catalog.shards.files)
    columns = {
        "name": [entry.name for entry in catalog.shards.files],
        "kind": [entry.kind for entry in catalog.shards.files],
        "state": states,
        "rows": [entry.rows for entry in catalog.shards.files],
    }
    return pa.table(columns, schema=catalog.shards.schema)
