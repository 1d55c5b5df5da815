"""Where engines run: when they write to disk, and what becomes of what goes wrong there."""

import asyncio
import logging
import os
import pickle
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from logging import LogRecord
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from artifacts.builds import Build
from artifacts.errors import StoreError
from artifacts.settings import DatasetSettings
from flows.llm import room
from flows.llm.messages import Answer, Close, Failed, Message
from flows.stages.lifeline import leave_signals_to_parent
from flows.stages.stream_run import StreamJob
from tests.flows.llm.builds import build, llm_settings
from tests.flows.llm.stub_server import Stub, serving

JOB = StreamJob(Build(Path("nowhere"), "main"), "pair_swap", 1, DatasetSettings(), {})
MESSAGE = Close("pair_swap", None, 0)
ROOT = Path(__file__).parents[3]


class FakeEngines(room.Engines):
    """Answer nothing; say when they were flushed."""

    def __init__(self, jobs: Sequence[StreamJob] = (), served: str = "") -> None:
        self.done: list[str] = []
        self.fault: Failed | None = None

    def start(self) -> Iterator[Answer]:
        return iter(())

    def handle(self, messages: Sequence[Message]) -> Iterator[Answer]:
        self.done += ["message"] * len(messages)
        return iter(())

    def flush(self) -> Iterator[Answer]:
        self.done.append("flush")
        if self.fault is not None:
            yield self.fault

    def release(self) -> None:
        pass


class FakeClock:
    """A clock that moves on each time somebody looks."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._now = 0.0

    def __call__(self) -> float:
        self._now += self._seconds
        return self._now


def _converse(engines: FakeEngines, messages: int, lines: list[LogRecord]) -> bytes:
    """Have engines meet so many messages at once; returns what they tell."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        for _ in range(messages):
            ours.sendall(room._framed([MESSAGE]))
        ours.shutdown(socket.SHUT_WR)
        # Two looks for each message: half a second passes from one to the next.
        room._converse(theirs, engines, lines, FakeClock(0.25))
        theirs.close()
        return b"".join(iter(lambda: ours.recv(65_536), b""))


def test_a_process_flushes_on_time_however_many_messages_come() -> None:
    engines = FakeEngines()
    _converse(engines, 20, [])
    assert engines.done.count("message") == 20
    groups = " ".join(engines.done).split("flush")
    assert max(group.count("message") for group in groups) <= 3


def test_lines_of_the_log_come_with_the_answers() -> None:
    engines = FakeEngines()
    engines.fault = Failed(("pair_swap",), StoreError("full"))
    line = LogRecord("saber", 20, "", 0, "a line", None, None)
    told = _converse(engines, 9, [line])
    first = pickle.loads(told[room._LENGTH.size :])
    assert first[0].msg == "a line"
    assert b"StoreError" in told


def _tell_here(
    engines: FakeEngines, monkeypatch: pytest.MonkeyPatch, listener: room.Listener
) -> None:
    """Run a room of this process until its engines have been flushed three times."""
    monkeypatch.setattr(room, "Engines", lambda jobs, served: engines)
    monkeypatch.setattr(room, "FLUSH_SECONDS", 0.0)

    async def wait() -> None:
        here = room.Here([JOB], "", listener)
        await here.start()
        async with asyncio.timeout(60):
            while engines.done.count("flush") < 3 and here._flushing and not here._flushing.done():
                here.send(MESSAGE)
                await asyncio.sleep(0)
        await asyncio.sleep(0)
        await here.stop()

    asyncio.run(wait())


def test_engines_of_this_process_are_flushed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    engines, heard = FakeEngines(), list[Answer]()
    engines.fault = Failed(("pair_swap",), StoreError("full"))
    _tell_here(engines, monkeypatch, heard.append)
    assert heard[:2] == [engines.fault, engines.fault]


class BrokenListener:
    """Fails at the first answer."""

    def __init__(self) -> None:
        self.heard: deque[Answer] = deque()

    def __call__(self, answer: Answer) -> None:
        self.heard.append(answer)
        if len(self.heard) == 1:
            raise KeyError("a bug")


def test_a_listener_that_fails_is_told_so_here(monkeypatch: pytest.MonkeyPatch) -> None:
    engines, listener = FakeEngines(), BrokenListener()
    engines.fault = Failed(("pair_swap",), StoreError("full"))
    _tell_here(engines, monkeypatch, listener)
    ended = listener.heard[-1]
    assert isinstance(ended, Failed)
    assert isinstance(ended.error, KeyError)


def test_a_listener_that_fails_is_told_so_beside() -> None:
    listener = BrokenListener()

    async def wait() -> None:
        ours, theirs = socket.socketpair()
        beside = room.Beside.__new__(room.Beside)
        beside._ours, beside._listener, beside._constructions = ours, listener, ("pair_swap",)
        beside._is_stopping = False
        await beside.start()
        theirs.sendall(room._framed([Failed(("pair_swap",), StoreError("full"))]))
        async with asyncio.timeout(60):
            while len(listener.heard) < 2:
                await asyncio.sleep(0)
        assert beside._writer is not None
        beside._writer.close()
        theirs.close()

    asyncio.run(wait())
    ended = listener.heard[-1]
    assert isinstance(ended, Failed)
    assert ended.constructions == ("pair_swap",)
    assert isinstance(ended.error, KeyError)


#: Starts a process that says when it runs and ends with its pipe, sent a signal before it can ask.
_STARTED = """
import multiprocessing, os, signal, sys
from flows.stages.lifeline import holding_back_signals
from tests.flows.llm.test_rooms import wait_to_end

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=wait_to_end, args=(theirs,))
    with holding_back_signals():
        process.start()
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(process.pid, number)
    told = ours.recv()
    os.kill(process.pid, signal.SIGTERM)
    ours.send("end")
    process.join()
    print(told, process.exitcode)
"""


def wait_to_end(pipe: Connection) -> None:
    """What a process of engines begins with."""
    leave_signals_to_parent()
    pipe.send("runs")
    pipe.recv()


def test_a_signal_to_the_group_passes_by_a_process_that_has_only_begun() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _STARTED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout == "runs 0\n", done.stderr


class Collected(logging.Handler):
    """Stands for Prefect's handler: whatever else the lines go to."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[LogRecord] = []

    def emit(self, record: LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def collected() -> Iterator[Collected]:
    handler = Collected()
    logging.getLogger("saber").addHandler(handler)
    yield handler
    logging.getLogger("saber").removeHandler(handler)


@pytest.mark.parametrize("writer", ["llm", "embedded"])
def test_lines_of_other_processes_go_wherever_those_of_this_one_do(
    tmp_path: Path, collected: Collected, writer: str
) -> None:
    with serving(Stub()) as url:
        settings = llm_settings(url, 20, dataset={"processes": 2, "writer": writer})
        build(tmp_path, settings)
    shards = [line for line in collected.records if "shard written" in line.getMessage()]
    # Two of each construction.
    assert len(shards) == 4
    assert all(line.process != os.getpid() for line in shards)


@pytest.mark.parametrize("writer", ["llm", "embedded"])
def test_a_log_that_cannot_be_written_stops_no_process(tmp_path: Path, writer: str) -> None:
    (tmp_path / "main").mkdir()
    (tmp_path / "main/logs").write_text("in its place")
    with serving(Stub()) as url:
        settings = llm_settings(url, 5, dataset={"processes": 2, "writer": writer})
        assert build(tmp_path, settings).manifest is not None
