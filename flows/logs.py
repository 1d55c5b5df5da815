"""The log of a build: what was done to it, by which process, on structured lines.

A line says which build, construction, shard and attempts it is about, in `key=value` pairs, and
nothing else: names and numbers can be given, a text can't, so that no prompt, no draft and no key
ever gets into a line. Lines go to `<build>/logs/saber.log`, which rotates, and to stderr where that
is asked for. Knows nothing of what the stages do.
"""

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from logging.handlers import QueueHandler, RotatingFileHandler
from pathlib import Path
from queue import Queue

from artifacts.builds import Build, hold_build

LOG_NAME = "logs/saber.log"

#: Of one file, and how many earlier ones are kept.
_MOST_BYTES = 1_000_000
_KEPT_FILES = 3

_FORMAT = "%(asctime)s.%(msecs)03dZ %(levelname)s %(message)s process=%(process)d"

_logger = logging.getLogger("saber")
_logger.setLevel(logging.INFO)
# Prefect's root handler would print our lines on the terminal.
_logger.propagate = False
# A command is quiet unless it is asked: Python would print warnings on its own.
_logger.addHandler(logging.NullHandler())


def log_event(
    event: str,
    build: str,
    *,
    construction: str | None = None,
    shard: int | None = None,
    attempts: range | None = None,
    error: BaseException | None = None,
    **counts: int | float,
) -> None:
    """Write a line: `event` says in constant words what happened, the rest to what and how much.

    Of an error its kind alone is told, since its message may repeat what a model wrote.
    """
    told: dict[str, object] = {"build": build}
    if construction is not None:
        told["construction"] = construction
    if shard is not None:
        told["shard"] = shard
    if attempts is not None:
        told["attempts"] = f"{attempts.start}-{attempts.stop - 1}"
    told.update(counts)
    if error is not None:
        told["error"] = type(error).__name__
    words = " ".join(f"{name}={value}" for name, value in told.items())
    _logger.log(logging.INFO if error is None else logging.ERROR, 'event="%s" %s', event, words)


@contextmanager
def writing(build: Build, purpose: str) -> Iterator[None]:
    """Hold the right to write `build`, and log to its file: when it begins, and how it ends."""
    with hold_build(build, purpose), _recording(build):
        log_event(f"{purpose} begins", build.name)
        try:
            yield
        except BaseException as error:
            log_event(f"{purpose} fails", build.name, error=error)
            raise
        log_event(f"{purpose} ends", build.name)


def forward(send: Callable[[logging.LogRecord], object]) -> None:
    """Have the lines of this process written by the one that started it, which gets them by `send`.

    So one process alone writes the file, and whatever else it logs to gets the lines, too:
    Prefect's pages, stderr.
    """
    _add(_Forwarding(send))


def pass_on(record: logging.LogRecord) -> None:
    """Write a line that another process has forwarded."""
    _logger.handle(record)


def show_log() -> None:
    """Print the lines on stderr, too."""
    _add(logging.StreamHandler(sys.stderr))


class _Forwarding(QueueHandler):
    """Hands lines over; nothing is queued here."""

    def __init__(self, send: Callable[[logging.LogRecord], object]) -> None:
        super().__init__(Queue())
        self._send = send

    def setFormatter(self, fmt: logging.Formatter | None) -> None:  # noqa: N802 (logging's name)
        """Leave it to the other side to say when and where a line was."""

    def enqueue(self, record: logging.LogRecord) -> None:
        """Hand over a line, which can be pickled by now."""
        self._send(record)


class _QuietRotating(RotatingFileHandler):
    """A full disk stops a build with its own words; it needs no traceback per line before."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (logging's name)
        """Say nothing."""


@contextmanager
def _recording(build: Build) -> Iterator[None]:
    path = build.path / LOG_NAME
    try:
        path.parent.mkdir(exist_ok=True)
    except OSError:
        # What is wrong with the disk is for the stage to say, which needs it more.
        yield
        return
    handler = _add(
        _QuietRotating(
            path, maxBytes=_MOST_BYTES, backupCount=_KEPT_FILES, encoding="utf-8", delay=True
        )
    )
    try:
        yield
    finally:
        _logger.removeHandler(handler)
        handler.close()


def _add(handler: logging.Handler) -> logging.Handler:
    """Add a handler, unless one for the same place is there."""
    for known in _logger.handlers:
        if type(known) is type(handler) and _place(known) == _place(handler):
            return known
    formatter = logging.Formatter(_FORMAT, datefmt="%Y-%m-%dT%H:%M:%S")
    formatter.converter = time.gmtime
    handler.setFormatter(formatter)
    _logger.addHandler(handler)
    return handler


def _place(handler: logging.Handler) -> Path | None:
    return Path(handler.baseFilename) if isinstance(handler, logging.FileHandler) else None
