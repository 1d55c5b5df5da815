"""The `repair` and `rejudge` flows: damaged shards made again, changed rules applied again."""

from pathlib import Path

from artifacts.builds import Build, find_build
from artifacts.settings import BenchmarkSettings, DatasetSettings
from flows.logs import log_event, writing
from flows.orchestration import create_markdown_artifact, flow, stage_task
from flows.progress import current_progress
from flows.stages.build_repair import repair_build
from flows.stages.rejudging import Rejudged, rejudge_dataset
from flows.stages.repairing import Repair


@stage_task("repair build")
def repair_task(
    root: Path, build: str, settings: DatasetSettings, benchmark: BenchmarkSettings | None
) -> list[Repair]:
    """Repair everything that the build holds."""
    return repair_build(Build(root, build), settings, current_progress(), benchmark)


@stage_task("re-judge dataset")
def rejudge_task(root: Path, build: str, settings: DatasetSettings) -> list[Rejudged]:
    """Judge every logged draft by the rules as they are now."""
    return rejudge_dataset(Build(root, build), settings, current_progress())


@flow(name="repair", description="Find missing, short, corrupt and failed shards; rebuild those.")
def repair_flow(
    root: Path,
    build: str,
    settings: DatasetSettings,
    benchmark: BenchmarkSettings | None = None,
) -> list[Repair]:
    """Repair, and say in an artifact what failed and what was done."""
    with writing(find_build(root, build), "repair"):
        repairs = repair_task(root, build, settings, benchmark)
        log_event("files repaired", build, files=len(repairs))
    lines = [f"| `{repair.name}` | {repair.state} | {repair.action} |" for repair in repairs]
    table = "\n".join(["| file | found | done |", "|---|---|---|", *lines])
    create_markdown_artifact(
        markdown=table if repairs else "Every file is whole.",
        key="repair",
        description=f"What was repaired in build `{build}`.",
    )
    return repairs


@flow(name="rejudge", description="Apply changed rules to the stored plans and drafts.")
def rejudge_flow(root: Path, build: str, settings: DatasetSettings) -> list[Rejudged]:
    """Re-judge; makes no new draft."""
    with writing(find_build(root, build), "rejudge"):
        return rejudge_task(root, build, settings)
