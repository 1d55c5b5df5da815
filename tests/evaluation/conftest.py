"""Benchmarks that are built once; tests only read them."""

from pathlib import Path

import pytest

from artifacts.builds import Build
from artifacts.settings import BenchmarkSettings
from evaluation.saber import Saber, load_saber
from flows.progress import Silent
from flows.stages.benchmark import build_benchmark


@pytest.fixture(scope="session")
def full_build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The benchmark in its default size: 1,800 questions."""
    build = Build(tmp_path_factory.mktemp("full-saber"), "main")
    build_benchmark(build, BenchmarkSettings(), Silent())
    return build


@pytest.fixture(scope="session")
def full_saber(full_build: Build) -> Saber:
    """Its arrays."""
    return load_saber(full_build)


@pytest.fixture(scope="session")
def small_build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """A benchmark of other sizes: N = 2 to 5, six independent questions each, three chains."""
    build = Build(tmp_path_factory.mktemp("small-saber"), "main")
    settings = BenchmarkSettings(n_max=5, independent_per_n=6, chains=3)
    build_benchmark(build, settings, Silent())
    return build


@pytest.fixture(scope="session")
def small_saber(small_build: Build) -> Saber:
    """Its arrays."""
    return load_saber(small_build)


@pytest.fixture(scope="session")
def repository() -> Path:
    """Where the packages are."""
    return Path(__file__).parents[2]
