"""Arrow schemas and tables, generated from the record types.

One place translates a pydantic annotation into an Arrow type; everything that stores, queries or
documents a record goes through it. Knows nothing of files, builds or SQL.
"""

import types
from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

import pyarrow as pa
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from artifacts.errors import DamagedFileError, StoreError
from artifacts.files import PARTITION_COLUMN
from artifacts.records import RECORD_TYPES, Record

R = TypeVar("R", bound=Record)

_SCALARS: dict[object, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    bool: pa.bool_(),
    float: pa.float64(),
}


class ArrowType(NamedTuple):
    """An Arrow type, and whether null is one of its values."""

    type: pa.DataType
    nullable: bool


def record_type_of(view: str) -> type[Record] | None:
    """Return the record type that `view` shows, or None where no record type has that name."""
    return next((kind for kind in RECORD_TYPES if kind.view == view), None)


def is_partitioned(record_type: type[Record]) -> bool:
    """Whether the records are stored by construction, one folder each."""
    return PARTITION_COLUMN in record_type.model_fields and PARTITION_COLUMN in record_type.key


def arrow_schema(record_type: type[Record], without: frozenset[str] = frozenset()) -> pa.Schema:
    """Return the schema of `record_type`, minus the columns that `without` names."""
    fields = arrow_fields(record_type)
    return pa.schema([field for field in fields if field.name not in without])


def stored_schema(record_type: type[Record]) -> pa.Schema:
    """Return the schema of a file of such records."""
    return arrow_schema(record_type, absent_columns(record_type))


def absent_columns(record_type: type[Record]) -> frozenset[str]:
    """Return the columns that the path of a file holds instead of the file."""
    return frozenset({PARTITION_COLUMN}) if is_partitioned(record_type) else frozenset()


def to_table(
    record_type: type[Record],
    records: Sequence[Record],
    without: frozenset[str] = frozenset(),
) -> pa.Table:
    """Return `records` as a table of `arrow_schema(record_type, without)`, in the given order."""
    schema = arrow_schema(record_type, without)
    attributes = {column_name(name, info): name for name, info in record_type.model_fields.items()}
    columns = [
        _column(field, [getattr(record, attributes[field.name]) for record in records])
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def to_stored_table(record_type: type[Record], records: Sequence[Record]) -> pa.Table:
    """Return `records` as the table of one file: without what its path holds."""
    return to_table(record_type, records, absent_columns(record_type))


def from_table(record_type: type[R], table: pa.Table) -> list[R]:
    """Return the rows of `table` as validated records; the inverse of `to_table`."""
    return [_record(record_type, row, index) for index, row in enumerate(table.to_pylist())]


def column_name(name: str, info: FieldInfo) -> str:
    """Return the column of the model field `name`: its alias, if it has one."""
    return info.alias or name


def arrow_fields(model: type[BaseModel]) -> list["pa.Field[pa.DataType]"]:
    """Return the Arrow fields of `model`, in its own order."""
    fields = []
    for name, info in model.model_fields.items():
        arrow = _arrow_type(info.annotation)
        fields.append(pa.field(column_name(name, info), arrow.type, nullable=arrow.nullable))
    return fields


def _record(record_type: type[R], row: dict[str, object], index: int) -> R:
    try:
        return record_type.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        message = f"{record_type.view}, row {index}, {where}: {first['msg']}; build them again"
        raise DamagedFileError(message) from error


def _arrow_type(annotation: object) -> ArrowType:
    """Translate one annotation; what the store cannot hold is a mistake in the record type."""
    if annotation in _SCALARS:
        return ArrowType(_SCALARS[annotation], nullable=False)
    origin = get_origin(annotation)
    if origin is Annotated:
        return _arrow_type(get_args(annotation)[0])
    if origin is Literal:
        return _literal_type(annotation)
    if origin in (Union, types.UnionType):
        return _optional_type(annotation)
    if origin is list:
        # "element" is Parquet's own name for it: any other changes on the way to disk and back.
        element = _arrow_type(get_args(annotation)[0])
        field = pa.field("element", element.type, nullable=element.nullable)
        return ArrowType(pa.list_(field), nullable=False)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return ArrowType(pa.struct(arrow_fields(annotation)), nullable=False)
    raise TypeError(f"no Arrow type for {annotation!r}: see artifacts/schema.py")


def _literal_type(annotation: object) -> ArrowType:
    (kind,) = {type(value) for value in get_args(annotation)}
    return ArrowType(_SCALARS[kind], nullable=False)


def _optional_type(annotation: object) -> ArrowType:
    inner = [part for part in get_args(annotation) if part is not type(None)]
    if len(inner) != 1:
        raise TypeError(f"a column has one type, perhaps or null: {annotation!r}")
    return ArrowType(_arrow_type(inner[0]).type, nullable=True)


def _column(
    field: "pa.Field[pa.DataType]", values: list[object]
) -> "pa.Array[pa.Scalar[pa.DataType]]":
    if pa.types.is_nested(field.type):
        values = [_plain(value) for value in values]
    try:
        return pa.array(values, type=field.type)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeError) as error:
        message = f"column {field.name}: a value does not fit {field.type}: {error}"
        raise StoreError(message) from error


def _plain(value: object) -> object:
    """Return `value` as pyarrow takes it: nested models as dicts, also inside lists."""
    if isinstance(value, BaseModel):
        # Not `model_dump`, which takes as long as all else about a row.
        return {name: _plain(item) for name, item in vars(value).items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value
