"""A loopback server with an embeddings API, and the faults that real ones have been seen to have.

Its vectors are a function of the text, so that a test knows whose vector it got.
"""

import base64
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
from numpy.typing import NDArray

MODEL = "stub-embedding"
DIMENSIONS = 6

_WORDS = {
    400: "This model's maximum context length is 8192 tokens",
    401: "Incorrect API key provided: ",
    404: "The model `stub-embedding` does not exist",
    429: "Rate limit reached",
    500: "The server had an error",
    503: "Model is loading",
}


def vector_of(text: str) -> NDArray[np.float32]:
    """What the stub returns for a text."""
    numbers = [len(text), *(text.count(letter) for letter in "abcd"), 1]
    return np.array(numbers, dtype=np.float32)


@dataclass
class Stub:
    """What the server does, and what was asked of it."""

    #: What a request meets, by its number; after the last, and for None, it is answered.
    faults: list[str | int | None] = field(default_factory=list)
    #: What every request meets.
    always: str | int | None = None
    retry_after: str | None = None
    #: Whether base64 is understood.
    has_base64: bool = True
    latency_seconds: float = 0.0
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    in_flight: int = 0
    most_in_flight: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


@contextmanager
def serving(stub: Stub) -> Iterator[str]:
    """Serve while the block lasts; yields the base URL."""

    class Handler(_Handler):
        pass

    Handler.stub = stub
    server = _Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Keep the terminal clean of clients that went away."""


class _Handler(BaseHTTPRequestHandler):
    stub: Stub
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Keep the terminal clean."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        stub = self.stub
        with stub.lock:
            number = len(stub.bodies)
            stub.bodies.append(body)
            stub.keys.add(self.headers.get("Authorization", "").removeprefix("Bearer "))
            stub.in_flight += 1
            stub.most_in_flight = max(stub.most_in_flight, stub.in_flight)
        time.sleep(stub.latency_seconds)
        fault = stub.always or (stub.faults[number] if number < len(stub.faults) else None)
        with stub.lock:
            stub.in_flight -= 1
        self._answer(fault, body)

    def _answer(self, fault: str | int | None, body: dict[str, Any]) -> None:
        if isinstance(fault, int):
            words = _WORDS[fault] + (max(self.stub.keys) if fault == 401 else "")
            self._send(fault, {"error": {"message": words, "code": None}})
        elif fault == "quota":
            spent = {"message": "You exceeded your current quota", "code": "insufficient_quota"}
            self._send(429, {"error": spent})
        elif fault == "html":
            self._send(200, "<html><body>Bad gateway</body></html>")
        elif fault == "error with 200":
            self._send(200, {"error": {"message": "out of memory"}})
        elif fault == "hang":
            time.sleep(1.0)
            self.close_connection = True
        else:
            self._send(200, self._reply(fault, body), cut=fault == "cut")

    def _reply(self, fault: str | int | None, body: dict[str, Any]) -> dict[str, Any]:
        vectors = [vector_of(text) for text in body["input"]]
        if fault == "dimension":
            vectors[-1] = vectors[-1][:-1]
        elif fault == "other dimension":
            vectors = [vector[:-1] for vector in vectors]
        elif fault == "nan":
            vectors[-1][0] = np.nan
        data = [
            {"object": "embedding", "index": index, "embedding": self._told(vector, body)}
            for index, vector in enumerate(vectors)
        ]
        if fault == "count":
            data.pop()
        elif fault == "index":
            data[-1]["index"] = 0
        elif fault == "no base64":
            data[0]["embedding"] = "????"
        # The API promises an index, not an order.
        return {"object": "list", "data": data[::-1], "model": MODEL}

    def _told(self, vector: NDArray[np.float32], body: dict[str, Any]) -> str | list[float]:
        if self.stub.has_base64 and body.get("encoding_format") == "base64":
            return base64.b64encode(vector.astype("<f4").tobytes()).decode()
        return [float(number) for number in vector]

    def _send(self, status: int, content: object, *, cut: bool = False) -> None:
        body = (content if isinstance(content, str) else json.dumps(content)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.stub.retry_after is not None and status >= 400:
            self.send_header("Retry-After", self.stub.retry_after)
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if cut else body)
        if cut:
            self.close_connection = True
