"""The record types: one pydantic model per view, the contract with users' queries.

Columns may be added and never renamed. Parquet schemas, SQL views and the data dictionary are
generated from these models. Knows nothing of files or of how a record comes about.
"""

from typing import ClassVar, Literal

from pydantic import Field

from artifacts.benchmark_records import (
    ROLES,
    Candidate,
    Image,
    ImageState,
    Question,
    Relevance,
    Role,
    Scene,
    Subset,
)
from artifacts.dataset_records import (
    AcceptedWordsRow,
    Attempt,
    BoundPair,
    Example,
    ParseCheck,
    Rejection,
    Split,
    SplitMember,
    Triplet,
    Verdict,
)
from artifacts.model_records import Curve, Outcome, Pairing, Result
from artifacts.record import Binding, Record, Text

__all__ = [
    "RECORD_TYPES",
    "ROLES",
    "AcceptedWordsRow",
    "Attempt",
    "Binding",
    "BoundPair",
    "Candidate",
    "Curve",
    "Example",
    "Image",
    "ImageState",
    "Outcome",
    "Pairing",
    "ParseCheck",
    "Question",
    "Record",
    "Rejection",
    "Relevance",
    "Result",
    "Role",
    "Scene",
    "Shard",
    "ShardState",
    "Split",
    "SplitMember",
    "Subset",
    "Text",
    "Triplet",
    "Verdict",
]

ShardState = Literal["complete", "short", "missing", "corrupt", "failed"]


class Shard(Record):
    """One stored file and what is known of it."""

    view: ClassVar[str] = "shards"
    key: ClassVar[tuple[str, ...]] = ("name",)

    name: Text = Field(description="Path below the build.")
    kind: Text = Field(description="The record type that it stores.")
    state: ShardState = Field(description="complete, short, missing, corrupt, failed.")
    rows: int = Field(ge=0, description="Rows that the manifest lists.")


RECORD_TYPES: tuple[type[Record], ...] = (
    Question,
    Candidate,
    Scene,
    Relevance,
    Image,
    Example,
    Triplet,
    SplitMember,
    ParseCheck,
    Attempt,
    Rejection,
    AcceptedWordsRow,
    Shard,
    Result,
    Outcome,
    Curve,
)
