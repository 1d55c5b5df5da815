"""The `pipeline` flow: benchmark → dataset → validation → audit, each by its own flow or task."""

from dataclasses import dataclass
from pathlib import Path

from artifacts.builds import Build
from artifacts.reports import RuleReport
from artifacts.settings import BenchmarkSettings, DatasetSettings
from flows.benchmark import BenchmarkRun, benchmark_flow
from flows.dataset import DatasetRun, dataset_flow
from flows.orchestration import create_table_artifact, flow, stage_task
from flows.progress import current_progress
from flows.stages.auditing import audit_build
from flows.stages.dataset_check import check_dataset
from flows.stages.publishing import require_passed
from validators.audit import AuditReport
from validators.dataset import ConstructionStatistics


@dataclass(frozen=True, slots=True)
class PipelineRun:
    """What every stage found."""

    benchmark: BenchmarkRun
    dataset: DatasetRun
    dataset_rules: list[RuleReport]
    statistics: list[ConstructionStatistics]
    audit: AuditReport


@stage_task("check dataset")
def check_task(
    root: Path, build: str, settings: DatasetSettings
) -> tuple[list[RuleReport], list[ConstructionStatistics]]:
    """Judge the stored rows of the dataset."""
    current_progress().step("checking every rule against the stored examples")
    return check_dataset(Build(root, build), settings)


@stage_task("audit dataset")
def audit_task(root: Path, build: str, settings: DatasetSettings, sample: int) -> AuditReport:
    """Measure what a caption-only scorer could exploit."""
    current_progress().step("auditing what a caption alone gives away")
    return audit_build(Build(root, build), settings, sample)


@flow(name="pipeline", description="Benchmark, dataset, validation and audit, in one run.")
def pipeline_flow(
    root: Path,
    build: str,
    benchmark: BenchmarkSettings,
    dataset: DatasetSettings,
    force: bool = False,
    audit_sample: int = 60_000,
) -> PipelineRun:
    """Run every stage; each does only what is missing. Raises where a rule fails."""
    benchmark_run = benchmark_flow(root, build, benchmark, force)
    dataset_run = dataset_flow(root, build, dataset, force)
    rules, statistics = check_task(root, build, dataset)
    create_table_artifact(
        table=[
            {"rule": report.rule, "checked": report.checked, "failed": report.failed}
            for report in rules
        ],
        key="dataset-rules",
        description=f"Rules on the text dataset of build `{build}`.",
    )
    require_passed(rules)
    report = audit_task(root, build, dataset, audit_sample)
    return PipelineRun(benchmark_run, dataset_run, rules, statistics, report)
