"""A loopback server with an OpenAI API and every fault that a real one has been seen to have.

Answers prompts of ours with drafts that the rules accept, after `latency_seconds`. Which request
meets which fault is a function of its number, so a run is repeatable up to the order in which
requests arrive. Runs in a thread of a test, or as a process of its own:

    python -m tests.flows.llm.stub_server --latency 0.05 --faults '{"status 429": 0.03}'

prints its base URL. `GET /stub` tells what was asked of it; `POST /stub` changes its behaviour.
"""

import argparse
import asyncio
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.flows.llm.stub_dialects import Dialect, Vllm
from tests.flows.llm.stub_drafts import schema_name_of, write_reply

#: What a request may meet instead of its reply.
FAULTS = (
    "slow",
    "hang",
    "status 429",
    "status 500",
    "status 503",
    "status 400",
    "status 401",
    "status 403",
    "status 404",
    "cut before headers",
    "cut in the body",
    "broken body",
    "html",
    "list",
    "no choices",
    "no usage",
    "refusal",
    "malformed",
    "truncated",
    "wrong schema",
)


@dataclass
class Stub:
    """How the server behaves, and what was asked of it."""

    model: str = "stub"
    root: str = "weights-1"
    context_tokens: int | None = 32_768
    latency_seconds: float = 0.0
    #: Fault → its share of the requests.
    faults: Mapping[str, float] = field(default_factory=dict)
    #: Chooses the fault of a request by its number instead, where it is set.
    script: Callable[[int], str | None] | None = None
    retry_after: str = "1"
    seed: int = 0
    dialect: Dialect = field(default_factory=Vllm)
    #: Completions asked for, in order: the user prompt of each.
    prompts: list[str] = field(default_factory=list)
    met: Counter[str] = field(default_factory=Counter)
    in_flight: int = 0
    most_in_flight: int = 0
    keys: set[str] = field(default_factory=set)
    payloads: list[bytes] | None = None
    connections: set[asyncio.Transport] = field(default_factory=set)
    #: When each completion was asked for.
    began_at: list[float] = field(default_factory=list)
    _replies: dict[str, str] = field(default_factory=dict)

    def fault_of(self, number: int) -> str | None:
        """Return what the request of that number meets."""
        if self.script is not None:
            return self.script(number)
        drawn = random.Random(f"{self.seed}/{number}").random()
        for fault, share in self.faults.items():
            drawn -= share
            if drawn < 0:
                return fault
        return None

    def reply_to(self, body: Mapping[str, Any]) -> str:
        """Return the content of a good reply."""
        user = body["messages"][-1]["content"]
        if user not in self._replies:
            # Not from the schema: not every form of it has a name.
            name = schema_name_of(body["messages"][0]["content"])
            self._replies[user] = write_reply(name, user)
        return self._replies[user]

    def stats(self) -> dict[str, Any]:
        """Return what was asked, for another process."""
        return {
            "requests": len(self.prompts),
            "repeated": len(self.prompts) - len(set(self.prompts)),
            "met": dict(self.met),
            "most_in_flight": self.most_in_flight,
            # The probe is the first.
            "first_at": self.began_at[1] if len(self.began_at) > 1 else None,
        }


class _Connection(asyncio.Protocol):
    """One connection: HTTP/1.1 with keep-alive and bodies of known length, and nothing more."""

    def __init__(self, stub: Stub) -> None:
        self._stub = stub
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._stub.connections.add(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self._stub.connections.discard(self._transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, blank, rest = self._buffer.partition(b"\r\n\r\n")
        if not blank:
            return
        line, *lines = head.decode("latin-1").split("\r\n")
        headers = {k.lower(): v for k, _, v in (text.partition(": ") for text in lines)}
        length = int(headers.get("content-length", 0))
        if len(rest) < length:
            return
        self._buffer = rest[length:]
        self._stub.keys.add(headers.get("authorization", "").removeprefix("Bearer "))
        method, path, _ = line.split(" ")
        self._handle(method, path, rest[:length])

    def _handle(self, method: str, path: str, body: bytes) -> None:
        if path == "/stub":
            for name, value in json.loads(body or b"{}").items():
                setattr(self._stub, name, value)
            self._send(200, self._stub.stats())
        elif path == "/v1/models":
            self._send(200, self._models())
        elif path == "/v1/chat/completions" and method == "POST":
            self._complete(body)
        else:
            self._send(404, {"detail": "Not Found"})

    def _models(self) -> dict[str, Any]:
        stub = self._stub
        listed = stub.dialect.models(stub.model, stub.root, stub.context_tokens)
        listed["data"][0]["created"] = len(stub.prompts)
        return listed

    def _complete(self, raw: bytes) -> None:
        stub, body = self._stub, json.loads(raw)
        if stub.payloads is not None:
            stub.payloads.append(raw)
        stub.prompts.append(body["messages"][-1]["content"])
        stub.began_at.append(time.time())
        fault = stub.fault_of(len(stub.prompts) - 1)
        stub.met[fault or "none"] += 1
        stub.in_flight += 1
        stub.most_in_flight = max(stub.most_in_flight, stub.in_flight)
        seconds = stub.latency_seconds * (4 if fault == "slow" else 1)
        if fault == "hang":
            seconds = 3600.0
        asyncio.get_running_loop().call_later(seconds, self._answer, fault, body)

    def _answer(self, fault: str | None, body: dict[str, Any]) -> None:
        self._stub.in_flight -= 1
        dialect = self._stub.dialect
        if objection := dialect.objection(body, self._stub.model):
            self._send(objection["error"]["code"], objection)
        elif fault is not None and fault.startswith("status "):
            status = int(fault.removeprefix("status "))
            self._send(status, dialect.error(status, max(self._stub.keys)))
        elif fault == "cut before headers":
            self._transport.abort()
        elif fault == "html":
            self._send(200, "<html><body>Bad gateway</body></html>")
        elif fault == "broken body":
            self._send(200, '{"choices": [{"message": {"content": "')
        elif fault == "list":
            self._send(200, [])
        else:
            content = self._completion(fault, body)
            self._send(200, content, cut=fault == "cut in the body")

    def _completion(self, fault: str | None, body: dict[str, Any]) -> dict[str, Any]:
        content, finish, refusal = self._stub.reply_to(body), "stop", None
        if fault == "malformed":
            content = content.replace(":", "", 1)
        elif fault == "truncated":
            content, finish = content[: len(content) // 2], "length"
        elif fault == "wrong schema":
            content = json.dumps({"caption": content})
        elif fault == "refusal":
            content, refusal = "", "I cannot write about that."
        completion = self._stub.dialect.completion(self._stub.model, content, finish, refusal)
        if fault == "no usage":
            del completion["usage"]
        return completion | ({"choices": []} if fault == "no choices" else {})

    def _send(self, status: int, content: Any, *, cut: bool = False) -> None:
        text = content if isinstance(content, str) else json.dumps(content)
        body = text.encode()
        lines = [
            f"HTTP/1.1 {status} Stub",
            f"Content-Type: {'text/html' if text.startswith('<') else 'application/json'}",
            f"Content-Length: {len(body)}",
        ]
        if status == 429:
            lines.append(f"Retry-After: {self._stub.retry_after}")
        head = "\r\n".join(lines).encode() + b"\r\n\r\n"
        self._transport.write(head + (body[: len(body) // 2] if cut else body))
        if cut:
            self._transport.close()


@contextmanager
def serving(stub: Stub) -> Iterator[str]:
    """Serve in a thread while the block lasts; yields the base URL."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(_listen(stub, 0), loop).result()
    port = server.sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        asyncio.run_coroutine_threadsafe(_close(stub, server), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _listen(stub: Stub, port: int) -> asyncio.Server:
    loop = asyncio.get_running_loop()
    return await loop.create_server(lambda: _Connection(stub), "127.0.0.1", port)


async def _close(stub: Stub, server: asyncio.Server) -> None:
    server.close()
    for transport in list(stub.connections):
        transport.abort()
    while stub.connections:
        await asyncio.sleep(0)


async def _serve_forever(stub: Stub, port: int) -> None:
    server = await _listen(stub, port)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser(description="A stub of a model's server.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--faults", type=json.loads, default={}, help="JSON: fault to share")
    parser.add_argument("--retry-after", default="1")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    stub = Stub(
        latency_seconds=given.latency,
        faults=given.faults,
        retry_after=given.retry_after,
        seed=given.seed,
    )
    asyncio.run(_serve_forever(stub, given.port))


if __name__ == "__main__":
    main()
