"""The stub of a model's server in a process of its own, as the benchmarks use it."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from artifacts.settings import DatasetSettings, LlmSettings
from generators.constructions import CONSTRUCTIONS

IN_FLIGHT = 64


@contextmanager
def serving(latency_seconds: float) -> Iterator[str]:
    """Yield the base URL of a stub that answers after `latency_seconds`."""
    command = [sys.executable, "-m", "tests.flows.llm.stub_server"]
    command += ["--latency", str(latency_seconds)]
    root = Path(__file__).parent.parent
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def tell(url: str, changes: dict[str, object] | None = None) -> dict[str, float]:
    """Change how the stub behaves; return what was asked of it."""
    target = url.removesuffix("/v1") + "/stub"
    body = json.dumps(changes or {}).encode()
    with urllib.request.urlopen(urllib.request.Request(target, data=body)) as answer:
        stats: dict[str, float] = json.load(answer)
        return stats


def settings(
    url: str, rows: int, processes: int, *, lag: int | None = None, **llm: object
) -> DatasetSettings:
    """Return settings for `rows` examples from the stub, the constructions alike."""
    names = list(CONSTRUCTIONS)
    quotas = {
        name: rows // len(names) + (number < rows % len(names)) for number, name in enumerate(names)
    }
    asked = {"base_url": url, "model": "stub", "style": "given", "concurrency": IN_FLIGHT, **llm}
    chosen = DatasetSettings(
        quotas=quotas,
        writer="llm",
        llm=LlmSettings.model_validate(asked),
        parse=False,
        processes=processes,
    )
    return chosen if lag is None else chosen.model_copy(update={"lag": lag})
