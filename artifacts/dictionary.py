"""The data dictionary: every view and column in Markdown, generated from the record types.

`docs/data-dictionary.md` is its output and `saber sql --schema` prints it, so what a user reads
cannot drift from what is stored. Knows nothing of files or builds.
"""

import inspect
from collections.abc import Mapping
from typing import NamedTuple

import pyarrow as pa
from pydantic.fields import FieldInfo

from artifacts.records import RECORD_TYPES, Example, Record, Triplet
from artifacts.schema import arrow_schema, column_name

#: Columns of a view that its rows are not stored with: the catalog joins them.
_JOINED: Mapping[type[Record], tuple[type[Record], tuple[str, ...]]] = {
    Example: (Triplet, ("split",)),
}

_SQL_TYPES = {
    pa.string(): "VARCHAR",
    pa.int64(): "BIGINT",
    pa.bool_(): "BOOLEAN",
    pa.float64(): "DOUBLE",
}

_HEADER = """\
# Data dictionary

The views that `saber sql` and every other reader of a build sees. Generated from
`artifacts/records.py`; a test fails when this page drifts from it.

**The names are a contract.** Queries outlive the code that filled the tables: a column may be
added, never renamed or removed, and never change its meaning. Every view always exists; it is empty
where its stage was not built.
"""


class Column(NamedTuple):
    """A column of a view as a reader meets it."""

    name: str
    sql_type: str
    nullable: bool
    description: str


def view_columns(record_type: type[Record]) -> list[Column]:
    """Return the columns of the view of `record_type`, in order."""
    columns = _columns(record_type, dict(record_type.model_fields))
    if record_type in _JOINED:
        source, names = _JOINED[record_type]
        columns += _columns(source, {name: source.model_fields[name] for name in names})
    return columns


def data_dictionary() -> str:
    """Return the whole page."""
    return "\n".join([_HEADER, *map(_section, RECORD_TYPES)])


def _columns(record_type: type[Record], fields: dict[str, FieldInfo]) -> list[Column]:
    schema = arrow_schema(record_type)
    columns = []
    for attribute, info in fields.items():
        field = schema.field(column_name(attribute, info))
        description = info.description or ""
        columns.append(Column(field.name, _sql_type(field.type), field.nullable, description))
    return columns


def _sql_type(type_: pa.DataType) -> str:
    if isinstance(type_, pa.ListType):
        return f"{_sql_type(type_.value_type)}[]"
    if isinstance(type_, pa.StructType):
        inner = ", ".join(f"{field.name} {_sql_type(field.type)}" for field in type_)
        return f"STRUCT({inner})"
    return _SQL_TYPES[type_]


def _section(record_type: type[Record]) -> str:
    key = ", ".join(f"`{name}`" for name in record_type.key)
    rows = [_row(column) for column in view_columns(record_type)]
    return "\n".join(
        [
            f"## {record_type.view}",
            "",
            f"{inspect.cleandoc(record_type.__doc__ or '')} Key: {key}.",
            "",
            "| column | type | null | description |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def _row(column: Column) -> str:
    null = "yes" if column.nullable else "no"
    description = column.description.replace("|", "\\|")
    return f"| {column.name} | `{column.sql_type}` | {null} | {description} |"


if __name__ == "__main__":
    print(data_dictionary(), end="")
