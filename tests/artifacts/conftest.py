"""Builds that exist before a test begins."""

from pathlib import Path

import pytest

from artifacts.builds import Build
from tests.artifacts import rows


@pytest.fixture
def benchmark_build(tmp_path: Path) -> Build:
    """A finished benchmark of one question."""
    return rows.benchmark_build(tmp_path)


@pytest.fixture
def dataset_build(tmp_path: Path) -> Build:
    """A dataset of two constructions that has no splits yet."""
    return rows.dataset_build(tmp_path)


@pytest.fixture(scope="module")
def finished_build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """A benchmark and a dataset with its splits, in one build; tests only read it."""
    build = rows.benchmark_build(tmp_path_factory.mktemp("builds"), "full")
    rows.dataset_build(build.root, "full")
    rows.finish_dataset(build)
    return build
