"""One request until there is a reply: asked again in place while the server fails.

A slot of the limiter is held while a request is out, and free while one waits to be repeated; time
in the queue counts for nothing. Knows which requests are out for longer than usual, but nothing of
attempts or constructions.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from artifacts.errors import ServerFailedError, ServerRefusedError
from flows.llm.client import Asks
from flows.llm.faults import PatienceEnded, TransportFault
from flows.llm.limiter import Limiter, Load, Ticket
from flows.llm.messages import Reply
from flows.llm.timing import Timing
from flows.llm.usage import Usage

_FIRST_WAIT_SECONDS = 0.1
_LONGEST_WAIT_SECONDS = 15.0
#: After so long a wait ends if anybody got a reply meanwhile: the server is well.
_LOOK_SECONDS = 1.0
#: So many answers, all faults and all alike, and not one reply: the server will not recover.
_ALIKE = 20
#: A request without a reply is late after so many times as long as replies usually take, all its
#: faults and waits among it, and after so many seconds.
_LATE_FACTOR = 1.5
_LATE_SECONDS = 1.0
#: The usual time is taken over about so many of the latest replies.
_USUAL_REPLIES = 64


@dataclass(slots=True)
class Request:
    """What is asked, and how that has gone so far."""

    payload: bytes
    #: When it was sent first.
    since: float = 0.0
    #: Whether it is sent and not answered; not while it waits to be repeated.
    is_out: bool = False
    #: It has been failing for so long: in requests and between them, not in the queue.
    seconds: float = 0.0
    faults: int = 0


@dataclass(slots=True)
class Asker:
    """Asks one server for many."""

    client: Asks
    limiter: Limiter
    retry_seconds: float
    usage: Usage
    timing: Timing = field(default_factory=Timing)
    _replied_at: float | None = None
    _answered_faults: int = 0
    _usual_seconds: float = 0.0

    async def ask(
        self, request: Request, ticket: Ticket, is_wanted: Callable[[], bool]
    ) -> Reply | None:
        """Return the reply to a request for which a slot is held; None where it isn't wanted.

        Raises PatienceEnded where the server failed for too long or asks to wait for longer than
        that, ServerRefusedError where it refuses, ServerFailedError where it has never done
        anything but fail in one way.
        """
        request.since = self.timing.clock()
        while True:
            try:
                return await self._ask_once(request, ticket)
            except TransportFault as fault:
                self._require_hope(fault)
                self._require_patience(fault, request)
                await self._wait(fault, request)
            if not is_wanted():
                return None
            ticket = await self.limiter.acquire()

    def seconds_until_late(self, request: Request) -> float:
        """Return after how many seconds a request is late, or is to be looked at again; 0: it is.

        One that waits to be repeated is no less late for it, but is first to be out again.
        """
        if not request.is_out or self._replied_at is None:
            return _LATE_SECONDS
        late_at = request.since + max(_LATE_FACTOR * self._usual_seconds, _LATE_SECONDS)
        return max(late_at - self.timing.clock(), 0.0)

    async def _ask_once(self, request: Request, ticket: Ticket) -> Reply:
        began = self.timing.clock()
        request.is_out = True
        load: Load = "unknown"
        self.usage.requests += 1
        try:
            reply = await self.client.complete(request.payload)
            load = "ok"
        except TransportFault as fault:
            load = "overload" if fault.is_overload else "unknown"
            self.usage.faults[fault.kind] += 1
            raise
        except ServerRefusedError:
            self.usage.faults["refused"] += 1
            raise
        finally:
            self.limiter.release(ticket, load)
            request.is_out = False
            spent = self.timing.clock() - began
            self.usage.request_seconds += spent
            request.seconds += spent
        self._replied_at = self.timing.clock()
        self.usage.count_reply(reply.tokens_in, reply.tokens_out)
        counted = min(self.usage.replies, _USUAL_REPLIES)
        self._usual_seconds += (spent - self._usual_seconds) / counted
        return reply

    def _require_hope(self, fault: TransportFault) -> None:
        """Raise where the server, asked often enough, has given nothing but one and the same fault.

        A server that is down or overloaded is waited for; one that answers is not.
        """
        if self._replied_at is not None or not fault.answered or fault.is_overload:
            return
        self._answered_faults += 1
        alike, failed = self.usage.faults[fault.kind], self.usage.faults.total()
        if self._answered_faults >= _ALIKE and alike >= _ALIKE:
            told = "all failed alike" if alike == failed else f"all failed, {alike} of them alike"
            raise ServerFailedError(
                f"the first {failed} requests {told} ({fault}): see to the server, then run the "
                "command again"
            )

    def _require_patience(self, fault: TransportFault, request: Request) -> None:
        """Raise where the request has failed for too long, or would if it were waited for.

        Whoever asks to wait until tomorrow is better told of than slept for.
        """
        if self._is_exhausted(request):
            why = f"the server failed for {self.retry_seconds:g} seconds"
            raise PatienceEnded(why, fault) from fault
        asked = fault.retry_after_seconds
        if asked is not None and asked > self.retry_seconds - request.seconds:
            raise PatienceEnded(
                f"the server asks to wait for {asked:,.0f} seconds, and requests are repeated for "
                f"{self.retry_seconds:g} (dataset.llm.retry_seconds)",
                fault,
            ) from fault

    def _is_exhausted(self, request: Request) -> bool:
        """Whether this request failed for too long, or it and every other one did."""
        if request.seconds >= self.retry_seconds:
            return True
        now = self.timing.clock()
        quiet_since = max(self._replied_at or request.since, request.since)
        return now - quiet_since >= self.retry_seconds

    async def _wait(self, fault: TransportFault, request: Request) -> None:
        """Wait before the next try: as long as the server asks, or longer from fault to fault.

        Up to a quarter as long again: what failed together would return together.
        """
        began = self.timing.clock()
        stretch = 1 + self.timing.draw() / 4
        asked = fault.retry_after_seconds or 0.0
        if asked:
            await self.timing.sleep(asked * stretch)
        own = min(_FIRST_WAIT_SECONDS * 2.0 ** min(request.faults, 10), _LONGEST_WAIT_SECONDS)
        await self._wait_for_health((own - asked) * stretch)
        request.faults += 1
        request.seconds += self.timing.clock() - began

    async def _wait_for_health(self, seconds: float) -> None:
        """Wait so long, or until the server gives anybody a reply."""
        replied_at = self._replied_at
        while seconds > 0 and self._replied_at == replied_at:
            await self.timing.sleep(min(seconds, _LOOK_SECONDS))
            seconds -= _LOOK_SECONDS
