"""A real model's server on loopback, whichever it is: its pages, and when it is ready.

Knows HTTP; not how a server is started or what it is asked to write.
"""

import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.servers.running import Running

#: What makes a text of a chat, for a model that knows none.
PASSTHROUGH = Path(__file__).parent / "passthrough.jinja"


class ModelServer:
    """A server that runs."""

    def __init__(self, port: int) -> None:
        self._root = f"http://127.0.0.1:{port}"
        self.url = f"{self._root}/v1"

    def get(self, path: str) -> str:
        """Return a page."""
        with urllib.request.urlopen(f"{self._root}/{path}", timeout=60) as found:
            return str(found.read().decode())

    def wait_until_healthy(self, running: Running, patience_seconds: float) -> None:
        """Return once the server is ready; fail where its process ends, or takes too long."""
        deadline = time.monotonic() + patience_seconds
        while time.monotonic() < deadline:
            assert running.process.poll() is None, running.log.read_text()[-5_000:]
            try:
                self.get("health")
            except (urllib.error.URLError, OSError):
                time.sleep(1)
            else:
                return
        raise AssertionError(f"the server was not healthy within {patience_seconds:.0f} s")
