"""Runs the constructions of a dataset side by side, in processes that die with this one.

Knows processes and progress; not what a construction is.
"""

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from logging import LogRecord
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Event

from artifacts.errors import BuildError
from flows.logs import forward, pass_on
from flows.progress import Progress
from flows.stages.lifeline import collect_seldom, follow_parent, holding_back_signals
from flows.stages.stream_build import StreamJob, StreamOutcome, build_stream

#: Seconds between two looks at what the workers report.
_LOOK_SECONDS = 0.1

#: How many examples of a construction there are; a line of a worker's log.
_Messages = SimpleQueue[tuple[str, int] | LogRecord]


def run_jobs(jobs: Sequence[StreamJob], processes: int, progress: Progress) -> list[StreamOutcome]:
    """Run every job and return the outcomes in the order of `jobs`; the longest start first.

    Raises BuildError if a process died; what it had committed stays.
    """
    if processes == 1 or len(jobs) == 1:
        return [_run_here(job, progress) for job in jobs]
    quotas = {job.construction: job.quota for job in jobs}
    context = multiprocessing.get_context("spawn")
    messages: _Messages = context.SimpleQueue()
    stop = context.Event()
    with ProcessPoolExecutor(
        min(processes, len(jobs)), context, _begin, (messages, stop)
    ) as executor:
        try:
            longest_first = sorted(jobs, key=lambda job: -job.quota)
            with holding_back_signals():
                futures = {
                    job.construction: executor.submit(_run_there, job) for job in longest_first
                }
            _watch(set(futures.values()), messages, quotas, progress)
            return [futures[job.construction].result() for job in jobs]
        except BrokenProcessPool as error:
            raise BuildError(
                "a process of the build died (out of memory?): run the command again to continue"
            ) from error
        finally:
            stop.set()
            executor.shutdown(cancel_futures=True)
            _read(messages, quotas, progress)


def _watch(
    futures: set["Future[StreamOutcome]"],
    messages: _Messages,
    quotas: dict[str, int],
    progress: Progress,
) -> None:
    while futures:
        done, futures = wait(futures, _LOOK_SECONDS, FIRST_COMPLETED)
        _read(messages, quotas, progress)
        for future in done:
            future.result()


def _read(messages: _Messages, quotas: dict[str, int], progress: Progress) -> None:
    """Tell what the workers have told."""
    while not messages.empty():
        message = messages.get()
        if isinstance(message, LogRecord):
            pass_on(message)
        else:
            construction, accepted = message
            progress.count(construction, accepted, quotas[construction])


def _run_here(job: StreamJob, progress: Progress) -> StreamOutcome:
    def beat(accepted: int) -> bool:
        progress.count(job.construction, accepted, job.quota)
        return True

    return build_stream(job, beat)


_messages: _Messages
_stop: Event


def _begin(messages: _Messages, stop: Event) -> None:
    """Prepare a worker process."""
    collect_seldom()
    global _messages, _stop  # a pool has no other way to tell its tasks
    _messages, _stop = messages, stop
    forward(messages.put)
    follow_parent()


def _run_there(job: StreamJob) -> StreamOutcome:
    def beat(accepted: int) -> bool:
        _messages.put((job.construction, accepted))
        return not _stop.is_set()

    return build_stream(job, beat)
