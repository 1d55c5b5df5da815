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
from artifacts.record import Binding, Record, Text

__all__ = [
    "RECORD_TYPES",
    "ROLES",
    "AcceptedWordsRow",
    "Attempt",
    "Binding",
    "BoundPair",
    "Candidate",
    "Example",
    "Image",
    "ImageState",
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


class Result(Record):
    """One measured figure of an evaluation run."""

    view: ClassVar[str] = "results"
    key: ClassVar[tuple[str, ...]] = ("run", "pairing", "metric", "subset", "n")

    run: Text = Field(description="The evaluation run.")
    model: Text = Field(description="The embedder.")
    pairing: Literal["t2t", "t2i", "i2t", "i2i"] = Field(description="Query and gallery modality.")
    metric: Text = Field(description="mcq_accuracy, map, ...")
    n: int | None = Field(description="Bindings; null for the mean over N, every N alike.")
    subset: Literal["all", "independent", "nested"] = Field(description="Which questions.")
    value: float = Field(description="The figure, in percent.")


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
)
