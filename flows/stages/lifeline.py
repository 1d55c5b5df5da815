"""How worker processes live: they end with the run that started them, and never before.

Light to import: worker modules do.
"""

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

#: What reaches a whole group of processes: Ctrl-C, and the end as Prefect and systemd bring it.
_TO_THE_GROUP = (signal.SIGINT, signal.SIGTERM)
#: Objects that a process makes between two looks for garbage.
_COLLECT_AFTER = 50_000
#: How long a worker of a pool that is told to end may go on for its parent to end it in good order.
_GRACE_SECONDS = 10.0


def collect_seldom() -> None:
    """Have this process look for garbage seldom: it would find none.

    What is loaded stays, and rows stay until their shard is full. Engines that judge a server's
    replies are faster by a fifth for it.
    """
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER)


def die_with_parent() -> None:
    """Make this process end when the one that started it is gone: nobody else would end it.

    It would go on writing the files of a run that was killed while the next run writes them too.
    """
    threading.Thread(target=_wait_for_parent, daemon=True).start()


@contextmanager
def holding_back_signals() -> Iterator[None]:
    """Start processes in the block: what reaches the group waits until they can pass it over."""
    # Its own start, at the first process, would end the block's effect.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _TO_THE_GROUP)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def leave_signals_to_parent(*numbers: signal.Signals) -> None:
    """Pass over in this process what reaches the whole group: the parent says what it means.

    A run that drains needs its processes until the last reply is on disk. All signals of the kind
    unless some are named.
    """
    for number in numbers or _TO_THE_GROUP:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _TO_THE_GROUP)


def follow_parent() -> None:
    """End with the parent, and when it says so: it hears all that reaches the whole group, too.

    For workers of a pool, which may be told to end by SIGTERM alone: where one has died, the others
    may wait for a lock that it held. They do so after a while.
    """
    signal.signal(signal.SIGTERM, _end_soon)
    leave_signals_to_parent(signal.SIGINT)
    die_with_parent()


def _end_soon(number: int, frame: object) -> None:
    timer = threading.Timer(_GRACE_SECONDS, os._exit, [1])
    timer.daemon = True
    timer.start()


def _wait_for_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)
