"""How long the whole text dataset takes from settings to Parquet, all rules applied.

    python -m benchmarks.benchmark_dataset [--quota 2000] [--large]

The yardstick, measured in the same run, is spaCy's blank tokenizer reading the build's positives
and negatives once, on one core: `ratio` is the build's wall time, on both cores, over that. The
parser's opinion isn't part of it. With `--large` every quota is taken ten times, too, and the time
of an example there is compared with that here. Meant to hold: a ratio of at most 10, less than 400
MB in every process, and an example ten times further on no slower than 1.2 times.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import spacy
from spacy.tokenizer import Tokenizer

from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.settings import DatasetSettings
from flows.progress import Silent
from flows.stages.dataset import build_dataset
from flows.stages.dataset_words import quotas_of

_LARGE = 10
_MICROSECONDS = 1e6


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one process took, with those that it started."""

    seconds: float
    cpu_seconds: float
    peak_mb: float


def measure_build(folder: Path, settings: DatasetSettings) -> Measurement:
    """Settings to finished Parquet."""
    return _measure(lambda: build_dataset(Build(folder, "main"), settings, Silent()))


def measure_yardstick(folder: Path) -> Measurement:
    """The tokenizer over every text of the build; reading them isn't measured."""
    texts = list(_texts(Build(folder, "main")))
    tokenizer = spacy.blank("en").tokenizer
    assert isinstance(tokenizer, Tokenizer)
    pipe = tokenizer.pipe

    def work() -> None:
        for _ in pipe(texts):
            pass

    return _measure(work)


def _texts(build: Build) -> Iterator[str]:
    sql = "SELECT positive, negative_attribute, negative_object FROM examples"
    with connect(build, ("examples",)) as connection:
        for row in connection.execute(sql).fetchall():
            yield from row


def _measure(work: Callable[[], object]) -> Measurement:
    began = time.perf_counter()
    work()
    seconds = time.perf_counter() - began
    whose = [resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)]
    cpu_seconds = sum(usage.ru_utime + usage.ru_stime for usage in whose)
    return Measurement(seconds, cpu_seconds, max(usage.ru_maxrss for usage in whose) / 1024)


def _in_process(kind: str, folder: Path, settings: DatasetSettings) -> Measurement:
    """Measure in a process of its own, so that its peak memory is its own, too."""
    arguments = [sys.executable, "-m", "benchmarks.benchmark_dataset", "--only", kind, str(folder)]
    done = subprocess.run(
        arguments, input=settings.model_dump_json(), capture_output=True, text=True, check=True
    )
    return Measurement(**json.loads(done.stdout))


def _scaled(settings: DatasetSettings, factor: int) -> DatasetSettings:
    quotas = {name: quota * factor for name, quota in quotas_of(settings).items()}
    return settings.model_copy(update={"quota": None, "quotas": quotas})


def _report(settings: DatasetSettings, *, large: bool) -> None:
    examples = sum(quotas_of(settings).values())
    with tempfile.TemporaryDirectory() as folder:
        build = _in_process("build", Path(folder), settings)
        yardstick = _in_process("yardstick", Path(folder), settings)
    each = build.cpu_seconds / examples * _MICROSECONDS
    print(f"{examples:,} examples in {build.seconds:.1f} s on {settings.processes} processes")
    print(f"CPU per example: {each:,.0f} µs; peak memory of a process: {build.peak_mb:.0f} MB")
    print(f"yardstick: {yardstick.seconds:.2f} s for {3 * examples:,} texts")
    print(f"ratio: {build.seconds / yardstick.seconds:.2f}")
    if large:
        with tempfile.TemporaryDirectory() as folder:
            more = _in_process("build", Path(folder), _scaled(settings, _LARGE))
        print(f"{_LARGE} times as many: {more.seconds:.1f} s, peak {more.peak_mb:.0f} MB a process")
        print(f"time per example there: {more.seconds / _LARGE / build.seconds:.2f} times")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quota", type=int, help="examples of every construction; the paper's")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--large", action="store_true", help="ten times as many, too")
    parser.add_argument("--only", nargs=2, metavar=("KIND", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only is None:
        settings = DatasetSettings(quota=options.quota, processes=options.processes)
        _report(settings, large=options.large)
        return
    kind, folder = options.only
    settings = DatasetSettings.model_validate_json(sys.stdin.read())
    found = (
        measure_build(Path(folder), settings)
        if kind == "build"
        else measure_yardstick(Path(folder))
    )
    print(json.dumps(asdict(found)))


if __name__ == "__main__":
    main()
