"""What is known of each stored file by looking at it: complete, short, missing, corrupt, failed.

Unlike a query, which stops at the first damaged file, this looks at all and raises for none.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pyarrow as pa

from artifacts.errors import StoreError
from artifacts.files import FileEntry, sha256_of_file

_READERS = 4


def shard_states(root: Path, entries: Sequence[FileEntry]) -> list[str]:
    """Return the state of every entry, in order; reads every file once for its checksum."""
    with ThreadPoolExecutor(_READERS) as readers:
        return list(readers.map(partial(shard_state, root), entries))


def shard_state(root: Path, entry: FileEntry) -> str:
    """Return the state of one file: a `ShardState`."""
    path = root / entry.name
    if not path.is_file():
        return "missing"
    try:
        intact = path.stat().st_size == entry.bytes and sha256_of_file(path) == entry.sha256
    except StoreError:
        return "corrupt"
    if intact:
        return entry.state
    return "short" if _is_shorter(path, entry.rows) else "corrupt"


def _is_shorter(path: Path, rows: int) -> bool:
    """Whether the file is a whole Parquet file with fewer rows than its manifest lists."""
    # Imported for damaged files only: it would cost every query 20 ms.
    import pyarrow.parquet as pq

    try:
        return pq.read_metadata(path).num_rows < rows
    except (pa.ArrowException, OSError):
        return False
