"""One request until there is a reply: asked again in place while the server fails.

A slot of the limiter is held while a request is out, and free while one waits to be repeated; time
in the queue counts for nothing. Knows nothing of attempts or constructions.
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

_FIRST_WAIT_SECONDS = 0.5
_LONGEST_WAIT_SECONDS = 15.0
#: So many answers, all faults and all alike, and not one reply: the server will not recover.
_ALIKE = 20


@dataclass(slots=True)
class _Patience:
    """How long one request has been failing."""

    since: float
    #: In requests and between them; not in the queue.
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

    async def ask(self, payload: bytes, ticket: Ticket, is_wanted: Callable[[], bool]) -> Reply | None:
        """Return the reply to a request for which a slot is held; None where it isn't wanted.

        Raises PatienceEnded where the server failed for too long or asks to wait for longer than
        that, ServerRefusedError where it refuses, ServerFailedError where it has never done
        anything but fail in one way.
        """
        patience = _Patience(self.timing.clock())
        while True:
            try:
                return await self._ask_once(payload, ticket, patience)
            except TransportFault as fault:
                self._require_hope(fault)
                self._require_patience(fault, patience)
                await self._wait(fault, patience)
            if not is_wanted():
                return None
            ticket = await self.limiter.acquire()

    async def _ask_once(self, payload: bytes, ticket: Ticket, patience: _Patience) -> Reply:
        began = self.timing.clock()
        load: Load = "unknown"
        self.usage.requests += 1
        try:
            reply = await self.client.complete(payload)
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
            spent = self.timing.clock() - began
            self.usage.request_seconds += spent
            patience.seconds += spent
        self._replied_at = self.timing.clock()
        self.usage.count_reply(reply.tokens_in, reply.tokens_out)
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

    def _require_patience(self, fault: TransportFault, patience: _Patience) -> None:
        """Raise where the request has failed for too long, or would if it were waited for.

        Whoever asks to wait until tomorrow is better told of than slept for.
        """
        if self._is_exhausted(patience):
            why = f"the server failed for {self.retry_seconds:g} seconds"
            raise PatienceEnded(why, fault) from fault
        asked = fault.retry_after_seconds
        if asked is not None and asked > self.retry_seconds - patience.seconds:
            raise PatienceEnded(
                f"the server asks to wait for {asked:,.0f} seconds, and requests are repeated for "
                f"{self.retry_seconds:g} (dataset.llm.retry_seconds)",
                fault,
            ) from fault

    def _is_exhausted(self, patience: _Patience) -> bool:
        """Whether this request failed for too long, or it and every other one did."""
        if patience.seconds >= self.retry_seconds:
            return True
        now = self.timing.clock()
        quiet_since = max(self._replied_at or patience.since, patience.since)
        return now - quiet_since >= self.retry_seconds

    async def _wait(self, fault: TransportFault, patience: _Patience) -> None:
        """Wait before the next try: as long as the server asks, or longer from fault to fault.

        Never less, and up to half as long again: requests that failed together would return so.
        """
        doubled = _FIRST_WAIT_SECONDS * 2.0 ** min(patience.faults, 10)
        base = fault.retry_after_seconds
        if base is None:
            base = min(doubled, _LONGEST_WAIT_SECONDS)
        seconds = base * (1 + self.timing.draw() / 2)
        patience.faults += 1
        patience.seconds += seconds
        await self.timing.sleep(seconds)
