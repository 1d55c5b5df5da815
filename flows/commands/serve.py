"""`saber serve`: every flow offered to a Prefect server, and run when it is due."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.options import RootOption, SettingsOption, settings_of
from flows.commands.reports import print_json, print_rows

if TYPE_CHECKING:
    from flows.deployments import Deployment


def serve(
    list_only: Annotated[
        bool, typer.Option("--list", help="Print the deployments and their schedules only.")
    ] = False,
    root: RootOption = None,
    build: Annotated[
        str | None,
        typer.Option(help="Build of all runs. [default: each run says, or its settings do]"),
    ] = None,
    settings: SettingsOption = None,
    json: Annotated[bool, typer.Option("--json", help="With --list: print JSON.")] = False,
) -> None:
    """Register every flow with the Prefect server at PREFECT_API_URL, and run what is due.

    Runs until SIGTERM or Ctrl-C; what a run that was cut off has done stays, and the next one goes
    on there. Only the nightly validation has a schedule by default: section [serve] of the settings
    file has them all. Needs a server that stays: `prefect server start`, then
    `export PREFECT_API_URL=http://127.0.0.1:4200/api`.
    """
    # Before Prefect is imported. Nobody watches this terminal for results: what runs say, they say
    # here and in the server's pages.
    os.environ.setdefault("PREFECT_LOGGING_LEVEL", "INFO")
    # Each request is repeated while the server restarts: up to a quarter of an hour.
    os.environ.setdefault("PREFECT_CLIENT_MAX_RETRIES", "9")
    from flows.deployments import deployments, served
    from flows.orchestration import require_lasting_server, serve_until_stopped

    chosen = settings_of(settings, root, build)
    given = {"root": _absolute(root), "build": build, "settings": _absolute(settings)}
    parameters = {name: value for name, value in given.items() if value is not None}
    table = deployments(chosen.serve, parameters)
    ready = [served(row) for row in table]
    if list_only:
        _print(table, as_json=json)
        return
    require_lasting_server()
    _print(table, as_json=False)
    serve_until_stopped(ready, chosen.serve.runs_at_once)


def _absolute(path: Path | None) -> str | None:
    """A run may start elsewhere."""
    return None if path is None else str(path.absolute())


def _print(table: "list[Deployment]", *, as_json: bool) -> None:
    rows = [
        {
            "deployment": f"{row.name}/{row.name}",
            "runs": f"{row.when.cron} {row.when.timezone}" if row.when.active else "on demand",
            "parameters": " ".join(f"{name}={value}" for name, value in _all_parameters(row)),
        }
        for row in table
    ]
    if as_json:
        print_json({"deployments": rows})
    else:
        print_rows("deployments", rows)


def _all_parameters(row: "Deployment") -> list[tuple[str, object]]:
    own = row.when.parameters if row.when.active else {}
    return [*{**row.parameters, **own}.items()]
