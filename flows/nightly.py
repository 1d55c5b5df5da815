"""The `nightly` flow: every finished build validated from its bytes up, repaired where it failed.

Tells what failed, why, and what was repaired: in a Markdown artifact, in an event per stage that
wasn't whole, and by the state of the run, which fails where something is failing still.
"""

from collections.abc import Sequence
from pathlib import Path

from artifacts.builds import Build, find_build, list_builds
from artifacts.errors import BuildLockedError, SaberError, ValidationFailedError
from artifacts.settings import DatasetSettings
from flows.logs import writing
from flows.orchestration import create_markdown_artifact, emit_event, flow, stage_task
from flows.progress import current_progress
from flows.stages.nightly import StageNight, watch_build

PURPOSE = "nightly validation"
#: A person reads the page: beyond this many files of a stage it says how many more there are.
_FILES_SHOWN = 20


@stage_task("validate and repair")
def watch_task(root: Path, build: str, settings: DatasetSettings) -> list[StageNight]:
    """Validate one build and repair what failed."""
    return watch_build(Build(root, build), settings, current_progress())


@flow(name="nightly", description="Validate every finished build; repair what failed.")
def nightly_flow(root: Path, build: str | None, settings: DatasetSettings) -> list[StageNight]:
    """Watch over one build, or all; raises ValidationFailedError where one is failing still.

    A build that another process writes is skipped, unless it is the one that was asked for.
    """
    if build is not None:
        nights = _watch(find_build(root, build), settings)
    else:
        nights = [night for each in list_builds(root) for night in _watch_if_free(each, settings)]
    create_markdown_artifact(
        markdown=night_page(root, nights), key="nightly", description="What the night found."
    )
    for night in nights:
        _tell(night)
    _require_none_failing(nights)
    return nights


def night_page(root: Path, nights: Sequence[StageNight]) -> str:
    """Return what the night found as Markdown: a row per stage, then the files and the rules."""
    if not nights:
        return f"There is no build below `{root}`."
    rows = [
        f"| {night.build} | {night.stage} | {night.outcome} | {len(night.found)} "
        f"| {len(night.repairs)} | {_cell(night.why)} |"
        for night in nights
    ]
    head = ["| build | stage | outcome | files damaged | files repaired | why |"]
    table = "\n".join([*head, "|---|---|---|---|---|---|", *rows])
    return "\n\n".join([table, *filter(None, map(_details, nights))])


def _watch(build: Build, settings: DatasetSettings) -> list[StageNight]:
    with writing(build, PURPOSE):
        return watch_task(build.root, build.name, settings)


def _watch_if_free(build: Build, settings: DatasetSettings) -> list[StageNight]:
    try:
        return _watch(build, settings)
    except BuildLockedError as error:
        return [StageNight(build.name, "all", "skipped", str(error))]
    except SaberError as error:
        # A build that can't even be held is told, and those behind it are looked at.
        return [StageNight(build.name, "all", "failed", str(error))]


def _details(night: StageNight) -> str:
    """Return what was wrong with one stage, file by file and rule by rule."""
    done = {repair.name: repair.action for repair in night.repairs}
    found = night.found | {repair.name: repair.state for repair in night.repairs}
    if not (found or night.broken):
        return ""
    lines = [f"### {night.stage} of {night.build}"]
    if found:
        shown = list(found.items())[:_FILES_SHOWN]
        lines += ["", "| file | found | done |", "|---|---|---|"]
        lines += [f"| `{name}` | {state} | {done.get(name, 'nothing')} |" for name, state in shown]
    if len(found) > _FILES_SHOWN:
        lines += ["", f"and {len(found) - _FILES_SHOWN:,} more files"]
    lines += ["", *(f"- rule `{rule}` broken by {by}" for rule, by in night.broken.items())]
    return "\n".join(lines).rstrip()


def _cell(text: str) -> str:
    """Return a text that stays in its cell of a Markdown table."""
    return " ".join(text.replace("|", "\\|").split())


def _tell(night: StageNight) -> None:
    """Send an event that automations can act on: an alarm, a message."""
    if night.outcome == "whole":
        return
    emit_event(
        event=f"saber.{night.stage}.{night.outcome}",
        resource={
            "prefect.resource.id": f"saber.build.{night.build}",
            "prefect.resource.name": night.build,
        },
        payload={
            "why": night.why,
            "found": night.found,
            "broken": night.broken,
            "repaired": {repair.name: repair.action for repair in night.repairs},
        },
    )


def _require_none_failing(nights: Sequence[StageNight]) -> None:
    failing = [night for night in nights if night.outcome == "failed"]
    if failing:
        told = "; ".join(f"{night.stage} of {night.build}: {night.why}" for night in failing)
        raise ValidationFailedError(f"{len(failing)} of {len(nights)} stages fail: {told}")
