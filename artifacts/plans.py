"""Plans, drafts and assembled examples: what generators hand to validators.

A *plan* is all that was sampled for one attempt, a *draft* what a writer returned for it, an
*assembled* example the draft turned into a query, a positive and two negatives. Knows nothing of
how a plan is sampled, a draft written or an example judged.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict


class Range(NamedTuple):
    """Both ends count: `low <= value <= high`."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Pair:
    """One object with its attributes in slot order (one slot, or two in attr_bundle)."""

    attributes: tuple[str, ...]
    object: str


@dataclass(frozen=True, slots=True)
class Plan:
    """All that was sampled for one attempt (section B.3); assembling draws nothing more."""

    construction: str
    attempt: int
    #: Seed of this attempt, for a writer that draws while it writes.
    seed: int
    scene: str
    time: str | None
    weather: str | None
    register: str
    opener: str
    #: Nominal length band in words; a draft may be one below to four above.
    band: Range
    #: Binding distance in words, as the construction measures it.
    window: Range
    #: The queried pairs in the order in which the text is to mention the objects; empty where the
    #: writer chooses them itself.
    pairs: tuple[Pair, ...]
    #: Further pairs to weave in, none of them queried; empty where there are none.
    distractors: tuple[Pair, ...]
    #: How many distractors a writer that chooses its own words is asked for.
    distractor_count: int
    #: triple_bind_swap: index (in text order) of the object slot whose pair stays intact.
    kept_pair: int | None
    #: attr_bundle: the slot that the attribute negative exchanges.
    swapped_slot: int | None
    #: deferred_bind_anaphoric: the mention (0 first, 1 second) whose attribute comes first.
    described_first: int | None
    #: triple_bind_cycle: +1 or -1, which way both negatives rotate.
    direction: int | None
    #: Which member of the orbit becomes the positive (taken modulo its size); None: the draft as
    #: written, the paper's procedure without counterbalance.
    orbit_draw: int | None
    #: The order in which the query lists the pairs, as indices into text order.
    query_order: tuple[int, ...]


class DraftPair(BaseModel):
    """One pair as the writer reports it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    attributes: list[str]
    object: str


class Draft(BaseModel):
    """What a writer returned, parsed: the pairs it used and the caption that binds them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: A raw draft may leave them out where the plan fixes them; parsing fills them in.
    pairs: list[DraftPair] = []
    distractors: list[DraftPair] = []
    positive: str


class Writer(Protocol):
    """Writes one draft for one plan, as raw JSON text of a `Draft`."""

    @property
    def name(self) -> str:
        """`embedded` or `llm`."""
        ...

    @property
    def model(self) -> str:
        """What exactly wrote: a grammar's version or a served model's name."""
        ...

    @property
    def repeats_itself(self) -> bool:
        """Whether the same plan always gives the same draft: a lost one can be had again."""
        ...

    def write(self, plan: Plan) -> str:
        """Return the raw draft for `plan`."""
        ...


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a draft breaks: the rule's name and what was found."""

    rule: str
    detail: str


@dataclass(frozen=True, slots=True)
class Assembled:
    """A draft turned into a query, a positive, two negatives and the rest of the orbit."""

    plan: Plan
    #: The queried bindings, in the query's order.
    pairs: tuple[Pair, ...]
    distractors: tuple[Pair, ...]
    query: str
    positive: str
    negative_attribute: str
    negative_object: str
    #: The caption as the writer wrote it: the yardstick for errors that an edit introduced.
    draft: str
    #: Every arrangement that the construction's moves can reach, the three above among them.
    orbit: tuple[str, ...]
    #: triple_bind_swap: index into `pairs` of the pair that both negatives keep.
    kept_pair: int | None
