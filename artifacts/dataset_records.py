"""The records of the binding text dataset (section 4).

Part of the contract with users' queries: columns may be added, never renamed.
"""

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from artifacts.record import Binding, Record, Text

Split = Literal["train", "validation", "test", "held_out"]
Verdict = Literal["accepted", "rejected", "pending", "surplus"]


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
    raw: str = Field(
        description="The draft as the writer returned it; empty where a pending one hasn't come."
    )
    model: Text = Field(description="What exactly wrote it.")
    tokens_in: int | None = Field(description="Prompt tokens; null where nothing counts them.")
    tokens_out: int | None = Field(description="Completion tokens; null likewise.")
    plan: Text = Field(description="The plan as JSON: all that was sampled for the attempt.")
    request: str | None = Field(
        description="Checksum of the whole request; null for a writer that asks nobody."
    )
    finish: str | None = Field(
        description="Why a reply ended early: length, refusal, …; null where it ended by itself."
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
