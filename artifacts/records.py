"""The record types: one pydantic model per view, the contract with users' queries.

Columns may be added and never renamed. Parquet schemas, SQL views and the data dictionary are
generated from these models. Knows nothing of files or of how a record comes about.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

Subset = Literal["independent", "nested"]
Role = Literal["preserving", "attribute_swap", "object_swap", "joint_swap"]
ImageState = Literal["unscreened", "accepted", "rejected"]
Split = Literal["train", "validation", "test", "held_out"]
Verdict = Literal["accepted", "rejected", "pending", "surplus"]
ShardState = Literal["complete", "short", "missing", "corrupt", "failed"]

#: The roles in the order of section A.2, candidates 1 to 4.
ROLES: tuple[Role, ...] = ("preserving", "attribute_swap", "object_swap", "joint_swap")

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


class Question(Record):
    """A four-way multiple-choice question (section A.2)."""

    view: ClassVar[str] = "questions"
    key: ClassVar[tuple[str, ...]] = ("question_id",)

    question_id: Text = Field(description="Stable identifier.")
    n: int = Field(ge=2, description="Number of bindings in the query.")
    subset: Subset = Field(description="independent, or nested: a step of a chain.")
    chain_id: str | None = Field(description="The chain; null for independent questions.")
    query_scene_id: Text = Field(description="The scene that is the query.")
    answer: int = Field(ge=0, le=3, description="Position of the binding-preserving candidate.")


class Candidate(Record):
    """One of the four candidates of a question, as presented."""

    view: ClassVar[str] = "candidates"
    key: ClassVar[tuple[str, ...]] = ("question_id", "position")

    question_id: Text = Field(description="The question.")
    position: int = Field(ge=0, le=3, description="Presented position.")
    role: Role = Field(description="How the candidate was made from the query (section A.2).")
    scene_id: Text = Field(description="The scene that is the candidate.")
    bindings_kept: int = Field(ge=0, description="How many of the query's bindings it holds.")
    objects_from: list[int] = Field(
        description="The assignment: for each binding in scene order, the query position that its "
        "object has; -1 for an object that the query lacks (N = 2 only)."
    )
    attributes_from: list[int] = Field(
        description="The same for its attribute; -1 for an attribute that the query lacks."
    )


class Scene(Record):
    """An ordered tuple of bindings with its captions; belongs to one slot of one question."""

    view: ClassVar[str] = "scenes"
    key: ClassVar[tuple[str, ...]] = ("scene_id",)

    scene_id: Text = Field(description="Stable identifier.")
    bindings: list[Binding] = Field(description="The bindings in the caption's order.")
    text: Text = Field(description="Text form: the caption of the text modality (section A.3).")
    generation_text: Text = Field(description="Generation form: every attribute instantiated.")
    image_prompt: Text = Field(description="Prompt of the image model (section A.4).")
    flip: bool = Field(description="Whether the image is mirrored horizontally (p = 0.5).")


class Relevance(Record):
    """A gallery scene that holds every binding of a query (section A.5)."""

    view: ClassVar[str] = "relevance"
    key: ClassVar[tuple[str, ...]] = ("question_id", "scene_id")

    question_id: Text = Field(description="The question whose query asks.")
    scene_id: Text = Field(description="A positive of the query in the gallery of all candidates.")


class Image(Record):
    """A picture of a scene."""

    view: ClassVar[str] = "images"
    key: ClassVar[tuple[str, ...]] = ("scene_id",)

    scene_id: Text = Field(description="The scene shown.")
    source: Text = Field(description="What made the picture.")
    width: int = Field(gt=0, description="Width in pixels.")
    height: int = Field(gt=0, description="Height in pixels.")
    sha256: Text = Field(description="Checksum of the file.")
    state: ImageState = Field(description="Outcome of screening.")


class BoundPair(BaseModel):
    """One object of an example with its attributes in slot order."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    attributes: list[Text]
    object: Text


class Example(Record):
    """An accepted example of the binding text dataset (section 4)."""

    view: ClassVar[str] = "examples"
    key: ClassVar[tuple[str, ...]] = ("construction", "attempt")

    example_id: Text = Field(description="Stable identifier: construction and attempt.")
    construction: Text = Field(description="One of the seven constructions (section B.2).")
    query: Text = Field(description='The pairs as "A, B and C", no articles.')
    positive: Text = Field(description="Caption with the query's bindings.")
    negative_attribute: Text = Field(description="The positive with its attributes moved.")
    negative_object: Text = Field(description="The positive with its objects moved.")
    pairs: list[BoundPair] = Field(
        description="The bindings in the query's order; attributes[k] is slot k on every pair."
    )
    distractors: list[BoundPair] = Field(description="Further pairs of the text; may be empty.")
    length_words: int = Field(ge=1, description="Words of the positive.")
    band_low: int = Field(description="Lower end of the nominal length band, in words.")
    band_high: int = Field(description="Upper end of the nominal length band, in words.")
    distance_words: int = Field(ge=0, description="Binding distance: words strictly between.")
    window_low: int = Field(description="Lower end of the distance window, in words.")
    window_high: int = Field(description="Upper end of the distance window, in words.")
    scene: Text = Field(description="Seed scene of the plan.")
    time: str | None = Field(description="Time of day of the plan, if any.")
    weather: str | None = Field(description="Weather of the plan, if any.")
    writing_register: Text = Field(alias="register", description="Writing register of the plan.")
    opener: Text = Field(description="Sentence-opener style of the plan.")
    families: list[str | None] = Field(
        description="Attribute family per slot; null where the pool doesn't know a word."
    )
    counterbalanced: bool = Field(description="Whether the positive was drawn from the orbit.")
    kept_pair: int | None = Field(
        description="triple_bind_swap: index into pairs of the pair that both negatives keep."
    )
    swapped_slot: int | None = Field(
        description="attr_bundle: the attribute slot that the attribute negative exchanges."
    )
    described_first: int | None = Field(
        description="deferred_bind_anaphoric: the mention described first, 0 the first mentioned "
        "object, 1 the second."
    )
    remarks: list[str] = Field(
        description="What was found in the draft and recorded without rejecting it."
    )
    writer: Text = Field(description="Kind of writer: embedded or llm.")
    model: Text = Field(description="What exactly wrote it.")
    attempt: int = Field(ge=0, description="The attempt, numbered from 0 within the construction.")


class Attempt(Record):
    """One attempt: what a writer returned for a plan, and what became of it."""

    view: ClassVar[str] = "attempts"
    key: ClassVar[tuple[str, ...]] = ("construction", "attempt")

    construction: Text = Field(description="The construction.")
    attempt: int = Field(ge=0, description="Index, from 0 without gaps within the construction.")
    verdict: Verdict = Field(
        description="accepted, rejected, pending (not yet judged), surplus (after the quota)."
    )
    raw: str = Field(description="The draft as the writer returned it.")
    model: Text = Field(description="What exactly wrote it.")
    tokens_in: int | None = Field(description="Prompt tokens; null where nothing counts them.")
    tokens_out: int | None = Field(description="Completion tokens; null likewise.")
    plan: Text = Field(description="The plan as JSON: all that was sampled for the attempt.")
    request: str | None = Field(
        description="Checksum of the whole request; null for a writer that asks nobody."
    )


class Rejection(Record):
    """A rejected attempt with its reasons."""

    view: ClassVar[str] = "rejections"
    key: ClassVar[tuple[str, ...]] = ("construction", "attempt")

    construction: Text = Field(description="The construction.")
    attempt: int = Field(ge=0, description="The attempt.")
    reasons: list[str] = Field(min_length=1, description="The rules it broke.")
    details: list[str] = Field(description="What was found, one per reason.")
    raw: str = Field(description="The draft as the writer returned it.")


class AcceptedWordsRow(Record):
    """The core words of an accepted example: what its construction's ledger counts."""

    view: ClassVar[str] = "accepted_words"
    key: ClassVar[tuple[str, ...]] = ("construction", "attempt")

    construction: Text = Field(description="The construction.")
    attempt: int = Field(ge=0, description="The attempt.")
    attributes: list[str] = Field(description="Its attributes, case-folded, in pair order.")
    objects: list[str] = Field(description="Its objects, case-folded, in pair order.")


class Triplet(Record):
    """A training triplet: two per example, one per negative (section B.5)."""

    view: ClassVar[str] = "triplets"
    key: ClassVar[tuple[str, ...]] = ("example_id", "kind")

    example_id: Text = Field(description="The example.")
    kind: Literal["attribute", "object"] = Field(description="What the negative moves.")
    query: Text = Field(description="Anchor.")
    positive: Text = Field(description="The caption with the query's bindings.")
    negative: Text = Field(description="The caption with other bindings.")
    split: Split | None = Field(description="Split of the example; null until quotas are full.")


class SplitMember(Record):
    """The split of one example; computed when the quotas are full."""

    view: ClassVar[str] = "splits"
    key: ClassVar[tuple[str, ...]] = ("example_id",)

    example_id: Text = Field(description="The example.")
    split: Split = Field(description="train, validation, test, or held_out.")


class ParseCheck(Record):
    """The parser's second opinion on one example; recorded, never a reason to reject."""

    view: ClassVar[str] = "parses"
    key: ClassVar[tuple[str, ...]] = ("construction", "attempt")

    construction: Text = Field(description="The construction.")
    attempt: int = Field(ge=0, description="The attempt of the example.")
    links: list[Binding] = Field(description="The attribute-object links that the parser sees.")
    agreed: int = Field(ge=0, description="How many intended bindings are among them.")
    intended: int = Field(ge=1, description="How many bindings are intended.")
    object_tags: list[str] = Field(description="Part of speech of each object, in pair order.")
    attribute_tags: list[str] = Field(description="Part of speech of each attribute.")
    model: Text = Field(description="The spaCy model, with its version.")


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
