"""Parquet files: the same table gives the same bytes, and a read proves what a write promised.

Knows the format and the checks; which files belong to a build is the manifest's to say.
"""

from pathlib import Path, PurePosixPath
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq

from artifacts.errors import StoreError
from artifacts.files import FileEntry, damaged, read_file, replace_file, require_size, sha256_of

# Every one of these, and pyarrow's own version, changes the bytes: a build that is to be identical
# to an earlier one needs them all the same.
_ROW_GROUP_ROWS = 10_000
_COMPRESSION_LEVEL = 3
_FORMAT_VERSION: Literal["2.6"] = "2.6"
_DATA_PAGE_VERSION: Literal["1.0"] = "1.0"


def write_table(root: Path, name: str, kind: str, table: pa.Table) -> FileEntry:
    """Write `table` to `root / name`, whole or not at all, and return its manifest entry.

    Folders between `root` and the file are created; `root`, the build's folder, must exist.
    """
    if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
        raise StoreError(f"{name!r} is no name below {root}: use a relative path without ..")
    path = root / name
    _make_folders(root, path.parent)
    content = parquet_bytes(table)
    replace_file(path, content)
    return FileEntry(name, kind, table.num_rows, len(content), sha256_of(content))


def read_verified(root: Path, entry: FileEntry, schema: pa.Schema) -> pa.Table:
    """Return the table that `entry` lists, after checking size, checksum, schema and rows."""
    path = root / entry.name
    require_size(root, entry)
    content = read_file(path)
    found = sha256_of(content)
    if found != entry.sha256:
        raise damaged(path, f"sha256 {entry.sha256[:12]}", f"{found[:12]}, so it was edited")
    table = _parse(path, content)
    if not table.schema.equals(schema):
        raise damaged(path, f"the columns {_columns(schema)}", _columns(table.schema))
    if table.num_rows != entry.rows:
        raise damaged(path, f"{entry.rows:,} rows", f"{table.num_rows:,}")
    return table


def parquet_bytes(table: pa.Table) -> bytes:
    """Return `table` as the bytes of a Parquet file; equal tables give equal bytes."""
    sink = pa.BufferOutputStream()
    # Chunks and schema metadata would show in the bytes without being part of the rows.
    pq.write_table(
        table.combine_chunks().replace_schema_metadata(None),
        sink,
        row_group_size=_ROW_GROUP_ROWS,
        compression="zstd",
        compression_level=_COMPRESSION_LEVEL,
        version=_FORMAT_VERSION,
        data_page_version=_DATA_PAGE_VERSION,
        use_dictionary=True,
        write_statistics=True,
    )
    return sink.getvalue().to_pybytes()


def _parse(path: Path, content: bytes) -> pa.Table:
    try:
        return pq.read_table(pa.BufferReader(content))
    except (pa.ArrowException, OSError) as error:
        raise damaged(path, "a Parquet file", str(error).splitlines()[0]) from error


def _make_folders(root: Path, folder: Path) -> None:
    if not root.is_dir():
        raise StoreError(f"cannot write below {root}: there is no such folder; create the build")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot create {folder}: {error.strerror}") from error


def _columns(schema: pa.Schema) -> str:
    return ", ".join(f"{field.name} {field.type}" for field in schema)
