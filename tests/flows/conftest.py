"""Builds and word files for the tests of stages, flows and commands."""

from pathlib import Path

import pytest

from artifacts.builds import Build
from artifacts.settings import BenchmarkSettings
from flows.progress import Silent
from flows.stages.benchmark import build_benchmark
from tests.flows.builds import SMALL, write_words


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """A folder of word files, as a user would write them."""
    return write_words(tmp_path / "words", objects=12, attributes=11)


@pytest.fixture
def built(tmp_path: Path) -> Build:
    """A finished small benchmark, for a test to break."""
    build = Build(tmp_path / "builds", "main")
    build_benchmark(build, SMALL, Silent())
    return build


@pytest.fixture(scope="session")
def paper_build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The benchmark of the paper's size; tests only read it."""
    build = Build(tmp_path_factory.mktemp("builds"), "paper")
    build_benchmark(build, BenchmarkSettings(), Silent())
    return build
