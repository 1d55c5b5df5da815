"""What every record type is: an immutable row with a view, a key and described columns.

Knows nothing of any one record type.
"""

from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field

Text = Annotated[str, Field(min_length=1)]


class Record(BaseModel):
    """A row. Immutable; unknown fields are refused. A field's alias, if any, names its column."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_by_name=True)

    #: The view that shows these rows.
    view: ClassVar[str]
    #: The columns that identify a row.
    key: ClassVar[tuple[str, ...]]


class Binding(BaseModel):
    """One attribute on one object."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    attribute: Text
    object: Text
