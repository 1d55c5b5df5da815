"""The event loop of a run: hands out slots, asks, passes replies on, and ends in good order.

The constructions share one limit of requests in flight; the one farthest behind is next. Where none
has anything to ask, what is late is asked a second time, and the first reply counts: attempts are
settled in order, so the end of a run would wait for the slowest. Knows when to stop; not how a
request is made or what becomes of a reply.
"""

import asyncio
import contextlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Protocol

from artifacts.errors import GenerationError, ServerError
from artifacts.settings import LlmSettings
from flows.llm.asking import Asker, Request
from flows.llm.engine import FIRST_REJECTIONS
from flows.llm.faults import PatienceEnded
from flows.llm.lane import Asked, Lane, choose
from flows.llm.limiter import Ticket
from flows.llm.messages import Answer, Arrival, Close, Failed, Message, Reply, Report
from flows.stages.stream_run import StreamJob, StreamOutcome

#: Requests in flight and waiting to be repeated, in multiples of the most that may be in flight.
_CROWD = 2
#: So many requests, and such a share of all, may be second ones for the same attempt.
_SPARE_REQUESTS = 4
_SPARE_SHARE = 0.05


class Room(Protocol):
    """Where engines are."""

    def send(self, message: Message) -> None:
        """Hand over a message."""
        ...


class Driver:
    """One run over all constructions."""

    def __init__(self, jobs: Sequence[StreamJob], llm: LlmSettings, asker: Asker) -> None:
        self.lanes = {job.construction: Lane(job.construction, job.quota) for job in jobs}
        self._llm = llm
        self._asker = asker
        self._rooms: dict[str, Room] = {}
        #: Something to do for whoever hands out slots; something to end for whoever waits.
        self._work, self._ending = asyncio.Event(), asyncio.Event()
        #: What ended the run early.
        self.failure: BaseException | None = None
        #: Why nothing more is asked for while what is out is waited for.
        self.why_drain: str | None = None
        #: Slots of tasks that have not run yet: one that is cancelled before can't free its own.
        self._unstarted: dict[asyncio.Task[None], Ticket] = {}

    def place(self, constructions: Iterable[str], room: Room) -> None:
        """Say where the engines of constructions are."""
        self._rooms.update(dict.fromkeys(constructions, room))

    def hear(self, answer: Answer) -> None:
        """Take in what an engine answers."""
        if isinstance(answer, Report):
            lane = self.lanes[answer.construction]
            lane.hear(answer)
            self._require_variety()
            if not lane.is_open:
                self._end(lane)
        elif isinstance(answer, Failed):
            for construction in answer.constructions:
                if self.lanes[construction].outcome is None:
                    self.lanes[construction].fail()
            self._fail(answer.error)
        else:
            self.lanes[answer.construction].outcome = answer
        self._work.set()
        if all(lane.outcome for lane in self.lanes.values()):
            self._ending.set()

    def drain(self, why: str) -> None:
        """Ask for nothing more, wait for what is out, and end."""
        self.why_drain = self.why_drain or why
        self._ending.set()

    @property
    def out(self) -> list[asyncio.Task[None]]:
        """The requests that a reply may still come to; not those that wait to be repeated."""
        asked = [asked for lane in self.lanes.values() for asked in lane.out.values()]
        return [
            task
            for each in asked
            for task, request in each.requests.items()
            if request.is_out or task in self._unstarted
        ]

    async def run(self) -> list[StreamOutcome]:
        """Ask until every quota is full or nothing more can be had; returns what came of it.

        What ended it early is the `failure`; everything that came has been published even then.
        """
        dispatching = asyncio.create_task(self._dispatch())
        dispatching.add_done_callback(self._note_end)
        try:
            await self._ending.wait()
            dispatching.cancel()
            await self._end_all()
        finally:
            dispatching.cancel()
            for lane in self.lanes.values():
                _cancel(lane.out.values())
        return [lane.outcome for lane in self.lanes.values() if lane.outcome]

    async def _dispatch(self) -> None:
        """Hand each free slot to whom it is due."""
        limiter = self._asker.limiter
        while True:
            while self._is_crowded or self._next_due() is None:
                await self._await_change()
            ticket = await limiter.acquire()
            due = self._next_due()
            spent = self._is_spent(limiter.in_flight)
            if due is None or spent:
                limiter.release(ticket, "unknown")
            if spent:
                return
            if due is not None:
                lane, late = due
                self._begin(lane, late or lane.take_order(), ticket)

    def _next_due(self) -> tuple[Lane, Asked | None] | None:
        """Return the lane whose turn it is, or one with an attempt to be asked for twice."""
        lane = choose(self.lanes.values())
        if lane is not None:
            return lane, None
        return next(
            ((lane, asked) for seconds, lane, asked in self._asked_once() if seconds <= 0), None
        )

    def _asked_once(self) -> Iterator[tuple[float, Lane, Asked]]:
        """Yield what may be asked for twice, with the seconds until it is looked at again."""
        usage = self._asker.usage
        spare = _SPARE_REQUESTS + _SPARE_SHARE * usage.requests - usage.asked_twice
        if self._llm.budget_tokens is not None or spare < 1:
            return
        for lane in self.lanes.values():
            for asked in lane.out.values() if lane.is_open else ():
                if not asked.is_doubled and asked.requests:
                    (request,) = asked.requests.values()
                    yield self._asker.seconds_until_late(request), lane, asked

    async def _await_change(self) -> None:
        """Wait until something comes, or until something is late."""
        self._work.clear()
        wait = min((seconds for seconds, _, _ in self._asked_once()), default=None)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(None if self._is_crowded else wait):
                await self._work.wait()

    @property
    def _is_crowded(self) -> bool:
        """Whether many wait to be repeated: a server that is down need not hear of new ones."""
        begun = sum(len(lane.out) for lane in self.lanes.values())
        return begun >= _CROWD * self._llm.concurrency

    def _begin(self, lane: Lane, asked: Asked, ticket: Ticket) -> None:
        request = Request(asked.order.payload)
        task = asyncio.create_task(self._serve(lane, asked, request, ticket))
        self._unstarted[task] = ticket
        asked.is_doubled = bool(asked.requests)
        self._asker.usage.asked_twice += asked.is_doubled
        asked.requests[task] = request
        task.add_done_callback(partial(_forget, lane, asked))
        task.add_done_callback(self._note_end)

    async def _serve(self, lane: Lane, asked: Asked, request: Request, ticket: Ticket) -> None:
        """Bring the reply to one request to its engine, unless another was first."""
        current = asyncio.current_task()
        if current is not None:
            self._unstarted.pop(current, None)
        try:
            reply = await self._asker.ask(request, ticket, lambda: self._is_wanted(lane))
        except (PatienceEnded, ServerError) as error:
            # Where the same attempt is asked for by another request, that one tells.
            if len(asked.requests) == 1:
                self._end_early(lane, error)
        else:
            if reply is not None and asked.order.attempt in lane.out:
                self._hand_over(lane, asked, reply)
        self._work.set()

    def _end_early(self, lane: Lane, error: PatienceEnded | ServerError) -> None:
        """End a construction that the server failed for too long, or the run that it refuses."""
        if isinstance(error, ServerError):
            self._fail(error)
        else:
            lane.stopped = str(error)
            self._end(lane)

    def _hand_over(self, lane: Lane, asked: Asked, reply: Reply) -> None:
        del lane.out[asked.order.attempt]
        lane.handed += 1
        arrival = Arrival(lane.construction, asked.order.attempt, reply)
        self._rooms[lane.construction].send(arrival)
        _cancel([asked])

    def _is_wanted(self, lane: Lane) -> bool:
        return lane.is_open and self.why_drain is None and self.failure is None

    def _is_spent(self, in_flight: int) -> bool:
        """Whether the tokens are spent once the requests in flight are answered."""
        budget = self._llm.budget_tokens
        spent = budget is not None and (
            self._asker.usage.tokens_if_all_replied(in_flight - 1) >= budget
        )
        if spent:
            self.drain(f"the budget of {budget:,} tokens is spent")
        return spent

    def _end(self, lane: Lane) -> None:
        """Give up what is out for a lane and have its engine finish."""
        if lane.is_closing:
            return
        lane.is_closing = True
        _cancel(lane.out.values())
        if lane.outcome is None:
            close = Close(lane.construction, lane.stopped, lane.asked)
            self._rooms[lane.construction].send(close)

    async def _end_all(self) -> None:
        """Wait for what is out, where there is a reason to, and have every engine finish."""
        lanes = self.lanes.values()
        out = [] if self.failure else self.out
        for lane in lanes:
            _cancel(lane.out.values(), spared=out)
        if out:
            await asyncio.wait(out, timeout=self._llm.drain_seconds)
        for lane in lanes:
            ended = "the run failed" if self.failure else "the run ended"
            lane.stopped = lane.stopped or self.why_drain or ended
            self._end(lane)
        while not all(lane.outcome for lane in lanes):
            self._work.clear()
            await self._work.wait()

    def _fail(self, error: BaseException) -> None:
        self.failure = self.failure or error
        self._ending.set()

    def _note_end(self, task: asyncio.Task[None]) -> None:
        """Make room for the next; free the slot of a task that never ran; a bug ends the run."""
        self._work.set()
        if task in self._unstarted:
            self._asker.limiter.release(self._unstarted.pop(task), "unknown")
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._fail(error)

    def _require_variety(self) -> None:
        """End the run if its first drafts are all rejected for the very same reasons."""
        lanes = self.lanes.values()
        first = [rejection for lane in lanes for rejection in lane.rejections]
        if len(first) < FIRST_REJECTIONS or any(lane.has_gained for lane in lanes):
            return
        if len({rejection.rules for rejection in first}) == 1:
            example = first[-1]
            self._fail(
                GenerationError(
                    f"the first {len(first)} drafts were all rejected alike: "
                    f"{', '.join(example.rules)} ({example.detail}); one begins "
                    f"{example.raw[:120]!r}: see to the model, the style and max_tokens"
                )
            )


def _cancel(out: Iterable[Asked], spared: Sequence["asyncio.Task[None]"] = ()) -> None:
    for task in [task for asked in out for task in asked.requests]:
        if task is not asyncio.current_task() and task not in spared:
            task.cancel()


def _forget(lane: Lane, asked: Asked, task: "asyncio.Task[None]") -> None:
    """Take a request off the list; an attempt that nobody asks for any more is not out."""
    del asked.requests[task]
    if not asked.requests:
        lane.out.pop(asked.order.attempt, None)
