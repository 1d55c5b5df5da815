"""Where engines run: beside the event loop in processes of their own, or, for one, within it.

Planning and judging take as long as asking does, so they must not hold up the loop. Messages are
pickled and framed by their length. Knows processes; not what an engine does.
"""

import asyncio
import multiprocessing
import pickle
import signal
import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from artifacts.errors import BuildError, SaberError
from flows.llm.engine import Engine
from flows.llm.messages import Answer, Arrival, Close, Failed, Message, Report
from flows.logs import follow
from flows.stages.lifeline import die_with_parent
from flows.stages.stream_run import StreamJob, StreamOutcome

#: After so long without a message what has been logged is brought to disk.
_IDLE_SECONDS = 1.0
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
        self._engines = Engines(jobs, served)
        self._listener = listener

    async def start(self) -> None:
        """Tell the first reports."""
        for answer in self._engines.start():
            self._listener(answer)

    def send(self, message: Message) -> None:
        """Hand over a message."""
        for answer in self._engines.handle([message]):
            self._listener(answer)

    async def stop(self) -> None:
        """Let the engines go."""
        self._engines.release()


class Beside:
    """Engines in a process of their own."""

    def __init__(self, jobs: Sequence[StreamJob], served: str, listener: Listener) -> None:
        self._listener = listener
        self._constructions = tuple(job.construction for job in jobs)
        self._outbox: list[Message] = []
        self._ours, theirs = socket.socketpair()
        context = multiprocessing.get_context("spawn")
        self._process = context.Process(target=_serve, args=(theirs, jobs, served), daemon=True)
        self._process.start()
        theirs.close()
        self._is_stopping = False

    async def start(self) -> None:
        """Begin to listen."""
        self._ours.setblocking(False)
        reader, self._writer = await asyncio.open_connection(sock=self._ours)
        self._listening = asyncio.create_task(self._listen(reader))

    def send(self, message: Message) -> None:
        """Hand over a message, soon."""
        if not self._outbox:
            asyncio.get_running_loop().call_later(_TOGETHER_SECONDS, self._post)
        self._outbox.append(message)

    async def stop(self) -> None:
        """End the process."""
        self._is_stopping = True
        self._post()
        self._writer.close()
        await asyncio.wait([self._listening])
        await asyncio.to_thread(self._process.join)

    def _post(self) -> None:
        messages, self._outbox = self._outbox, []
        if messages and not self._writer.is_closing():
            self._writer.write(_framed(messages))

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
                for answer in pickle.loads(await reader.readexactly(length)):
                    self._listener(answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            if not self._is_stopping:
                died = (
                    "a process of the build died (out of memory?): run the command again to go on"
                )
                self._listener(Failed(self._constructions, BuildError(died)))


def _guarded(construction: str, work: Callable[[], Report | StreamOutcome]) -> Answer:
    try:
        return work()
    except SaberError as error:
        return Failed((construction,), error)


def _serve(theirs: socket.socket, jobs: Sequence[StreamJob], served: str) -> None:
    """Run engines until the other side is gone."""
    # Ctrl-C reaches the whole group of processes; what it means is for the loop to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    follow(jobs[0].build)
    engines = Engines(jobs, served)
    for answer in engines.start():
        theirs.sendall(_framed([answer]))
    while True:
        theirs.settimeout(_IDLE_SECONDS)
        try:
            header = theirs.recv(_LENGTH.size)
        except TimeoutError:
            failed = list(engines.flush())
            if failed:
                theirs.sendall(_framed(failed))
            continue
        theirs.settimeout(None)
        if not header:
            return
        (length,) = _LENGTH.unpack(header + _exactly(theirs, _LENGTH.size - len(header)))
        answers = list(engines.handle(pickle.loads(_exactly(theirs, length))))
        theirs.sendall(_framed(answers))


def _exactly(source: socket.socket, length: int) -> bytes:
    content = bytearray()
    while len(content) < length:
        piece = source.recv(length - len(content))
        if not piece:
            raise EOFError
        content += piece
    return bytes(content)


def _framed(content: object) -> bytes:
    pickled = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(pickled)) + pickled
