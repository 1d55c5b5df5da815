"""The script that times scoring runs, and says what it is said to say."""

import re
import subprocess
import sys
from pathlib import Path


def test_the_benchmark_prints_a_ratio_and_a_peak(repository: Path) -> None:
    options = ["--small", "--dimensions", "16", "--repeat", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.benchmark_evaluation", *options],
        cwd=repository,
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.search(r"^ratio: \d+\.\d\d$", done.stdout, re.MULTILINE)
    assert re.search(r"^peak: \d+ MB$", done.stdout, re.MULTILINE)
