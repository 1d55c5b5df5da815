"""A dataset from a model's server: probe, engines, driver, progress, and the way out.

Takes jobs and gives outcomes, as the processes of the embedded writer do.
"""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from artifacts.errors import SaberError
from artifacts.settings import DatasetSettings, LlmSettings
from flows.llm.asking import Asker
from flows.llm.client import Asks, connected
from flows.llm.driver import Driver
from flows.llm.lane import Lane
from flows.llm.limiter import Limiter
from flows.llm.other_model import tell_other_model
from flows.llm.payloads import RequestPlanner
from flows.llm.probe import Served, probe
from flows.llm.room import Beside, Here
from flows.llm.timing import Timing
from flows.llm.usage import Usage
from flows.progress import Progress
from flows.stages.dataset_words import DatasetWords, load_words
from flows.stages.stream_run import StreamJob, StreamOutcome
from generators.constructions import CONSTRUCTIONS
from validators.ledger import Ledger

_LOOK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class LlmRun:
    """What a run did."""

    streams: list[StreamOutcome]
    usage: Usage
    #: What ended it early; what was accepted before stays.
    failure: SaberError | None


def build_from_server(
    jobs: Sequence[StreamJob], settings: DatasetSettings, progress: Progress
) -> LlmRun:
    """Bring every construction to its quota, or to where the server or a budget stops it.

    Raises ServerRefusedError or ServerFailedError where the server can't be used from the start.
    """
    return asyncio.run(_build(jobs, settings, progress))


async def _build(
    jobs: Sequence[StreamJob], settings: DatasetSettings, progress: Progress
) -> LlmRun:
    timing, usage = Timing(), Usage()
    async with connected(settings.llm) as client:
        progress.step(f"asking {settings.llm.base_url} for {settings.llm.model}")
        served = await probe_server(client, settings, timing)
        usage.count_probe(served.replies)
        usage.other_model = tell_other_model(jobs, served.revision, progress)
        limiter = Limiter(settings.llm.concurrency)
        asker = Asker(client, limiter, settings.llm.retry_seconds, usage, timing)
        driver = Driver(jobs, settings.llm, asker)
        telling = _Telling(driver, asker, settings, progress, timing.clock())
        with telling.while_it_runs():
            async with _engines(jobs, settings, served, driver):
                with _draining_on_signals(driver, settings.llm, progress):
                    streams = await driver.run()
    if driver.failure is not None and not isinstance(driver.failure, SaberError):
        raise driver.failure
    return LlmRun(streams, usage, driver.failure)


async def probe_server(client: Asks, settings: DatasetSettings, timing: Timing) -> Served:
    """Make sure that the server can be used, with the request of a first attempt."""
    words = load_words(settings)
    construction = next(iter(CONSTRUCTIONS.values()))
    planner = request_planner(words, construction.name, settings)
    ledger = Ledger(construction.objects * construction.attributes_per_object)
    attempt = planner.plan(0, ledger).attempt
    return await probe(client, settings.llm, planner.take_payload(attempt), timing)


def request_planner(words: DatasetWords, name: str, settings: DatasetSettings) -> RequestPlanner:
    """Return what plans the attempts of a construction and writes their requests."""
    construction = CONSTRUCTIONS[name]
    planner = words.planner(construction, settings)
    return RequestPlanner(planner, construction, words.plan_words.bank, settings.llm)


@asynccontextmanager
async def _engines(
    jobs: Sequence[StreamJob], settings: DatasetSettings, served: Served, driver: Driver
) -> AsyncIterator[None]:
    """Run the engines of all constructions while the block lasts, the largest spread out."""
    largest_first = sorted(jobs, key=lambda job: -job.quota)
    processes = min(settings.processes, len(jobs))
    kind = Beside if processes > 1 else Here
    async with AsyncExitStack() as held:
        rooms = []
        for number in range(processes):
            shared = largest_first[number::processes]
            room = kind(shared, served.revision, driver.hear)
            held.push_async_callback(room.stop)
            driver.place([job.construction for job in shared], room)
            rooms.append(room)
        for room in rooms:
            await room.start()
        yield


@contextlib.contextmanager
def _draining_on_signals(driver: Driver, llm: LlmSettings, progress: Progress) -> Iterator[None]:
    """Let the first Ctrl-C drain the run, which it says at once; a second one ends it at once."""
    loop = asyncio.get_running_loop()

    def drain() -> None:
        progress.step(stopping_line(len(driver.out), llm))
        driver.drain("interrupted")
        loop.remove_signal_handler(signal.SIGINT)

    handled = []
    for number in (signal.SIGINT, signal.SIGTERM):
        # Only the main thread may handle signals; elsewhere they end the run as ever.
        with contextlib.suppress(ValueError, RuntimeError, NotImplementedError):
            before = signal.getsignal(number)
            loop.add_signal_handler(number, drain)
            handled.append((number, before))
    try:
        yield
    finally:
        for number, before in handled:
            loop.remove_signal_handler(number)
            signal.signal(number, before)


@dataclass(frozen=True, slots=True)
class _Telling:
    """Shows how far a run is."""

    driver: Driver
    asker: Asker
    settings: DatasetSettings
    progress: Progress
    began: float

    @contextlib.contextmanager
    def while_it_runs(self) -> Iterator[None]:
        """Show the state again and again inside the block, and what it has come to at its end."""
        telling = asyncio.create_task(self._tell_again_and_again())
        try:
            yield
        finally:
            telling.cancel()
            self.asker.usage.seconds = self._seconds
            self._tell(has_ended=True)

    @property
    def _seconds(self) -> float:
        return self.asker.timing.clock() - self.began

    async def _tell_again_and_again(self) -> None:
        while True:
            await self.asker.timing.sleep(_LOOK_SECONDS)
            self._tell(has_ended=False)

    def _tell(self, *, has_ended: bool) -> None:
        # A run that finds nothing to do takes no time at all, by some clocks.
        seconds = max(self._seconds, 1e-9)
        # First, so that where the terminal is too low for all lines this one is seen.
        status = status_line(self.driver, self.asker, self.settings, seconds, has_ended=has_ended)
        self.progress.tell("server", status)
        for lane in self.driver.lanes.values():
            self.progress.count(lane.construction, lane.accepted, lane.quota)
            if lane.judged:
                self.progress.tell(lane.construction, lane_line(lane))


def stopping_line(out: int, llm: LlmSettings) -> str:
    """Return what Ctrl-C has begun, where so many requests have no reply."""
    requests = "1 request" if out == 1 else f"{out:,} requests"
    waiting = f"waiting up to {llm.drain_seconds:g} s for {requests}" if out else "nothing is out"
    return f"stopping: {waiting}; Ctrl-C again ends at once"


def lane_line(lane: Lane) -> str:
    """Return how a construction fares, in one line."""
    told = f"{lane.gained / lane.judged:.0%} of {lane.judged:,} attempts accepted"
    most = lane.reasons.most_common(2)
    if not most:
        return told
    return f"{told}, most rejected by {', '.join(f'{rule} {count:,}' for rule, count in most)}"


def status_line(
    driver: Driver, asker: Asker, settings: DatasetSettings, seconds: float, *, has_ended: bool
) -> str:
    """Return the state of a run in one line.

    One that has ended tells of no request in flight, and one that is ending of no time left.
    """
    lanes, usage, limiter = driver.lanes.values(), asker.usage, asker.limiter
    judged = sum(lane.judged for lane in lanes)
    in_flight = f"{limiter.in_flight} of {limiter.limit} in flight"
    parts = [
        f"ended after {seconds / 60:,.1f} min" if has_ended else in_flight,
        f"{usage.requests / seconds:.1f} requests/s",
        f"{usage.as_far_as_known(f'{usage.tokens / seconds:,.0f}')} tokens/s",
        f"tokens {usage.as_far_as_known(f'{usage.tokens_in:,} in and {usage.tokens_out:,} out')}",
        f"{sum(lane.gained for lane in lanes) / max(judged, 1):.0%} accepted",
    ]
    if usage.faults:
        parts.append(f"{usage.faults.total():,} faults")
    if not has_ended and driver.why_drain is None:
        parts += _time_left(lanes, seconds)
    cost = usage.told_cost(settings.llm)
    if cost is not None:
        parts.append(f"cost {cost}")
    return ", ".join(parts)


def _time_left(lanes: Iterable[Lane], seconds: float) -> list[str]:
    """Return how long the quotas will take at this rate; nothing where there is none yet."""
    gained = missing = 0
    for lane in lanes:
        gained += lane.gained
        missing += lane.quota - lane.accepted
    return [f"{missing * seconds / gained / 60:,.1f} min left"] if gained else []
