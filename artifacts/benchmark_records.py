"""The records of the SABER benchmark (section 3).

Part of the contract with users' queries: columns may be added, never renamed.
"""

from typing import ClassVar, Literal

from pydantic import Field

from artifacts.record import Binding, Record, Text

Subset = Literal["independent", "nested"]
Role = Literal["preserving", "attribute_swap", "object_swap", "joint_swap"]
ImageState = Literal["unscreened", "accepted", "rejected"]

#: The roles in the order of section A.2, candidates 1 to 4.
ROLES: tuple[Role, ...] = ("preserving", "attribute_swap", "object_swap", "joint_swap")


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
    scattered_text: Text | None = Field(
        description="The scene told with no attribute beside its object: all objects, then what "
        "each is. Not a text of the paper's; null where the build was made without it."
    )


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
