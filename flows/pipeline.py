"""The `pipeline` flow: the whole DAG, each stage by its own flow or task.

    benchmark → dataset → validation → audit → training → evaluation → report

Every stage does only what is missing or has changed, and can be left out.
"""

from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue, TypeAdapter

from artifacts.builds import Build
from artifacts.model_settings import StageName
from artifacts.reports import RuleReport
from artifacts.settings import DatasetSettings
from flows.benchmark import BenchmarkRun, benchmark_flow
from flows.dataset import DatasetRun, dataset_flow
from flows.evaluation import evaluation_flow, report_task, summary_rows
from flows.logs import writing
from flows.orchestration import (
    create_markdown_artifact,
    create_table_artifact,
    flow,
    stage_task,
)
from flows.progress import current_progress
from flows.settings import Settings
from flows.stages.auditing import audit_build
from flows.stages.dataset_check import check_dataset
from flows.stages.evaluation import EvaluatedRun
from flows.stages.publishing import require_passed
from flows.stages.reporting import is_current, report_path
from flows.stages.scored_runs import as_trained, scored_runs
from flows.stages.training import TrainedRun, why_untrainable
from flows.stages.verdicts import kept_verdict
from flows.training import training_flow
from validators.audit import AuditReport, failed_gates
from validators.dataset import ConstructionStatistics


@dataclass(slots=True)
class PipelineRun:
    """What every stage found; None of one that was left out."""

    benchmark: BenchmarkRun | None = None
    dataset: DatasetRun | None = None
    dataset_rules: list[RuleReport] = field(default_factory=list)
    statistics: list[ConstructionStatistics] = field(default_factory=list)
    audit: AuditReport | None = None
    trained: TrainedRun | None = None
    evaluated: list[EvaluatedRun] = field(default_factory=list)
    report: Path | None = None
    #: The stages that were left out, each with the reason.
    skipped: dict[str, str] = field(default_factory=dict)


_CHECKED = TypeAdapter(tuple[list[RuleReport], list[ConstructionStatistics]])
_AUDITED = TypeAdapter(AuditReport)


@stage_task("check dataset")
def check_task(
    root: Path, build: str, settings: DatasetSettings
) -> tuple[list[RuleReport], list[ConstructionStatistics]]:
    """Judge the stored rows of the dataset, unless just these were judged before."""
    chosen = Build(root, build)

    def check() -> tuple[list[RuleReport], list[ConstructionStatistics]]:
        current_progress().step("checking every rule against the stored examples")
        return check_dataset(chosen, settings)

    return kept_verdict(chosen, "validation", settings.model_dump(mode="json"), _CHECKED, check)


@stage_task("audit dataset")
def audit_task(root: Path, build: str, settings: DatasetSettings, sample: int) -> AuditReport:
    """Measure what a caption-only scorer could exploit, unless that was done."""
    chosen = Build(root, build)

    def check() -> AuditReport:
        current_progress().step("auditing what a caption alone gives away")
        return audit_build(chosen, settings, sample)

    asked: JsonValue = [settings.model_dump(mode="json"), sample]
    return kept_verdict(chosen, "audit", asked, _AUDITED, check)


@flow(name="pipeline", description="Benchmark and dataset, checked, trained on and scored.")
def pipeline_flow(
    settings: Settings, force: bool = False, audit_sample: int = 60_000
) -> PipelineRun:
    """Run every stage that isn't left out; raises where a rule fails."""
    root, build, run = settings.root, settings.build, PipelineRun()
    if _wanted("benchmark", settings, run):
        run.benchmark = benchmark_flow(root, build, settings.benchmark, force)
    if _wanted("dataset", settings, run):
        run.dataset = dataset_flow(root, build, settings.dataset, force)
    if _wanted("validation", settings, run):
        run.dataset_rules, run.statistics = _validate(settings)
    if _wanted("audit", settings, run):
        run.audit = audit_task(root, build, settings.dataset, audit_sample)
    if _wanted("training", settings, run):
        run.trained = training_flow(root, build, settings.training, force)
    if _wanted("evaluation", settings, run):
        trained = as_trained(run.trained) if run.trained else None
        run.evaluated = [
            evaluation_flow(root, build, each, force, report=False)
            for each in scored_runs(settings.evaluation, settings.pipeline.embedders, trained)
        ]
    if _wanted("report", settings, run):
        run.report = _report(root, build)
    create_markdown_artifact(
        markdown=pipeline_page(run), key="pipeline", description=f"`{build}`: what the run found."
    )
    return run


def pipeline_page(run: PipelineRun) -> str:
    """Return what the whole run found as Markdown: scores, what was left out, the report."""
    parts = []
    if run.evaluated:
        rows = summary_rows(run.evaluated)
        lines = [f"| {' | '.join(row.values())} |" for row in rows]
        head = [f"| {' | '.join(rows[0])} |", "|" + "---|" * len(rows[0])]
        parts.append("\n".join(["Scored, in percent:", "", *head, *lines]))
    rules = [*(run.benchmark.reports if run.benchmark else []), *run.dataset_rules]
    parts.append(f"{len(rules)} rules passed on {sum(each.checked for each in rules):,} checks.")
    if run.audit:
        failed = failed_gates(run.audit)
        parts.append(f"Audit gates failed: {'; '.join(failed)}." if failed else "No gate failed.")
    parts += [f"No {stage}: {why}." for stage, why in run.skipped.items()]
    if run.report:
        parts.append(f"Report: `{run.report}`")
    return "\n\n".join(parts)


def _wanted(stage: StageName, settings: Settings, run: PipelineRun) -> bool:
    """Whether to run a stage; where not, say why."""
    why = "left out" if stage in settings.pipeline.skip else ""
    if stage == "training" and not why:
        why = why_untrainable()
    if stage == "report" and not why and "evaluation" in run.skipped:
        why = "nothing was evaluated"
    if why:
        run.skipped[stage] = why
        current_progress().step(f"no {stage}: {why}")
    return not why


def _validate(settings: Settings) -> tuple[list[RuleReport], list[ConstructionStatistics]]:
    rules, statistics = check_task(settings.root, settings.build, settings.dataset)
    create_table_artifact(
        table=[
            {"rule": report.rule, "checked": report.checked, "failed": report.failed}
            for report in sorted(rules, key=lambda report: -report.failed)
        ],
        key="dataset-rules",
        description=f"`{settings.build}`: {len(rules)} rules on the text dataset.",
    )
    require_passed(rules)
    return rules, statistics


def _report(root: Path, build: str) -> Path:
    """Report on all runs of the build, unless it was since the last of them."""
    if is_current(Build(root, build)):
        return report_path(Build(root, build))
    with writing(Build(root, build), "report"):
        return report_task(root, build)
