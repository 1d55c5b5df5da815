"""The dataset from a model's server, against a bare loop that only parses the JSON.

A stub in a process of its own answers valid drafts after 50 ms; both ask it with 64 requests in
flight. Ours plans, writes prompts, logs, judges by every rule and writes shards; the bare loop is
`AsyncOpenAI` on its default transport behind a semaphore. Each is timed from its first request to
its last row, five times in turn; the start of our processes is printed apart.

    python benchmarks/benchmark_llm.py [--rows 2000] [--rounds 5]
"""

import argparse
import asyncio
import json
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from openai import AsyncOpenAI

from artifacts.attempt_log import read_drafts
from artifacts.builds import Build
from artifacts.settings import DatasetSettings
from benchmarks import stub
from flows.llm.build import request_planner
from flows.progress import Silent
from flows.stages.dataset import build_dataset
from flows.stages.dataset_words import load_words
from validators.ledger import Ledger

_LATENCY_SECONDS = 0.05


def main() -> None:
    """Measure and print."""
    given = _arguments()
    with stub.serving(_LATENCY_SECONDS) as url, tempfile.TemporaryDirectory() as folder:
        settings = stub.settings(url, given.rows, given.processes)
        # Untimed: the stub writes each draft once and then has it ready for both.
        payloads = _warm_up(Path(folder), settings, url)
        ours: list[float] = []
        bare: list[float] = []
        starts: list[float] = []
        for number in range(given.rounds):
            bare.append(asyncio.run(_bare_rate(url, payloads)))
            rate, start = _our_rate(Build(Path(folder), f"run-{number}"), settings, given.rows)
            ours.append(rate)
            starts.append(start)
            print(f"bare {bare[-1]:7.1f} rows/s   ours {rate:7.1f} rows/s   start {start:.2f} s")
    rates = statistics.median(ours), statistics.median(bare)
    print(f"ours: {rates[0]:.1f} rows/s, bare: {rates[1]:.1f} rows/s")
    print(f"start: {statistics.median(starts):.2f} s")
    print(f"peak memory: {_peak_megabytes():.0f} MB in the largest process")
    print(f"ratio: {rates[0] / rates[1]:.2f}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


def _our_rate(build: Build, settings: DatasetSettings, rows: int) -> tuple[float, float]:
    """Return rows a second from the first request on, and the seconds before it."""
    url = settings.llm.base_url
    stub.tell(url, {"began_at": []})
    began = time.time()
    outcome = build_dataset(build, settings, Silent())
    ended = time.time()
    if outcome.manifest is None or outcome.manifest.counts["accepted"] != rows:
        raise SystemExit(f"expected {rows} rows, found {outcome}")
    first = stub.tell(url)["first_at"]
    return rows / (ended - first), first - began


async def _bare_rate(url: str, payloads: list[bytes]) -> float:
    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    slots = asyncio.Semaphore(stub.IN_FLIGHT)

    async def ask(body: dict[str, object]) -> object:
        async with slots:
            completion = await client.chat.completions.create(**body)  # type: ignore[call-overload]
        return json.loads(completion.choices[0].message.content)

    bodies = [json.loads(payload) for payload in payloads]
    async with client:
        began = time.perf_counter()
        drafts = await asyncio.gather(*map(ask, bodies))
    return len(drafts) / (time.perf_counter() - began)


def _warm_up(folder: Path, settings: DatasetSettings, url: str) -> list[bytes]:
    """Build once and return the requests whose drafts were accepted, as they were sent."""
    build = Build(folder, "warm-up")
    build_dataset(build, settings, Silent())
    words = load_words(settings)
    payloads = []
    for name, quota in settings.quotas.items():
        planner = request_planner(words, name, settings)
        drafts = read_drafts(build.dataset / "log" / name)
        for attempt in sorted(drafts)[:quota]:
            planner.plan(attempt, Ledger(1))
            payloads.append(planner.take_payload(attempt))
    asyncio.run(_bare_rate(url, payloads))
    return payloads


def _peak_megabytes() -> float:
    ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return max(ours, workers) / 1024


if __name__ == "__main__":
    main()
