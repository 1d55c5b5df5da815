"""The deployments, in one table: `saber serve` and prefect.yaml are both made from it.

A deployment is a flow of `deployed` under its own name, with parameters and perhaps a schedule.
Regenerate the file with `python -m flows.deployments > prefect.yaml`; it takes the schedules from
the settings, as `saber serve` does.
"""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import JsonValue

from artifacts.errors import SettingsError
from artifacts.settings import ScheduleSettings, ServeSettings
from flows import deployed
from flows.orchestration import Flow, as_served

if TYPE_CHECKING:
    from prefect.deployments.runner import RunnerDeployment

#: Of the worker's pool, in prefect.yaml and docker-compose.yml.
WORK_POOL = "saber"
TAG = "saber"

_FLOWS: tuple[Flow[..., None], ...] = (
    deployed.benchmark,
    deployed.dataset,
    deployed.pipeline,
    deployed.training,
    deployed.evaluation,
    deployed.repair,
    deployed.rejudge,
    deployed.nightly,
)
_YAML_HEADER = """\
# The deployments for work pools, the same as `saber serve` offers. Generated from
# flows/deployments.py, with the schedules of the settings:
# python -m flows.deployments > prefect.yaml
"""


@dataclass(frozen=True, slots=True)
class Deployment:
    """One row of the table."""

    flow: Flow[..., None]
    parameters: Mapping[str, JsonValue]
    when: ScheduleSettings

    @property
    def name(self) -> str:
        """The deployment's name, which is its flow's."""
        return self.flow.name

    @property
    def entrypoint(self) -> str:
        """Where a worker finds the flow: a module, so that no source code has to be pulled."""
        return f"{deployed.__name__}.{self.flow.fn.__name__}"

    @property
    def description(self) -> str:
        """What the flow does, in a sentence or two."""
        return (self.flow.fn.__doc__ or "").split("\n\n")[0]


def deployments(
    serve: ServeSettings, parameters: Mapping[str, JsonValue] | None = None
) -> list[Deployment]:
    """Return the table, with `parameters` given to every deployment."""
    return [Deployment(each, dict(parameters or {}), getattr(serve, each.name)) for each in _FLOWS]


def served(row: Deployment) -> "RunnerDeployment":
    """Return a row as a server takes it; raises SettingsError for a setting that can't be."""
    known = inspect.signature(row.flow.fn).parameters
    unknown = [name for name in (*row.parameters, *row.when.parameters) if name not in known]
    if unknown:
        raise SettingsError(
            f"serve.{row.name}.parameters: expected some of {', '.join(known)}, "
            f"found {', '.join(unknown)}"
        )
    try:
        return as_served(
            row.flow,
            description=row.description,
            parameters=dict(row.parameters),
            when=row.when,
            tag=TAG,
        )
    except ValueError as error:
        raise SettingsError(
            f"serve.{row.name}.cron: expected a cron expression such as '0 3 * * *', "
            f"found {row.when.cron!r}"
        ) from error


def prefect_yaml(serve: ServeSettings) -> str:
    """Return prefect.yaml: the table for `prefect deploy --all`, with a process pool's workers."""
    content = {
        "name": "saber",
        # The package is installed where the worker runs.
        "pull": [],
        "deployments": [_yaml_row(row) for row in deployments(serve)],
    }
    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=96)
    return _YAML_HEADER + text


def _yaml_row(row: Deployment) -> dict[str, Any]:
    return {
        "name": row.name,
        "entrypoint": row.entrypoint,
        "description": row.description,
        "parameters": dict(row.parameters),
        "tags": [TAG],
        "schedules": [
            {
                "cron": row.when.cron,
                "timezone": row.when.timezone,
                "active": row.when.active,
                "parameters": dict(row.when.parameters),
            }
        ],
        "work_pool": {"name": WORK_POOL},
    }


if __name__ == "__main__":
    from flows.settings import load_settings

    print(prefect_yaml(load_settings().serve), end="")
