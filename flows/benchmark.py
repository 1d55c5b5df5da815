"""The `benchmark` flow: build SABER's text side, check it, publish its counts as an artifact.

A thin shell: one task per step, none per question. Takes names, paths and settings, never data.
"""

from dataclasses import dataclass
from pathlib import Path

from artifacts.builds import Build
from artifacts.reports import RuleReport
from artifacts.settings import BenchmarkSettings
from flows.logs import writing
from flows.orchestration import create_table_artifact, flow, stage_task
from flows.progress import current_progress
from flows.stages.benchmark import build_benchmark, check_benchmark
from flows.stages.publishing import StageOutcome, require_passed
from validators.benchmark import CoverageRow


@dataclass(frozen=True, slots=True)
class BenchmarkRun:
    """What a run of the flow found."""

    outcome: StageOutcome
    reports: list[RuleReport]
    coverage: list[CoverageRow]


@stage_task("build benchmark")
def build_task(root: Path, build: str, settings: BenchmarkSettings, *, force: bool) -> StageOutcome:
    """Build unless the build is there."""
    return build_benchmark(Build(root, build), settings, current_progress(), force=force)


@stage_task("check benchmark")
def check_task(root: Path, build: str) -> tuple[list[RuleReport], list[CoverageRow]]:
    """Judge the files that were written."""
    current_progress().step("checking every rule against the written files")
    return check_benchmark(Build(root, build))


@flow(name="benchmark", description="Build the SABER benchmark and check it.")
def benchmark_flow(
    root: Path, build: str, settings: BenchmarkSettings, force: bool = False
) -> BenchmarkRun:
    """Build, check and report; raises ValidationFailedError if a rule fails."""
    with writing(Build(root, build), "benchmark"):
        outcome = build_task(root, build, settings, force=force)
        reports, coverage = check_task(root, build)
    create_table_artifact(
        table=[{"record": kind, "rows": rows} for kind, rows in outcome.manifest.counts.items()],
        key="benchmark-counts",
        description=f"`{build}`: rows of the SABER benchmark.",
    )
    require_passed(reports)
    return BenchmarkRun(outcome, reports, coverage)
