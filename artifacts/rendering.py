"""Query results as text: a table to look at, CSV, or JSON.

Nothing is left out or shortened in any of them. Knows nothing of where the rows come from.
"""

import csv
import io
import json
import math
from collections.abc import Callable, Iterator
from datetime import time, timedelta
from decimal import Decimal
from typing import Literal, TextIO

import pyarrow as pa
from pydantic import JsonValue

from artifacts.errors import QueryError

Format = Literal["table", "csv", "json"]

#: rich lays a table out in time that a large one makes felt; beyond this it is plain.
_RICH_ROWS = 2_000
_BATCH_ROWS = 1_000


def render(result: pa.Table, format: Format) -> str:
    """Return `result` as text."""
    text = io.StringIO()
    write_result(result, format, text)
    return text.getvalue()


def write_result(result: pa.Table, format: Format, stream: TextIO) -> None:
    """Write `result` to `stream`, a batch at a time where the format allows it."""
    writers: dict[Format, Callable[[pa.Table, TextIO], None]] = {
        "table": _write_table,
        "csv": _write_csv,
        "json": _write_json,
    }
    writers[format](result, stream)


def _write_json(result: pa.Table, stream: TextIO) -> None:
    names = _distinct(result.column_names)
    separator = "[\n"
    for row in _rows(result):
        stream.write(separator + _json(dict(zip(names, row, strict=True))))
        separator = ",\n"
    stream.write("\n]\n" if result.num_rows else "[]\n")


def _write_csv(result: pa.Table, stream: TextIO) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(result.column_names)
    writer.writerows([_cell(value, null="") for value in row] for row in _rows(result))


def _write_table(result: pa.Table, stream: TextIO) -> None:
    if stream.isatty() and result.num_rows <= _RICH_ROWS:
        _write_rich(result, stream)
    else:
        _write_plain(result, stream)


def _write_plain(result: pa.Table, stream: TextIO) -> None:
    lines = list(_table_lines(result))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    for line in lines:
        padded = "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        stream.write(padded.rstrip() + "\n")


def _write_rich(result: pa.Table, stream: TextIO) -> None:
    # Imported for terminals only: a pipe should not wait for it.
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    header, *rows = _table_lines(result)
    table = Table()
    for name in header:
        table.add_column(Text(name), overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    Console(file=stream).print(table)


def _table_lines(result: pa.Table) -> Iterator[list[str]]:
    yield [_printable(name) for name in result.column_names]
    for row in _rows(result):
        yield [_printable(_cell(value, null="NULL")) for value in row]


def _rows(result: pa.Table) -> Iterator[tuple[JsonValue, ...]]:
    for start in range(0, result.num_rows, _BATCH_ROWS):
        rows = result.slice(start, _BATCH_ROWS)
        yield from zip(*(_values(rows, index) for index in range(rows.num_columns)), strict=True)


def _values(rows: pa.Table, index: int) -> list[JsonValue]:
    column = rows.column(index)
    try:
        readable = column.cast(_readable(column.type))
        return [_json_value(scalar.as_py(maps_as_pydicts="lossy")) for scalar in readable]
    except (pa.ArrowException, ValueError, OverflowError) as error:
        raise QueryError(
            f"a column of type {column.type} cannot be shown: {error}; cast it to VARCHAR"
        ) from error


def _readable(type_: pa.DataType) -> pa.DataType:
    """Return `type_` with text for dates: Python's own end at 9999 and have no nanoseconds."""
    if pa.types.is_date(type_) or pa.types.is_timestamp(type_):
        return pa.string()
    if isinstance(type_, pa.ListType):
        return pa.list_(_readable(type_.value_type))
    if isinstance(type_, pa.StructType):
        return pa.struct([(field.name, _readable(field.type)) for field in type_])
    return type_


def _json_value(value: object) -> JsonValue:
    match value:
        case None | bool() | int() | str() | float():
            return value
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case time():
            return value.isoformat()
        case bytes():
            return value.decode(errors="backslashreplace")
        case dict():
            return {str(key): _json_value(item) for key, item in value.items()}
        case pa.MonthDayNano():
            return _interval(value)
        case timedelta():
            return str(value)
        case list() | tuple():
            return [_json_value(item) for item in value]
    return str(value)


def _interval(value: pa.MonthDayNano) -> str:
    months, days, nanoseconds = value
    return f"{months} months {days} days {nanoseconds / 1e9:g} seconds"


def _cell(value: JsonValue, null: str) -> str:
    if value is None:
        return null
    if isinstance(value, str | float):
        return str(value)
    return _json(value)


def _json(value: JsonValue) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, allow_nan=False)


def _finite(value: JsonValue) -> JsonValue:
    """Return `value` with null for what JSON has no number for."""
    match value:
        case float():
            return value if math.isfinite(value) else None
        case list():
            return [_finite(item) for item in value]
        case dict():
            return {key: _finite(item) for key, item in value.items()}
    return value


def _printable(text: str) -> str:
    """Return `text` on one line, and without what a terminal would obey."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _distinct(names: list[str]) -> list[str]:
    """Return `names` with repeated ones numbered: an object holds each name once."""
    seen: dict[str, int] = {}
    distinct = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        distinct.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return distinct
