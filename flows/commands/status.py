"""`saber status`: builds, runs and disk on one screen."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from artifacts.builds import find_build, list_builds
from flows.commands.options import (
    JsonOption,
    RootOption,
    SettingsOption,
    settings_of,
)
from flows.commands.reports import print_json, print_rows

if TYPE_CHECKING:
    from flows.orchestration import FlowRunGlance
    from flows.stages.status import BuildGlance, StageGlance

#: What fits on a screen; --json has them all.
_DAMAGED_SHOWN = 5


def status(
    deep: Annotated[
        bool, typer.Option("--deep", help="Read every byte, for damage that keeps a file's size.")
    ] = False,
    root: RootOption = None,
    build: Annotated[str | None, typer.Option(help="Only this build. [default: all]")] = None,
    settings: SettingsOption = None,
    json: JsonOption = False,
) -> None:
    """Show builds with their stages, counts, acceptance and damaged shards; flow runs; disk use.

    Flow runs are shown where PREFECT_API_URL names a server. Looks at sizes only, without --deep.
    Changes nothing, and says nothing of rules: `saber validate` does.
    """
    from flows.stages.status import glance_at

    chosen = settings_of(settings, root)
    builds = [find_build(chosen.root, build)] if build else list_builds(chosen.root)
    glances = [glance_at(each, deep=deep) for each in builds]
    runs = _runs()
    free = _free_bytes(chosen.root)
    if json:
        told = {"root": str(chosen.root), "free_bytes": free, "builds": glances, "runs": runs}
        print_json(told)
        return
    _print_builds(chosen.root, glances, free)
    _print_runs(runs)


def _runs() -> "list[FlowRunGlance]":
    """Prefect takes a second to import: only where there is a server to ask."""
    if not os.environ.get("PREFECT_API_URL"):
        return []
    from flows.orchestration import unfinished_runs

    return unfinished_runs()


def _free_bytes(root: Path) -> int:
    there = next(path for path in (root.absolute(), *root.absolute().parents) if path.exists())
    return shutil.disk_usage(there).free


def _print_builds(root: Path, glances: "Sequence[BuildGlance]", free_bytes: int) -> None:
    if not glances:
        print(f"no build below {root}: `saber run` makes one")
    for glance in glances:
        print_rows(f"build {glance.build}: {_megabytes(glance.disk_bytes)}", _stage_rows(glance))
        if glance.streams:
            print_rows("dataset", _stream_rows(glance))
        _print_damaged(glance)
    print(f"{_megabytes(free_bytes)} free on the disk of {root}")


def _stage_rows(glance: "BuildGlance") -> list[dict[str, str]]:
    return [
        {
            "stage": stage.stage,
            "state": _state(stage),
            "rows": ", ".join(f"{kind} {count:,}" for kind, count in stage.counts.items()),
        }
        for stage in glance.stages
    ]


def _state(stage: "StageGlance") -> str:
    if stage.begun and stage.state == "finished":
        return f"finished; begun: {', '.join(stage.begun)}"
    return stage.state


def _stream_rows(glance: "BuildGlance") -> list[dict[str, str | int]]:
    return [
        {
            "construction": stream.construction,
            "accepted": stream.accepted,
            "quota": "-" if stream.quota is None else stream.quota,
            "attempts": stream.attempts,
            "accepted %": "-" if stream.acceptance is None else f"{100 * stream.acceptance:.1f}",
        }
        for stream in glance.streams
    ]


def _print_damaged(glance: "BuildGlance") -> None:
    looked = "checksums" if glance.deep else "sizes"
    if not glance.damaged:
        print(f"{glance.files} files, none damaged by their {looked}")
        return
    print(f"{len(glance.damaged)} of {glance.files} files damaged; `saber rerun-failed` repairs:")
    for name, state in list(glance.damaged.items())[:_DAMAGED_SHOWN]:
        print(f"  {state} {name}")
    if len(glance.damaged) > _DAMAGED_SHOWN:
        print(f"  and {len(glance.damaged) - _DAMAGED_SHOWN} more")


def _print_runs(runs: "Sequence[FlowRunGlance]") -> None:
    if runs:
        rows = [{"flow": r.flow, "run": r.name, "state": r.state, "since": r.since} for r in runs]
        print_rows("flow runs", rows)
    elif os.environ.get("PREFECT_API_URL"):
        print("no flow run is under way")


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
