"""Users' SQL in a process of its own that can read the views and do nothing else.

DuckDB alone is no sandbox: it writes files from inside a SELECT and takes memory beyond its limit.
So a fresh interpreter (a fork would inherit locks that other threads hold) gets the files as
datasets, an address-space limit, a file-size limit of zero, a closed and locked DuckDB, and exactly
one SELECT; what it still does too long, killing it ends. This is the side that asks;
`query_process` is the side that answers. Light until rows arrive, and knows nothing of builds.
"""

import contextlib
import json
import mmap
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Self

import artifacts
from artifacts.errors import BuildMissingError, DamagedFileError, QueryError, SaberError, StoreError

if TYPE_CHECKING:
    import pyarrow as pa

    from artifacts.relations import Catalog

#: Rows beyond this wait in a temporary file, so that a large result needs no memory.
_IN_MEMORY_BYTES = 16 << 20

#: What a query process may fail with; anything else it says is a query's error.
_FAILURES = {
    error.__name__: error for error in (BuildMissingError, DamagedFileError, QueryError, StoreError)
}


@dataclass(frozen=True)
class Limits:
    """What one query may take."""

    timeout_seconds: float = 60.0
    address_space_bytes: int = 3 << 30
    memory_megabytes: int = 1000
    threads: int = 2


@dataclass(frozen=True)
class Request:
    """What the query process is sent: pickled, from this process to its own child only."""

    catalog: "Catalog"
    sql: str
    limits: Limits


class Sandbox:
    """One query process, from its start to its end."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._timed_out = False
        # The child ends when this end closes: also when this process is killed.
        lifeline_there, self._lifeline = os.pipe()
        try:
            self.process = _start(lifeline_there)
        except OSError as error:
            os.close(self._lifeline)
            raise QueryError(f"cannot start a process for the query: {error.strerror}") from error
        finally:
            os.close(lifeline_there)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self.process:
            self.process.kill()
        os.close(self._lifeline)

    def run(self, catalog: "Catalog", sql: str) -> "pa.Table":
        """Return the rows of `sql`, or raise what the query process reports. Once only."""
        timer = threading.Timer(self._limits.timeout_seconds, self._stop)
        timer.daemon = True
        timer.start()
        try:
            _send(self.process, Request(catalog, sql, self._limits))
            rows, report = _receive(self.process)
        finally:
            timer.cancel()
        if self.process.wait() != 0:
            raise self._failure(report)
        return _table(rows)

    def _stop(self) -> None:
        self._timed_out = True
        self.process.kill()

    def _failure(self, report: str) -> SaberError:
        if self._timed_out:
            return QueryError(
                f"the query ran longer than {self._limits.timeout_seconds:g} s and was stopped; "
                "ask for less, or raise the timeout"
            )
        last = (report.splitlines() or [""])[-1]
        try:
            content = json.loads(last)
            return _FAILURES[content["error"]](content["message"])
        except (ValueError, KeyError, TypeError):
            return QueryError(self._unreported(last))

    def _unreported(self, last_words: str) -> str:
        if self.process.returncode < 0:
            limit = self._limits.address_space_bytes >> 20
            return (
                f"the query process was ended by {signal.Signals(-self.process.returncode).name}, "
                f"most likely for want of memory: its limit is {limit} MiB; ask for less"
            )
        return f"the query process failed: {last_words}"


def _start(lifeline: int) -> subprocess.Popen[bytes]:
    home = Path(artifacts.__file__).parent.parent
    search = [str(home), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        # -P: a json.py in the folder where somebody runs a query is not to be imported. -B: the
        # process cannot write its compiled modules.
        [sys.executable, "-P", "-B", "-m", "artifacts.query_process", str(lifeline)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=(lifeline,),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(search)},
        # Ctrl-C is for this process, which then ends the other.
        start_new_session=True,
    )


def _send(process: subprocess.Popen[bytes], request: Request) -> None:
    assert process.stdin is not None
    # A process that has already ended says why on its standard error.
    with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
        pickle.dump(request, pipe)


def _receive(process: subprocess.Popen[bytes]) -> tuple[bytes | mmap.mmap, str]:
    assert process.stdout is not None
    assert process.stderr is not None
    # All rows are here before the first is shown, so a query that fails in the middle shows none.
    head = process.stdout.read(_IN_MEMORY_BYTES)
    whole = len(head) < _IN_MEMORY_BYTES
    rows = head if whole else _spool(head, process.stdout)
    return rows, process.stderr.read().decode(errors="replace")


def _spool(head: bytes, rest: IO[bytes]) -> mmap.mmap:
    try:
        with tempfile.TemporaryFile() as file:
            file.write(head)
            shutil.copyfileobj(rest, file, _IN_MEMORY_BYTES)
            file.flush()
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise QueryError(
            f"no room for the rows of the query in {tempfile.gettempdir()}: {error.strerror}; "
            "ask for less, or point TMPDIR elsewhere"
        ) from error


def _table(rows: bytes | mmap.mmap) -> "pa.Table":
    import pyarrow as pa

    with pa.ipc.open_stream(pa.py_buffer(rows)) as reader:
        return reader.read_all()
