"""Prefect as this project wants it: quiet, private, and working with or without a server.

Sets the environment before Prefect is first imported, since some settings are read then; so flows
import Prefect's names from here. Knows nothing of any flow.
"""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

from artifacts.errors import SettingsError

#: The terminal belongs to our own progress lines; without a server there is nobody to log to.
_DEFAULTS = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_SERVER_LEVEL": "CRITICAL",
    # Cold, on a busy machine, the server of a run without one takes longer than Prefect's 20.
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
}
_WITHOUT_SERVER = {"PREFECT_LOGGING_TO_API_ENABLED": "false"}

_wanted = _DEFAULTS if os.environ.get("PREFECT_API_URL") else _DEFAULTS | _WITHOUT_SERVER
for _name, _value in _wanted.items():
    os.environ.setdefault(_name, _value)

# At exit Prefect tells of events that it hasn't sent; our files are the truth, not its events.
logging.getLogger("EventsWorker").setLevel(logging.CRITICAL)

from prefect import Task, flow, task  # noqa: E402  (after the environment is set)
from prefect.artifacts import create_markdown_artifact, create_table_artifact  # noqa: E402
from prefect.cache_policies import NO_CACHE  # noqa: E402
from prefect.client.orchestration import get_client  # noqa: E402
from prefect.settings import (  # noqa: E402
    PREFECT_FLOWS_HEARTBEAT_FREQUENCY,
    temporary_settings,
)

__all__ = ["create_markdown_artifact", "create_table_artifact", "flow", "short_runs", "stage_task"]

P = ParamSpec("P")
R = TypeVar("R")


def stage_task(name: str) -> Callable[[Callable[P, R]], Task[P, R]]:
    """Return the decorator for every task: our manifests decide what is done, not a cache.

    A cached result would hide that a file of the build has been damaged or removed since.
    """

    decorate: Callable[[Callable[P, R]], Task[P, R]] = task(
        name=name, cache_policy=NO_CACHE, persist_result=False
    )
    return decorate


@contextmanager
def short_runs() -> Iterator[None]:
    """Run flows without heartbeats: joining the heartbeat's thread costs a second per flow.

    Raises SettingsError if the Prefect server that the environment names cannot be reached.
    """
    with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
        _require_server()
        yield


def _require_server() -> None:
    """Reach the server, or start one for this run: a flow would say the same in fifty lines."""
    try:
        fault = get_client(sync_client=True).api_healthcheck()
    except RuntimeError as error:
        fault = error
    if fault is not None:
        url = os.environ.get("PREFECT_API_URL", "one for this run alone")
        raise SettingsError(
            f"PREFECT_API_URL: expected a Prefect server ({url}), found none: {fault}; start it, "
            "or unset the variable to run without"
        ) from fault
