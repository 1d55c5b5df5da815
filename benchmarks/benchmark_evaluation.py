"""How long scoring takes: four pairings of SABER from vectors to records, without any model.

    python -m benchmarks.benchmark_evaluation [--repeat 5] [--dimensions 2048] [--small]

The yardstick, measured in the same process and in turn with it, is the bare matrix product of each
pairing's queries with the gallery, in float64 and with as many threads: `ratio` is the median over
the turns. The peak is that of a process that only scores, the vectors of both modalities included.
Meant to hold: a ratio of at most 2, and less than 800 MB.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from artifacts.builds import Build
from artifacts.records import Pairing
from artifacts.settings import BenchmarkSettings
from evaluation.recording import Label, question_outcomes, question_results
from evaluation.saber import Saber, load_saber
from evaluation.scoring import score_pairing
from flows.progress import Silent
from flows.stages.benchmark import build_benchmark

_PAIRINGS: tuple[Pairing, ...] = ("t2t", "t2i", "i2t", "i2i")
_SMALL = BenchmarkSettings(independent_per_n=5, chains=5)


class Sides:
    """Random vectors of either modality, t and i, for the queries and the gallery."""

    def __init__(self, saber: Saber, dimensions: int) -> None:
        rng = np.random.default_rng(0)

        def draw(rows: int) -> NDArray[np.float32]:
            return rng.standard_normal((rows, dimensions), dtype=np.float32)

        self.queries = {modality: draw(len(saber.queries.ids)) for modality in "ti"}
        self.gallery = {modality: draw(len(saber.gallery.ids)) for modality in "ti"}


def score(saber: Saber, sides: Sides) -> None:
    """Vectors to records, all four pairings."""
    for pairing in _PAIRINGS:
        label = Label("benchmark", "random", pairing)
        scores = score_pairing(saber, sides.queries[pairing[0]], sides.gallery[pairing[-1]])
        question_results(label, saber.questions, scores)
        question_outcomes(label, saber.questions, scores)


def measure_times(saber: Saber, sides: Sides, repeat: int) -> dict[str, float]:
    """Return the median seconds of scoring and of the yardstick, and that of their ratio."""
    queries = {name: rows.astype(np.float64) for name, rows in sides.queries.items()}
    gallery = {name: rows.astype(np.float64) for name, rows in sides.gallery.items()}

    def multiply() -> None:
        for pairing in _PAIRINGS:
            queries[pairing[0]] @ gallery[pairing[-1]].T

    pairs = [(_seconds(lambda: score(saber, sides)), _seconds(multiply)) for _ in range(repeat)]
    return {
        "scoring": median(scoring for scoring, _ in pairs),
        "products": median(products for _, products in pairs),
        "ratio": median(scoring / products for scoring, products in pairs),
    }


def measure_peak(saber: Saber, sides: Sides) -> dict[str, float]:
    """Return the peak memory of this process after scoring, in MB."""
    score(saber, sides)
    return {"peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def main() -> None:
    """Measure and print; a child process measures one thing and prints it as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", 1)[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--dimensions", type=int, default=2_048)
    parser.add_argument("--small", action="store_true", help="90 questions")
    parser.add_argument("--only", nargs=2, metavar=("KIND", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only is None:
        _report(options)
        return
    kind, folder = options.only
    saber = load_saber(Build(Path(folder), "main"))
    sides = Sides(saber, options.dimensions)
    times = kind == "times"
    found = measure_times(saber, sides, options.repeat) if times else measure_peak(saber, sides)
    print(json.dumps(found))


def _report(options: argparse.Namespace) -> None:
    settings = _SMALL if options.small else BenchmarkSettings()
    with tempfile.TemporaryDirectory() as folder:
        build = Build(Path(folder), "main")
        build_benchmark(build, settings, Silent())
        loading = _seconds(lambda: load_saber(build))
        times = _in_process("times", folder, options)
        peak = _in_process("peak", folder, options)
    print(f"loading: {loading:.2f} s; scoring: {times['scoring']:.2f} s")
    print(f"yardstick: {times['products']:.2f} s for four products")
    print(f"ratio: {times['ratio']:.2f}")
    print(f"peak: {peak['peak_mb']:.0f} MB")


def _in_process(kind: str, folder: str, options: argparse.Namespace) -> dict[str, Any]:
    """Measure in a process of its own, so that its peak memory is its own, too."""
    command = [sys.executable, "-m", "benchmarks.benchmark_evaluation", "--only", kind, folder]
    command += ["--repeat", str(options.repeat), "--dimensions", str(options.dimensions)]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
