"""Processes that build constructions: what ends them, and what doesn't."""

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor

import pytest

from flows.stages import lifeline, workers


def _signalled() -> str:
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(os.getpid(), number)
    return "goes on"


def test_a_worker_goes_on_when_the_whole_group_is_told_to_stop() -> None:
    context = multiprocessing.get_context("spawn")
    told = (context.SimpleQueue(), context.Event())
    with ProcessPoolExecutor(1, context, workers._begin, told) as executor:
        assert executor.submit(_signalled).result(timeout=120) == "goes on"


def test_a_parser_goes_on_likewise() -> None:
    with ProcessPoolExecutor(
        1, multiprocessing.get_context("spawn"), lifeline.follow_parent
    ) as executor:
        assert executor.submit(_signalled).result(timeout=120) == "goes on"


def test_a_worker_that_is_told_to_end_does_so_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    monkeypatch.setattr(lifeline, "_GRACE_SECONDS", 0)
    monkeypatch.setattr(os, "_exit", lambda code: ended.set())
    lifeline._end_soon(signal.SIGTERM, None)
    assert ended.wait(60)
