"""Where engines run: beside the event loop in processes of their own, or, for one, within it.

Planning and judging take as long as asking does, so they must not hold up the loop. Messages are
pickled and framed by their length. Knows processes; not what an engine does.
"""

import asyncio
import contextlib
import multiprocessing
import pickle
import socket
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from logging import LogRecord

from artifacts.errors import BuildError, SaberError
from flows.llm.engine import Engine
from flows.llm.messages import Answer, Arrival, Close, Failed, Message, Report, Told
from flows.logs import forward, pass_on
from flows.stages.lifeline import (
    collect_seldom,
    die_with_parent,
    holding_back_signals,
    leave_signals_to_parent,
)
from flows.stages.stream_run import StreamJob, StreamOutcome

#: So often what has been logged is brought to disk, whatever else there is to do: a commit group is
#: closed by the next draft, which may not come for long.
FLUSH_SECONDS = 1.0
_LENGTH = struct.Struct("!Q")
#: Replies that came so close together travel together.
_TOGETHER_SECONDS = 0.002


#: Told what the engines answer.
Listener = Callable[[Answer], None]


class Engines:
    """Several engines, asked one message after another."""

    def __init__(self, jobs: Sequence[StreamJob], served: str) -> None:
        self._engines = {job.construction: Engine(job, served) for job in jobs}

    def start(self) -> Iterator[Answer]:
        """Yield the first report of each."""
        for construction, engine in self._engines.items():
            yield _guarded(construction, engine.start)

    def handle(self, messages: Sequence[Message]) -> Iterator[Answer]:
        """Yield what becomes of messages; replies of one construction are taken together."""
        arrivals: dict[str, list[Arrival]] = {}
        for message in messages:
            if isinstance(message, Arrival):
                arrivals.setdefault(message.construction, []).append(message)
        for construction, came in arrivals.items():
            engine = self._engines[construction]
            yield _guarded(construction, partial(engine.take, came))
        for message in messages:
            if isinstance(message, Close):
                engine = self._engines[message.construction]
                closing = partial(engine.close, message.stopped, message.asked)
                yield _guarded(message.construction, closing)

    def flush(self) -> Iterator[Answer]:
        """Bring to disk what has been logged; yields what fails."""
        for construction, engine in self._engines.items():
            try:
                engine.flush()
            except SaberError as error:
                yield Failed((construction,), error)

    def release(self) -> None:
        """Let go of all files."""
        for engine in self._engines.values():
            engine.release()


class Here:
    """Engines in this process: the loop waits while they work."""

    def __init__(self, jobs: Sequence[StreamJob], served: str, listener: Listener) -> None:
        self._constructions = tuple(job.construction for job in jobs)
        self._engines = Engines(jobs, served)
        self._listener = listener
        self._flushing: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Tell the first reports."""
        for answer in self._engines.start():
            self._listener(answer)
        self._flushing = asyncio.create_task(self._flush_again_and_again())
        self._flushing.add_done_callback(partial(_tell_end, self._listener, self._constructions))

    def send(self, message: Message) -> None:
        """Hand over a message."""
        for answer in self._engines.handle([message]):
            self._listener(answer)

    async def stop(self) -> None:
        """Let the engines go."""
        if self._flushing is not None:
            self._flushing.cancel()
        self._engines.release()

    async def _flush_again_and_again(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            for answer in self._engines.flush():
                self._listener(answer)


class Beside:
    """Engines in a process of their own."""

    def __init__(self, jobs: Sequence[StreamJob], served: str, listener: Listener) -> None:
        self._listener = listener
        self._constructions = tuple(job.construction for job in jobs)
        self._outbox: list[Message] = []
        self._ours, theirs = socket.socketpair()
        context = multiprocessing.get_context("spawn")
        self._process = context.Process(target=_serve, args=(theirs, jobs, served), daemon=True)
        with holding_back_signals():
            self._process.start()
        theirs.close()
        self._writer: asyncio.StreamWriter | None = None
        self._is_stopping = False

    async def start(self) -> None:
        """Begin to listen."""
        self._ours.setblocking(False)
        reader, self._writer = await asyncio.open_connection(sock=self._ours)
        self._listening = asyncio.create_task(self._listen(reader))
        self._listening.add_done_callback(partial(_tell_end, self._listener, self._constructions))

    def send(self, message: Message) -> None:
        """Hand over a message, soon."""
        if not self._outbox:
            asyncio.get_running_loop().call_later(_TOGETHER_SECONDS, self._post)
        self._outbox.append(message)

    async def stop(self) -> None:
        """End the process."""
        self._is_stopping = True
        if self._writer is None:
            self._ours.close()
        else:
            self._post()
            self._writer.close()
            await asyncio.wait([self._listening])
        await asyncio.to_thread(self._process.join)

    def _post(self) -> None:
        messages, self._outbox = self._outbox, []
        if messages and self._writer is not None and not self._writer.is_closing():
            self._writer.write(_framed(messages))

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
                for told in pickle.loads(await reader.readexactly(length)):
                    self._hear(told)
        except (asyncio.IncompleteReadError, ConnectionError):
            if not self._is_stopping:
                died = (
                    "a process of the build died (out of memory?): run the command again to go on"
                )
                self._listener(Failed(self._constructions, BuildError(died)))

    def _hear(self, told: Told) -> None:
        if isinstance(told, LogRecord):
            pass_on(told)
        else:
            self._listener(told)


def _tell_end(
    listener: Listener, constructions: tuple[str, ...], task: "asyncio.Task[None]"
) -> None:
    """End the run where a task of a room has: it would wait for ever for what nobody brings."""
    error = None if task.cancelled() else task.exception()
    if isinstance(error, Exception):
        listener(Failed(constructions, error))


def _guarded(construction: str, work: Callable[[], Report | StreamOutcome]) -> Answer:
    try:
        return work()
    except SaberError as error:
        return Failed((construction,), error)


def _serve(theirs: socket.socket, jobs: Sequence[StreamJob], served: str) -> None:
    """Run engines in a process of their own until the other side is gone."""
    leave_signals_to_parent()
    die_with_parent()
    collect_seldom()
    lines: list[LogRecord] = []
    forward(lines.append)
    with contextlib.suppress(ConnectionError):
        _converse(theirs, Engines(jobs, served), lines)


def _converse(
    theirs: socket.socket,
    engines: Engines,
    lines: list[LogRecord],
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Answer messages, and flush on time however many come, until the other side is gone."""

    def tell(answers: Iterable[Answer]) -> None:
        answered = list(answers)
        told: list[Told] = [*lines, *answered]
        lines.clear()
        if told:
            theirs.sendall(_framed(told))

    for answer in engines.start():
        tell([answer])
    flush_at = clock() + FLUSH_SECONDS
    while (messages := _receive(theirs, flush_at - clock())) is not None:
        tell(engines.handle(messages))
        if clock() >= flush_at:
            tell(engines.flush())
            flush_at = clock() + FLUSH_SECONDS


def _receive(theirs: socket.socket, seconds: float) -> list[Message] | None:
    """Return the messages that come within a time; None once the other side is gone."""
    # A socket that waits for no time at all would be one that doesn't wait.
    theirs.settimeout(max(seconds, 0.001))
    try:
        header = theirs.recv(_LENGTH.size)
    except TimeoutError:
        return []
    if not header:
        return None
    theirs.settimeout(None)
    (length,) = _LENGTH.unpack(header + _exactly(theirs, _LENGTH.size - len(header)))
    messages: list[Message] = pickle.loads(_exactly(theirs, length))
    return messages


def _exactly(source: socket.socket, length: int) -> bytes:
    content = bytearray()
    while len(content) < length:
        piece = source.recv(length - len(content))
        if not piece:
            raise ConnectionResetError
        content += piece
    return bytes(content)


def _framed(content: object) -> bytes:
    pickled = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(pickled)) + pickled
