"""How long SABER takes from settings to validated Parquet, without Prefect.

    python -m benchmarks.benchmark_build [--repeat 3]

The yardstick, measured in the same run, is to write the same rows as Parquet and read them back:
`ratio` is the whole over that. Each measurement is a process of its own, so that its peak memory is
its own, too; the best of the repetitions counts. Meant to hold: a ratio of at most 2 or at most
5 seconds, whichever is larger, and less than 300 MB.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from artifacts.builds import Build
from artifacts.parquet import read_verified, write_table
from artifacts.records import Candidate, Question, Record, Relevance, Scene
from artifacts.schema import from_table, stored_schema, to_stored_table
from artifacts.settings import BenchmarkSettings
from flows.progress import Silent
from flows.stages.benchmark import build_benchmark, check_benchmark
from flows.stages.publishing import require_passed
from generators.benchmark import generate_benchmark
from vocab.benchmark_words import load_vocabulary


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one process took."""

    seconds: float
    cpu_seconds: float
    peak_mb: float


def measure_whole(folder: Path) -> Measurement:
    """Settings to validated Parquet."""
    build = Build(folder, "main")

    def work() -> None:
        build_benchmark(build, BenchmarkSettings(), Silent())
        reports, _ = check_benchmark(build)
        require_passed(reports)

    return _measure(work)


def measure_yardstick(folder: Path) -> Measurement:
    """Its rows as Parquet and back; making them isn't measured."""
    made = generate_benchmark(BenchmarkSettings(), load_vocabulary())
    rows: dict[type[Record], list[Record]] = {
        Question: [*made.questions],
        Candidate: [*made.candidates],
        Scene: [*made.scenes],
        Relevance: [*made.relevance],
    }

    def work() -> None:
        for kind, records in rows.items():
            table = to_stored_table(kind, records)
            entry = write_table(folder, f"{kind.view}.parquet", kind.view, table)
            back = from_table(kind, read_verified(folder, entry, stored_schema(kind)))
            assert back == records

    return _measure(work)


MEASURES = {"whole": measure_whole, "yardstick": measure_yardstick}


def main() -> None:
    """Measure and print; a child process measures one thing and prints it as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", 1)[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--measure", choices=MEASURES, help="measure this one, in this process")
    arguments = parser.parse_args()
    if arguments.measure:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(asdict(MEASURES[arguments.measure](Path(folder)))))
        return
    best = {name: _best_of(name, arguments.repeat) for name in MEASURES}
    for name, found in best.items():
        print(
            f"{name}: {found.seconds:.2f} s, {found.cpu_seconds:.2f} s of CPU, "
            f"peak {found.peak_mb:.0f} MB"
        )
    print(f"ratio: {best['whole'].seconds / best['yardstick'].seconds:.2f}")


def _measure(work: Callable[[], None]) -> Measurement:
    began, began_cpu = time.perf_counter(), time.process_time()
    work()
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - began_cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Measurement(seconds, cpu_seconds, peak)


def _best_of(name: str, repetitions: int) -> Measurement:
    command = [sys.executable, "-m", "benchmarks.benchmark_build", "--measure", name]
    root = Path(__file__).parents[1]
    outputs = [
        subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
        for _ in range(repetitions)
    ]
    return min((Measurement(**json.loads(text)) for text in outputs), key=lambda m: m.seconds)


if __name__ == "__main__":
    main()
