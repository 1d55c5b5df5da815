"""A run that is killed, and one that is asked to stop: what is asked again, and what is told."""

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from artifacts.settings import LlmSettings
from flows.llm.asking import Asker, Request
from flows.llm.build import _draining_on_signals
from flows.llm.driver import Driver
from flows.llm.lane import Asked, Lane
from flows.llm.limiter import Limiter
from flows.llm.messages import Order
from flows.llm.usage import Usage
from tests.flows.llm.builds import FEW, Steps, build, llm_settings, logged, require_valid, verdicts
from tests.flows.llm.fakes import FakeClient
from tests.flows.llm.stub_server import Stub, serving

#: Drafts that close a commit group: few, so that a kill in between costs more than one of them.
GROUP = 20
LAG = 16
#: A shard brings the log to disk, too: here there is none before the end.
FILES: dict[str, object] = {"lag": LAG, "shard_rows": 1_000}
_RUN = """
import sys
from pathlib import Path
from artifacts.settings import DatasetSettings
from flows.llm import room
from flows.progress import showing_progress
from tests.flows.llm.builds import build, serve_in_small_groups, use_small_groups

if __name__ == "__main__":
    use_small_groups()
    room._serve = serve_in_small_groups
    settings = DatasetSettings.model_validate_json(sys.argv[2])
    with showing_progress() as progress:
        outcome = build(Path(sys.argv[1]), settings, progress)
    print({stream.stopped for stream in outcome.streams if stream.settled})
"""
ROOT = Path(__file__).parents[3]


class Interruption:
    """Sends a signal to the process under test when the stub has been asked so often."""

    def __init__(self, at: int, number: signal.Signals, *, whole_group: bool = False) -> None:
        self._at = at
        self._number = number
        self._kill = os.killpg if whole_group else os.kill
        self.pid: int | None = None

    def __call__(self, request: int) -> None:
        if request == self._at and self.pid is not None:
            self._kill(self.pid, self._number)


def _run(
    folder: Path, stub: Stub, interrupt: Interruption, quota: int, processes: int
) -> tuple[int, str, str]:
    stub.script = interrupt
    with serving(stub) as url:
        settings = llm_settings(
            url, quota, concurrency=8, dataset={**FILES, "processes": processes}
        )
        command = [sys.executable, "-c", _RUN, str(folder), settings.model_dump_json()]
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        interrupt.pid = process.pid
        told, steps = process.communicate(timeout=120)
    return process.returncode, told, steps


def _asked_again(stub: Stub) -> int:
    """Return how many requests were made more than once, the probes left out."""
    counts = Counter(stub.prompts)
    counts[stub.prompts[0]] = 1
    return sum(count - 1 for count in counts.values())


@pytest.mark.parametrize("processes", [1, 2])
def test_killed_half_way_little_is_asked_again(tmp_path: Path, processes: int) -> None:
    stub = Stub()
    code, *_ = _run(tmp_path, stub, Interruption(250, signal.SIGKILL), 300, processes)
    assert code == -signal.SIGKILL
    stub.script = None
    with serving(stub) as url:
        settings = llm_settings(url, 300, dataset=FILES)
        build(tmp_path, settings)
    require_valid(tmp_path, settings)
    # A commit group of each construction, and what was out: in flight, or on its way to an engine.
    assert _asked_again(stub) <= (GROUP + LAG) * len(FEW) < 250


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("whole_group", [False, True])
def test_asked_to_stop_it_waits_for_what_is_out_and_says_so(
    tmp_path: Path, number: signal.Signals, whole_group: bool
) -> None:
    """To the process alone, or to all of the group, as a terminal, systemd and Prefect do."""
    stub = Stub(latency_seconds=0.01)
    interruption = Interruption(60, number, whole_group=whole_group)
    code, told, steps = _run(tmp_path, stub, interruption, 300, 2)
    assert (code, told.strip()) == (0, "{'interrupted'}")
    assert re.search(r"^stopping: .*; Ctrl-C again ends at once$", steps, re.MULTILINE)
    drafts = sum(len(logged(tmp_path, name)) for name in FEW)
    assert drafts == len(stub.prompts) - 1
    # Of one or the other: their processes don't start at the same moment.
    assert "accepted" in verdicts(tmp_path) + verdicts(tmp_path, FEW[1])
    stub.script = None
    with serving(stub) as url:
        settings = llm_settings(url, 300, dataset=FILES)
        build(tmp_path, settings)
    require_valid(tmp_path, settings)
    assert _asked_again(stub) == 0


@pytest.mark.parametrize(
    ("out", "waiting"),
    [
        (0, "nothing is out"),
        (1, "waiting up to 20 s for 1 request"),
        (17, "waiting up to 20 s for 17 requests"),
    ],
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_asked_to_stop_it_says_at_once_what_it_waits_for(
    number: signal.Signals, out: int, waiting: str
) -> None:
    """Before the driver has had a turn, which is what waits."""
    llm, steps = LlmSettings(), Steps()
    driver = Driver([], llm, Asker(FakeClient([]), Limiter(64), 600, Usage()))

    async def stop() -> None:
        _have_out(driver, out)
        with _draining_on_signals(driver, llm, steps):
            signal.raise_signal(number)
            # Its way is by a socket to the loop, and from there to the handler.
            for _ in range(10):
                await asyncio.sleep(0)

    asyncio.run(stop())
    assert steps.steps == [f"stopping: {waiting}; Ctrl-C again ends at once"]
    assert driver.why_drain == "interrupted"


def _have_out(driver: Driver, out: int) -> None:
    """Put requests that get no reply into a lane."""
    lane = driver.lanes["pair_swap"] = Lane("pair_swap", 300)
    for attempt in range(out):
        task = asyncio.create_task(_wait_for_ever())
        lane.out[attempt] = Asked(Order(attempt, b""), {task: Request(b"", is_out=True)})


async def _wait_for_ever() -> None:
    await asyncio.Event().wait()
