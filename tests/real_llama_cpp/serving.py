"""A real llama.cpp server on loopback with a small model, both in a folder of their own.

`make test-llama-cpp` makes the folder.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.servers.model_server import PASSTHROUGH, ModelServer
from tests.servers.running import PATIENCE_SECONDS, Running, clean_environment, free_port

HERE = Path(__file__).parent
ENVIRONMENT = HERE.parents[1] / ".venv" / "llama-cpp"
PROGRAM = ENVIRONMENT / "bin" / "llama-server"
MODEL_FILE = ENVIRONMENT / "gemma-3-270m-q4_k_m.gguf"
MODEL, OTHER_NAME = "gemma", "gemma-3-270m"
#: Requests that are answered at a time; they share what `--ctx-size` says.
SLOTS = 4
#: What is left for each.
CONTEXT_TOKENS = 1_024

_OPTIONS = (
    f"--model={MODEL_FILE}",
    f"--alias={MODEL},{OTHER_NAME}",
    f"--chat-template-file={PASSTHROUGH}",
    "--host=127.0.0.1",
    "--offline",
    # Two threads wait for each other on a core that somebody else needs.
    "--threads=1",
    "--cache-ram=0",
)


class LlamaCpp(ModelServer):
    """A server that says in its log what it has answered; it counts tokens only."""

    def __init__(self, port: int, log: Path) -> None:
        super().__init__(port)
        self._log = log

    def completed(self) -> int:
        """Return how many requests have been answered: each leaves its times in the log."""
        return self._log.read_text(errors="replace").count("prompt eval time")


@contextmanager
def serving(
    folder: Path, *options: str, context_tokens: int = CONTEXT_TOKENS, slots: int = SLOTS
) -> Iterator[LlamaCpp]:
    """Serve while the block lasts; what the server says goes to `folder`."""
    port, log = free_port(), folder / "llama-server.log"
    sizes = (f"--ctx-size={context_tokens * slots}", f"--parallel={slots}", f"--port={port}")
    command = [str(PROGRAM)]
    for option in (*_OPTIONS, *sizes, *options):
        command += option.split("=", 1)
    running = Running(tuple(command), log, clean_environment(folder / "home"), folder)
    try:
        server = LlamaCpp(port, log)
        server.wait_until_healthy(running, PATIENCE_SECONDS)
        yield server
    finally:
        running.end()
