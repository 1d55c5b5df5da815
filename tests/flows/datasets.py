"""Small datasets for the tests of the stages that build, re-judge and repair them."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from artifacts.builds import Build
from artifacts.plans import Plan, Writer
from artifacts.settings import DatasetSettings
from flows.progress import Silent
from flows.stages.dataset import DatasetOutcome, build_dataset
from flows.stages.dataset_check import check_dataset
from generators.constructions import CONSTRUCTIONS
from generators.embedded.writer import EmbeddedWriter

#: Wherever a stage asks for a writer.
_ASKING = ("stream_build", "repairing", "relisting", "rebuilding")


def small(quota: int = 24, *names: str, **changes: object) -> DatasetSettings:
    """Return settings of a dataset of shards of ten; the named constructions, or one."""
    quotas = dict.fromkeys(CONSTRUCTIONS, 0) | dict.fromkeys(names or ("pair_swap",), quota)
    given: dict[str, object] = {"quotas": quotas, "shard_rows": 10, "lag": 8, "processes": 1}
    return DatasetSettings.model_validate(given | changes)


def make(build: Build, settings: DatasetSettings) -> DatasetOutcome:
    return build_dataset(build, settings, Silent())


def files_of(build: Build) -> dict[str, Path]:
    """Return every file of a build, but for those that hold no data, by its name."""
    return {
        path.relative_to(build.path).as_posix(): path
        for path in sorted(build.path.rglob("*"))
        if path.is_file() and not path.name.startswith(".") and "logs" not in path.parts
    }


def contents(build: Build) -> dict[str, bytes]:
    return {name: path.read_bytes() for name, path in files_of(build).items()}


def times(build: Build) -> dict[str, int]:
    return {name: path.stat().st_mtime_ns for name, path in files_of(build).items()}


def broken_rules(build: Build, settings: DatasetSettings) -> list[str]:
    reports, _ = check_dataset(build, settings)
    return [f"{report.rule}: {report.examples}" for report in reports if report.failed]


@dataclass
class FakeWriter:
    """Writes as the embedded writer does, or whatever `instead` gives; counts what it is asked."""

    name = "llm"
    model = "fake-1"
    repeats_itself: bool = False
    instead: Callable[[Plan], str | None] = lambda plan: None
    asked: list[int] = field(default_factory=list)

    def write(self, plan: Plan) -> str:
        self.asked.append(plan.attempt)
        given = self.instead(plan)
        if given is not None:
            return given
        fresh = 0 if self.repeats_itself else len(self.asked)
        return EmbeddedWriter().write(replace(plan, seed=plan.seed + fresh))


def use(monkeypatch: pytest.MonkeyPatch, writer: Writer) -> None:
    """Have every stage write with `writer`."""
    for module in _ASKING:
        monkeypatch.setattr(f"flows.stages.{module}.make_writer", lambda settings: writer)
