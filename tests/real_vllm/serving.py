"""A real vLLM on loopback with a small model, both from an environment of their own.

`make test-vllm` makes the environment. vLLM is started as docker-compose.yml starts it, with what
a CPU and little memory ask for.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.servers.model_server import PASSTHROUGH, ModelServer
from tests.servers.running import Running, clean_environment, free_port

HERE = Path(__file__).parent
ENVIRONMENT = HERE.parents[1] / ".venv" / "vllm"
PYTHON = ENVIRONMENT / "bin" / "python"
MODEL_FOLDER = ENVIRONMENT / "gemma-3-270m"
MODEL = "gemma"
CONTEXT_TOKENS = 1_024

#: The first start compiles; a busy machine takes its time.
_PATIENCE_SECONDS = 900.0
_OPTIONS = (
    f"--model={MODEL_FOLDER}",
    f"--served-model-name={MODEL}",
    f"--chat-template={PASSTHROUGH}",
    f"--max-model-len={CONTEXT_TOKENS}",
    "--host=127.0.0.1",
    "--dtype=bfloat16",
    "--enforce-eager",
    "--max-num-seqs=32",
    "--enable-prefix-caching",
    '--structured-outputs-config={"backend":"xgrammar","disable_any_whitespace":true}',
)
#: One thread: two of them wait for each other on a core that somebody else needs.
_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_PLUGINS": "",
}


class Vllm(ModelServer):
    """A server that counts what it has answered."""

    def completed(self) -> int:
        """Return how many requests have been answered, by vLLM's own count."""
        name, given_up = "vllm:request_success_total{", 'finished_reason="abort"'
        lines = (line for line in self.get("metrics").splitlines() if line.startswith(name))
        counts = (line.rpartition(" ")[2] for line in lines if given_up not in line)
        return sum(int(float(count)) for count in counts)


def make_model() -> None:
    """Convert the packaged weights, once."""
    script = str(HERE / "gguf_to_hf.py")
    subprocess.run([str(PYTHON), script, str(MODEL_FOLDER)], check=True)


@contextmanager
def serving(folder: Path) -> Iterator[Vllm]:
    """Serve while the block lasts; what the server says goes to `folder`."""
    port = free_port()
    program = (str(PYTHON), "-m", "vllm.entrypoints.openai.api_server", f"--port={port}")
    env = clean_environment(folder / "home") | _ENVIRONMENT
    running = Running((*program, *_OPTIONS), folder / "vllm.log", env, folder)
    try:
        vllm = Vllm(port)
        vllm.wait_until_healthy(running, _PATIENCE_SECONDS)
        yield vllm
    finally:
        running.end()
