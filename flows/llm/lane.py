"""What the driver knows of one construction: its orders, what is out, how much it still needs.

Pure bookkeeping; decides whose turn it is.
"""

import asyncio
import math
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from flows.llm.asking import Request
from flows.llm.messages import FirstRejection, Order, Report
from flows.stages.stream_run import StreamOutcome

#: Requests beyond what the rate of acceptance calls for, so that the end of a run doesn't wait for
#: one rejection after another.
_SPARE = 4


@dataclass(eq=False, slots=True)
class Asked:
    """An attempt that is asked for and has no reply: by one request, or by two if one is late."""

    order: Order
    requests: dict["asyncio.Task[None]", Request] = field(default_factory=dict)
    #: Whether there was a second request; there is no third.
    is_doubled: bool = False


class Lane:
    """One construction's requests."""

    def __init__(self, construction: str, quota: int) -> None:
        self.construction = construction
        self.quota = quota
        self.accepted = 0
        self.settled = 0
        self.orders: deque[Order] = deque()
        #: What is asked for and has no reply, by its attempt.
        self.out: dict[int, Asked] = {}
        #: The attempt after the last one that was asked for.
        self.asked = 0
        #: Why nothing more is asked for, where that is so.
        self.stopped: str | None = None
        self.is_full = False
        self.is_closing = False
        self.outcome: StreamOutcome | None = None
        self.rejections: list[FirstRejection] = []
        #: How often each rule has rejected a draft in this run.
        self.reasons: Counter[str] = Counter()
        self._tokens = (0, 0)
        #: Accepted and settled when the run began.
        self._began_at: tuple[int, int] | None = None
        #: Replies handed to the engine.
        self.handed = 0
        self._taken = 0
        self._unsettled = 0

    def hear(self, report: Report) -> None:
        """Take in a report."""
        self.orders += report.orders
        self.accepted, self.settled = report.accepted, report.settled
        self.rejections, self.reasons = report.rejections, report.reasons
        self._tokens = report.tokens_in, report.tokens_out
        if self._began_at is None:
            self._began_at = report.accepted, report.settled
        self._unsettled, self._taken = report.unsettled, report.taken
        self.is_full = report.is_full
        self.stopped = self.stopped or report.stopped

    def fail(self) -> None:
        """Take in that the engine can't go on: what it last reported is what came of it."""
        self.outcome = StreamOutcome(
            self.construction, self.accepted, self.settled, "failed", self.reasons, *self._tokens
        )

    @property
    def has_gained(self) -> bool:
        """Whether this run has accepted anything."""
        return self.gained > 0

    @property
    def gained(self) -> int:
        """How many examples this run has accepted."""
        return self.accepted - self._began_at[0] if self._began_at else 0

    @property
    def judged(self) -> int:
        """How many attempts this run has settled."""
        return self.settled - self._began_at[1] if self._began_at else 0

    @property
    def is_open(self) -> bool:
        """Whether more may be asked for."""
        return not (self.is_full or self.is_closing or self.stopped)

    @property
    def need(self) -> int:
        """How many attempts it takes, by the share accepted so far, to fill the quota."""
        share = (self.accepted + 1) / (self.settled + 1)
        return math.ceil((self.quota - self.accepted) / min(share, 1.0)) + _SPARE

    @property
    def wants(self) -> bool:
        """Whether another request is to be made."""
        coming = len(self.out) + self.handed - self._taken + self._unsettled
        return self.is_open and bool(self.orders) and coming < self.need

    def take_order(self) -> Asked:
        """Return the next attempt to ask for."""
        asked = Asked(self.orders.popleft())
        self.asked = asked.order.attempt + 1
        self.out[asked.order.attempt] = asked
        return asked


def choose(lanes: Iterable[Lane]) -> Lane | None:
    """Return the lane whose turn it is: all are to be full at about the same time."""
    wanting = [lane for lane in lanes if lane.wants]
    return min(wanting, key=lambda lane: (len(lane.out) + 1) / lane.need, default=None)
