"""A build in virtual time: where everybody waits, the clock goes on to whoever waits the shortest.

Hours pass in seconds, and what comes when is the same in every run. The server answers as the stub
does, but there is no network: its faults are those that the client would make of a real one's.
"""

import asyncio
import json
import selectors
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from unittest import mock

import flows.llm.build
from artifacts.errors import ServerRefusedError
from artifacts.settings import LlmSettings
from flows.llm.faults import TransportFault
from flows.llm.messages import Reply
from flows.llm.timing import Timing
from flows.llm.usage import Usage
from flows.stages.dataset import DatasetOutcome
from tests.flows.llm.builds import FEW, build, llm_settings
from tests.flows.llm.stub_drafts import schema_name_of, write_reply

#: Four times the requests that may be in flight.
LAG = 256


@dataclass
class VirtualServer:
    """A server that takes its time, and fails where its script says so."""

    latency: Callable[[int], float] = lambda number: 1.0
    #: What the request of a number meets: a fault of the transport, malformed or truncated.
    script: Callable[[int], str | None] = lambda number: None
    #: It takes no connection from the first to the second of these.
    down: tuple[float, float] = (0.0, 0.0)
    timeout_seconds: float = 3.0
    #: What it asks for with a 429.
    retry_after_seconds: float = 1.0
    #: When each completion was asked for, and the prompt.
    asked: list[tuple[float, str]] = field(default_factory=list)
    in_flight: int = 0

    async def models(self) -> list[Mapping[str, object]]:
        return [{"id": "stub", "root": "weights-1", "max_model_len": 32_768}]

    async def complete(self, payload: bytes) -> Reply:
        body, now = json.loads(payload), asyncio.get_running_loop().time()
        system, user = (message["content"] for message in body["messages"])
        number = len(self.asked)
        self.asked.append((now, user))
        if self.down[0] <= now < self.down[1]:
            raise TransportFault("no connection", "", is_overload=True)
        fault = self.script(number)
        self.in_flight += 1
        try:
            hangs = fault == "hang"
            await asyncio.sleep(self.timeout_seconds if hangs else self.latency(number))
        finally:
            self.in_flight -= 1
        if (failure := self._failure(fault)) is not None:
            raise failure
        return _reply(write_reply(schema_name_of(system), user), fault)

    def _failure(self, fault: str | None) -> Exception | None:
        """Return what the client would make of a fault; None where there is a reply."""
        after = self.retry_after_seconds
        match fault:
            case "status 403":
                return ServerRefusedError("the server refused a request with status 403", 403)
            case "status 429":
                return TransportFault(
                    fault, "", is_overload=True, answered=True, retry_after_seconds=after
                )
            case "status 500":
                return TransportFault(fault, "", answered=True)
            case "cut":
                return TransportFault("no connection", "", is_overload=True)
            case "hang":
                return TransportFault("timeout", "", is_overload=True)
        return None


def by_chance(faults: Mapping[str, float], seed: int) -> Callable[[int], str | None]:
    """Return a script in which each fault has its share of the requests."""
    names, shares = list(faults), list(faults.values())
    draws = [None, *names], [1 - sum(shares), *shares]

    def fault_of(number: int) -> str | None:
        return Random(f"{seed}/{number}").choices(*draws)[0]

    return fault_of


def build_virtually(
    folder: Path,
    server: VirtualServer,
    quota: int,
    constructions: tuple[str, ...] = FEW,
    **llm: object,
) -> Usage:
    """Build a dataset from a server, in no time; returns what was asked, and how long it took."""
    outcome, usage = run_virtually(folder, server, quota, constructions, **llm)
    assert [stream.accepted for stream in outcome.streams if stream.accepted] == (
        [quota] * len(constructions)
    )
    return usage


def run_virtually(
    folder: Path,
    server: VirtualServer,
    quota: int,
    constructions: tuple[str, ...] = FEW,
    **llm: object,
) -> tuple[DatasetOutcome, Usage]:
    """Run a build that may end before it is full."""
    clock = _Clock()

    @asynccontextmanager
    async def connected(llm: LlmSettings) -> AsyncIterator[VirtualServer]:
        yield server

    def run(main: Coroutine[None, None, object]) -> object:
        with asyncio.Runner(loop_factory=lambda: _Loop(clock)) as runner:
            return runner.run(main)

    timing = Timing(lambda: clock.now, asyncio.sleep, Random(0).random)
    with (
        mock.patch.object(flows.llm.build, "connected", connected),
        mock.patch.object(flows.llm.build, "Timing", return_value=timing),
        mock.patch.object(asyncio, "run", run),
    ):
        outcome = build(
            folder,
            llm_settings(
                "http://virtual/v1", quota, constructions=constructions, dataset={"lag": LAG}, **llm
            ),
        )
    assert server.in_flight == 0
    assert outcome.usage is not None
    return outcome, outcome.usage


def _reply(raw: str, fault: str | None) -> Reply:
    if fault == "malformed":
        return Reply(raw.replace(":", "", 1), None, 400, 50)
    if fault == "truncated":
        return Reply(raw[: len(raw) // 2], "length", 400, 50)
    return Reply(raw, None, 400, 50)


class _Clock(selectors.DefaultSelector):
    """Passes the time that a loop would have waited for."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        assert ready or timeout is not None, "everybody waits, and nothing will ever come"
        if not ready and timeout is not None:
            self.now += max(timeout, 0.0)
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self, clock: _Clock) -> None:
        super().__init__(clock)
        self._clock = clock

    def time(self) -> float:
        return self._clock.now
