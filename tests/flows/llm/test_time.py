"""How long a build takes from a server that is slow, fails or dies, in virtual time."""

import signal
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from artifacts.settings import LlmSettings
from flows.llm.usage import Usage
from generators.constructions import CONSTRUCTIONS
from tests.flows.llm.builds import FEW, logged, settled_files, verdicts
from tests.flows.llm.virtual import VirtualServer, build_virtually, by_chance, run_virtually

ALL = tuple(CONSTRUCTIONS)
TRANSPORT = {"status 429": 0.03, "status 500": 0.02, "cut": 0.01, "hang": 0.01}
FAULTS = {**TRANSPORT, "malformed": 0.03, "truncated": 0.02}


def _build_all(folder: Path, server: VirtualServer) -> Usage:
    return build_virtually(folder, server, 143, ALL, timeout_seconds=3)


@cache
def _seconds_without_faults() -> float:
    with tempfile.TemporaryDirectory() as folder:
        return _build_all(Path(folder), VirtualServer()).seconds


def test_a_build_takes_as_long_as_its_requests_do() -> None:
    requests_at_a_time = 64
    assert _seconds_without_faults() < 1_001 / requests_at_a_time + 4


def test_faults_cost_less_than_a_third_of_the_time(tmp_path: Path) -> None:
    seconds = []
    for seed in range(3):
        server = VirtualServer(script=by_chance(FAULTS, seed))
        usage = _build_all(tmp_path / str(seed), server)
        seconds.append(usage.seconds)
        assert usage.asked_twice < 0.05 * len(server.asked)
    assert mean(seconds) < 1.3 * _seconds_without_faults()


def test_a_server_that_is_gone_for_a_minute_is_waited_for(tmp_path: Path) -> None:
    server = VirtualServer(down=(8.0, 68.0))
    usage = _build_all(tmp_path, server)
    assert usage.seconds < _seconds_without_faults() + 60 + 15
    # What was in flight is asked for again, ever more seldom, and nothing new.
    asked = [prompt for at, prompt in server.asked if 8 <= at < 68]
    assert len(set(asked)) <= 2 * 64
    assert len(asked) < 12 * 2 * 64


def test_asked_to_stop_it_does_not_wait_for_what_would_not_be_repeated(tmp_path: Path) -> None:
    def script(number: int) -> str | None:
        if number == 30:
            signal.raise_signal(signal.SIGINT)
        return "status 429" if number == 5 else None

    server = VirtualServer(script=script, retry_after_seconds=200.0)
    outcome, usage = run_virtually(tmp_path, server, 100, concurrency=8, drain_seconds=300)
    assert {stream.stopped for stream in outcome.streams if stream.settled} == {"interrupted"}
    # What was out when it was asked to is waited for.
    assert usage.requests == usage.replies + 1
    assert usage.seconds < 10


def _slow_once(number: int) -> float:
    return 100.0 if number == 20 else 1.0


def test_the_end_does_not_wait_for_one_that_is_late(tmp_path: Path) -> None:
    server = VirtualServer(latency=_slow_once)
    usage = build_virtually(tmp_path, server, 10, timeout_seconds=120)
    assert usage.seconds < 10
    assert usage.asked_twice == 1
    assert {row["what"]: row["number"] for row in usage.rows(LlmSettings())}["asked twice"] == 1
    prompts = Counter(prompt for _, prompt in server.asked[1:])
    assert sorted(prompts.values())[-2:] == [1, 2]


def test_one_that_is_late_after_it_was_repeated_is_asked_twice_too(tmp_path: Path) -> None:
    def script(number: int) -> str | None:
        return "status 429" if number == 20 else None

    def latency(number: int) -> float:
        # The first that is asked when all others have their replies.
        return 100.0 if number == 29 else 1.0

    server = VirtualServer(latency, script, retry_after_seconds=5.0)
    usage = build_virtually(tmp_path, server, 10, timeout_seconds=120)
    assert server.asked[29][1] == server.asked[20][1]
    assert usage.seconds < 15
    assert usage.asked_twice == 1


@pytest.mark.parametrize("fault", ["status 429", "status 403"])
def test_what_meets_the_second_request_ends_nothing(tmp_path: Path, fault: str) -> None:
    server = VirtualServer(
        lambda number: 30.0 if number == 20 else 1.0,
        lambda number: fault if number == 29 else None,
        retry_after_seconds=3_600.0,
    )
    usage = build_virtually(tmp_path, server, 10, timeout_seconds=120)
    assert server.asked[29][1] == server.asked[20][1]
    assert (usage.asked_twice, 30 < usage.seconds < 33) == (1, True)


def test_few_are_asked_twice_however_much_replies_vary(tmp_path: Path) -> None:
    latency = Random(0)
    server = VirtualServer(lambda number: latency.expovariate(1 / 60))
    usage = build_virtually(tmp_path, server, 60, timeout_seconds=3_600, concurrency=8)
    assert usage.asked_twice <= 4 + 0.05 * usage.requests


def test_nothing_is_asked_twice_where_tokens_are_counted_out(tmp_path: Path) -> None:
    server = VirtualServer(latency=_slow_once)
    usage = build_virtually(tmp_path, server, 10, timeout_seconds=120, budget_tokens=10**6)
    assert usage.seconds > 100
    assert usage.asked_twice == 0


def test_the_first_of_two_replies_counts_whichever_it_is(tmp_path: Path) -> None:
    server = VirtualServer(latency=lambda number: 2.0 if number == 20 else 1.0)
    usage = build_virtually(tmp_path, server, 10, timeout_seconds=120)
    assert usage.asked_twice == 1
    assert usage.replies == sum(len(logged(tmp_path, name)) for name in FEW)


@cache
def _well_built() -> tuple[dict[str, bytes], list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        build_virtually(Path(folder), VirtualServer(), 30)
        return settled_files(Path(folder)), verdicts(Path(folder))


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), worst=st.floats(0, 0.4))
def test_neither_faults_nor_the_order_of_replies_change_a_row(seed: int, worst: float) -> None:
    faults = {name: worst * share / sum(TRANSPORT.values()) for name, share in TRANSPORT.items()}
    latency = Random(seed)
    by_number = by_chance(faults, seed)
    # The first is the probe's, which gives up after four faults in a row.
    server = VirtualServer(
        lambda number: latency.expovariate(1),
        lambda number: by_number(number) if number else None,
    )
    with tempfile.TemporaryDirectory() as folder:
        build_virtually(Path(folder), server, 30, concurrency=8)
        assert settled_files(Path(folder)) == _well_built()[0]
        told = verdicts(Path(folder))
    settled = [verdict for verdict in _well_built()[1] if verdict != "surplus"]
    assert told[: len(settled)] == settled
