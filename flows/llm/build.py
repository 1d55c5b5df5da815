"""A dataset from a model's server: probe, engines, driver, progress, and the way out.

Takes jobs and gives outcomes, as the processes of the embedded writer do.
"""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from artifacts.errors import SaberError
from artifacts.settings import DatasetSettings
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
        usage.other_model = tell_other_model(jobs, served.revision, progress)
        limiter = Limiter(settings.llm.concurrency)
        asker = Asker(client, limiter, settings.llm.retry_seconds, usage, timing)
        driver = Driver(jobs, settings.llm, asker)
        began = timing.clock()
        telling = asyncio.create_task(_tell(driver, asker, settings, progress, began))
        try:
            async with _engines(jobs, settings, served, driver):
                with _draining_on_signals(driver):
                    streams = await driver.run()
        finally:
            telling.cancel()
            usage.seconds = timing.clock() - began
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
def _draining_on_signals(driver: Driver) -> Iterator[None]:
    """Let the first Ctrl-C drain the run; a second one ends it at once."""
    loop = asyncio.get_running_loop()

    def drain() -> None:
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


async def _tell(
    driver: Driver, asker: Asker, settings: DatasetSettings, progress: Progress, began: float
) -> None:
    """Show how far the run is, again and again."""
    while True:
        await asker.timing.sleep(_LOOK_SECONDS)
        for lane in driver.lanes.values():
            progress.count(lane.construction, lane.accepted, lane.quota)
            if lane.judged and not lane.outcome:
                progress.tell(f"{lane.construction} so far", lane_line(lane))
        seconds = asker.timing.clock() - began
        progress.tell("server", status_line(driver, asker, settings, seconds))


def lane_line(lane: Lane) -> str:
    """Return how a construction fares, in one line."""
    told = f"{lane.gained / lane.judged:.0%} of {lane.judged:,} attempts accepted"
    most = lane.reasons.most_common(2)
    if not most:
        return told
    return f"{told}, most rejected by {', '.join(f'{rule} {count:,}' for rule, count in most)}"


def status_line(driver: Driver, asker: Asker, settings: DatasetSettings, seconds: float) -> str:
    """Return the state of a run in one line."""
    lanes, usage = driver.lanes.values(), asker.usage
    gained = sum(lane.gained for lane in lanes)
    missing = sum(lane.quota - lane.accepted for lane in lanes)
    parts = [
        f"{asker.limiter.in_flight} of {asker.limiter.limit} in flight",
        f"{usage.requests / seconds:.1f} requests/s",
        f"{usage.as_far_as_known(f'{usage.tokens / seconds:,.0f}')} tokens/s",
        f"tokens {usage.as_far_as_known(f'{usage.tokens_in:,} in and {usage.tokens_out:,} out')}",
        f"{gained / max(sum(lane.judged for lane in lanes), 1):.0%} accepted",
    ]
    if usage.faults:
        parts.append(f"{usage.faults.total():,} faults")
    if gained:
        parts.append(f"{missing * seconds / gained / 60:,.1f} min left")
    cost = usage.cost(settings.llm)
    if cost is not None:
        parts.append(f"cost {usage.as_far_as_known(f'{cost:,.2f}')}")
    return ", ".join(parts)
