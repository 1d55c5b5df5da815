"""The dataset from a model's server that fails often, against the same one when it doesn't.

A stub in a process of its own answers after one second, 64 requests in flight. Seven requests in a
hundred come to nothing (429, 500, a cut connection, no answer at all), five more bring a reply that
is no draft. Both are built whole, one after the other, by turns; the times are those of the whole
build, the start of its processes among them.

    python benchmarks/benchmark_faults.py [--rows 1000] [--rounds 5]
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from artifacts.builds import Build
from artifacts.settings import DatasetSettings
from benchmarks import stub
from flows.progress import Silent
from flows.stages.dataset import build_dataset
from flows.stages.dataset_check import check_dataset

_LATENCY_SECONDS = 1.0
_FAULTS = {
    "status 429": 0.03,
    "status 500": 0.02,
    "malformed": 0.03,
    "truncated": 0.02,
    "cut in the body": 0.01,
    "hang": 0.01,
}


def main() -> None:
    """Measure and print."""
    given = _arguments()
    ratios: list[float] = []
    with stub.serving(_LATENCY_SECONDS) as url, tempfile.TemporaryDirectory() as folder:
        settings = stub.settings(url, given.rows, given.processes, lag=256, timeout_seconds=3)
        for number in range(given.rounds):
            seconds: list[float] = []
            for name, faults in (("well", {}), ("ill", _FAULTS)):
                stub.tell(url, {"faults": faults, "seed": given.seed + number, "prompts": []})
                build = Build(Path(folder), f"{name}-{number}")
                seconds.append(_build_seconds(build, settings, given.rows))
            ratios.append(seconds[1] / seconds[0])
            asked = stub.tell(url)["requests"]
            print(
                f"without faults {seconds[0]:5.1f} s   with {seconds[1]:5.1f} s, "
                f"{asked:,} requests   ratio {ratios[-1]:.2f}"
            )
    print(f"ratio: {statistics.median(ratios):.2f}, at most {max(ratios):.2f}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def _build_seconds(build: Build, settings: DatasetSettings, rows: int) -> float:
    """Return how long the build took, of which every row keeps every rule."""
    began = time.perf_counter()
    outcome = build_dataset(build, settings, Silent())
    seconds = time.perf_counter() - began
    if outcome.manifest is None or outcome.manifest.counts["accepted"] != rows:
        raise SystemExit(f"expected {rows} rows, found {outcome}")
    rules, _ = check_dataset(build, settings)
    if failed := [rule.rule for rule in rules if rule.failed]:
        raise SystemExit(f"expected every rule kept, found broken {', '.join(failed)}")
    return seconds


if __name__ == "__main__":
    main()
