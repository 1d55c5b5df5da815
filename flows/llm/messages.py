"""What passes between the event loop and the engines; light to import, since both sides do."""

from collections import Counter
from dataclasses import dataclass, field
from logging import LogRecord

from flows.stages.stream_run import StreamOutcome


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model wrote."""

    raw: str
    #: Why it ended, where not by itself.
    finish: str | None
    tokens_in: int | None
    tokens_out: int | None


@dataclass(frozen=True, slots=True)
class Order:
    """A request to make."""

    attempt: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class Arrival:
    """A reply that came."""

    construction: str
    attempt: int
    reply: Reply


@dataclass(frozen=True, slots=True)
class FirstRejection:
    """Why one of the first drafts was rejected, while none has been accepted."""

    rules: tuple[str, ...]
    detail: str
    raw: str


@dataclass(frozen=True, slots=True)
class Report:
    """How far a construction is, and what it needs next."""

    construction: str
    orders: list[Order]
    accepted: int
    settled: int
    #: Replies that wait for their turn.
    unsettled: int
    #: Replies that have been taken in.
    taken: int
    is_full: bool
    #: Why nothing more is to be asked for, where that is so.
    stopped: str | None
    rejections: list[FirstRejection]
    #: How often each rule has rejected a draft in this run.
    reasons: Counter[str] = field(default_factory=Counter)
    #: Tokens of this run's replies.
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True)
class Close:
    """Asks an engine to finish."""

    construction: str
    #: Why, where its quota isn't full.
    stopped: str | None
    #: The attempt after the last one that was asked for.
    asked: int


@dataclass(frozen=True, slots=True)
class Failed:
    """An engine met what it can't mend."""

    constructions: tuple[str, ...]
    error: Exception


Message = Arrival | Close
Answer = Report | StreamOutcome | Failed
#: What comes out of a process of engines: answers, and lines of its log.
Told = Answer | LogRecord
