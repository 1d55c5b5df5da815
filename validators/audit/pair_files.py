"""Pair files of any origin: Parquet, CSV, or JSON, with a positive and a negative a row.

Knows forms of files and names of columns; the texts themselves are the audit's.
"""

import csv
import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from artifacts.errors import SettingsError, StoreError
from validators.audit.pairs import PairTable, make_pairs, words_key

#: A row as read; whether its values are text is not yet known.
Row = Mapping[str, object]


def read_pairs(
    path: Path,
    *,
    positive_column: str = "positive",
    negative_column: str = "negative",
) -> PairTable:
    """Return the pairs of a file: Parquet, CSV, JSON (an array, lines, or an object of rows).

    Columns used where present: `construction`; `group`, or else `query`, whose words tell which
    pairs belong together. Without either, positives with the same words share a group.
    """
    rows = _read_rows(path)
    if not rows:
        raise StoreError(f"{path} holds no rows: an audit needs pairs")
    _require_columns(path, rows, (positive_column, negative_column))
    return make_pairs(
        _texts(path, rows, positive_column),
        _texts(path, rows, negative_column),
        _groups(path, rows),
        _texts(path, rows, "construction") if "construction" in rows[0] else None,
    )


def _groups(path: Path, rows: Sequence[Row]) -> list[Hashable] | None:
    if "group" in rows[0]:
        return [_group(path, number, row) for number, row in enumerate(rows, 1)]
    if "query" in rows[0]:
        return [words_key(query) for query in _texts(path, rows, "query")]
    return None


def _group(path: Path, number: int, row: Row) -> Hashable:
    value = row.get("group")
    if value is None or not isinstance(value, Hashable):
        raise StoreError(f"{path}, row {number}, column 'group': expected a name, found {value!r}")
    return value


def _require_columns(path: Path, rows: Sequence[Row], names: Sequence[str]) -> None:
    for name in names:
        if name not in rows[0]:
            raise SettingsError(
                f"{path} has no column {name!r}; it has {', '.join(rows[0]) or 'none'}: "
                "name the columns of the positive and the negative"
            )


def _texts(path: Path, rows: Sequence[Row], name: str) -> list[str]:
    texts = []
    for number, row in enumerate(rows, 1):
        value = row.get(name)
        if not isinstance(value, str) or not value.strip():
            raise StoreError(
                f"{path}, row {number}, column {name!r}: expected text, found {value!r}"
            )
        texts.append(value)
    return texts


def _read_rows(path: Path) -> list[Row]:
    if path.suffix.lower() not in _READERS:
        raise SettingsError(
            f"cannot tell what {path} is: expected a file ending in {', '.join(_READERS)}"
        )
    try:
        return _READERS[path.suffix.lower()](path)
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise StoreError(f"cannot read {path}: byte {error.start} is not UTF-8") from error
    except (json.JSONDecodeError, csv.Error, pa.ArrowException) as error:
        raise StoreError(f"cannot read {path}: {str(error).splitlines()[0]}") from error


def _read_parquet(path: Path) -> list[Row]:
    with path.open("rb") as file:
        return list(pq.read_table(file).to_pylist())


def _read_csv(path: Path) -> list[Row]:
    # Excel writes a byte order mark.
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, restkey="(more)", strict=True))


def _read_json(path: Path) -> list[Row]:
    text = path.read_text(encoding="utf-8-sig")
    try:
        document: object = json.loads(text) if text.strip() else []
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise
        # A first document and then another: lines under this name.
        return _parse_lines(path, text)
    if isinstance(document, dict):
        # One row, or an object of id → row.
        is_row = not any(isinstance(value, dict) for value in document.values())
        document = [document] if is_row else list(document.values())
    return _objects(path, document)


def _read_lines(path: Path) -> list[Row]:
    return _parse_lines(path, path.read_text(encoding="utf-8-sig"))


def _parse_lines(path: Path, text: str) -> list[Row]:
    # Not `splitlines`: JSON may hold other line separators inside a string.
    return _objects(path, [json.loads(line) for line in text.split("\n") if line.strip()])


def _objects(path: Path, document: object) -> list[Row]:
    rows: list[Row] = []
    for row in document if isinstance(document, list) else [document]:
        if not isinstance(row, dict):
            raise StoreError(
                f"{path}, row {len(rows) + 1}: expected an object, found {str(row)[:60]!r}"
            )
        rows.append(row)
    return rows


_READERS: dict[str, Callable[[Path], list[Row]]] = {
    ".parquet": _read_parquet,
    ".csv": _read_csv,
    ".json": _read_json,
    ".jsonl": _read_lines,
    ".ndjson": _read_lines,
}
