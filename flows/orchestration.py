"""Prefect as this project wants it: quiet, private, and working with or without a server.

Sets the environment before Prefect is first imported, since some settings are read then; so flows
import Prefect's names from here. Knows nothing of any flow.
"""

import functools
import logging
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from artifacts.errors import SaberError, SettingsError
from artifacts.settings import ScheduleSettings
from flows.progress import current_progress

if TYPE_CHECKING:
    from prefect.client.schemas.objects import FlowRun
    from prefect.deployments.runner import RunnerDeployment

#: The terminal belongs to our own progress lines; without a server there is nobody to log to.
_DEFAULTS = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_SERVER_LEVEL": "CRITICAL",
    # Where runs are logged to a server, the lines of our own log are what it shows of them.
    "PREFECT_LOGGING_EXTRA_LOGGERS": "saber",
    "PREFECT_LOGGING_TO_API_WHEN_MISSING_FLOW": "ignore",
    # Cold, on a busy machine, the server of a run without one takes longer than Prefect's 20.
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
}
_WITHOUT_SERVER = {"PREFECT_LOGGING_TO_API_ENABLED": "false"}

_wanted = _DEFAULTS if os.environ.get("PREFECT_API_URL") else _DEFAULTS | _WITHOUT_SERVER
for _name, _value in _wanted.items():
    os.environ.setdefault(_name, _value)


class _WithoutTraceback(logging.Filter):
    """Drops the traceback of an error of ours from a run's log: its message says what to do."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and isinstance(record.exc_info[1], SaberError):
            record.exc_info = None
        return True


for _name in ("prefect.flow_runs", "prefect.task_runs"):
    logging.getLogger(_name).addFilter(_WithoutTraceback())

# At exit Prefect tells of events that it hasn't sent; our files are the truth, not its events.
logging.getLogger("EventsWorker").setLevel(logging.CRITICAL)

from prefect import Flow, Task, flow, task  # noqa: E402  (after the environment is set)
from prefect.artifacts import create_markdown_artifact, create_table_artifact  # noqa: E402
from prefect.cache_policies import NO_CACHE  # noqa: E402
from prefect.client.orchestration import get_client  # noqa: E402
from prefect.events import emit_event  # noqa: E402
from prefect.settings import (  # noqa: E402
    PREFECT_FLOWS_HEARTBEAT_FREQUENCY,
    temporary_settings,
)

__all__ = [
    "Flow",
    "FlowRunGlance",
    "as_served",
    "create_markdown_artifact",
    "create_table_artifact",
    "emit_event",
    "flow",
    "require_lasting_server",
    "serve_until_stopped",
    "short_runs",
    "stage_task",
    "unfinished_runs",
]

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
        _keep_server_with_us()
        if not os.environ.get("PREFECT_API_URL"):
            current_progress().step("starting a Prefect server for this run")
        _require_server()
        yield


def _keep_server_with_us() -> None:
    """Have the server of this run alone end with this process, neither before it nor after.

    Not before: a terminal, a batch system or a supervisor sends signals to the whole group, and a
    run that ends in good order would call a dead server for minutes. So it gets a session of its
    own. Not after: Prefect stops it at exit, which a killed process never comes to. A shell that
    waits for the end of our pipe does: the kernel closes it, however we die. It waits from the
    moment in which the server is started: until it answers, many seconds may go by.
    """
    from prefect.server.api.server import SubprocessASGIServer

    start = SubprocessASGIServer._run_uvicorn_command
    if hasattr(start, "__wrapped__"):
        return

    @functools.wraps(start)
    def start_watched(server: SubprocessASGIServer) -> "subprocess.Popen[Any]":
        with _sessions_of_their_own():
            process = start(server)
        _watched[process.pid] = subprocess.Popen(
            ["/bin/sh", "-c", 'read _; kill "$0" 2>/dev/null', str(process.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        return process

    SubprocessASGIServer._run_uvicorn_command = start_watched  # type: ignore[assignment]


@contextmanager
def _sessions_of_their_own() -> Iterator[None]:
    """Start what is started in the block in a session of its own: Prefect has no setting for it."""
    plain = subprocess.Popen
    subprocess.Popen = functools.partial(plain, start_new_session=True)  # type: ignore[assignment,misc]
    try:
        yield
    finally:
        subprocess.Popen = plain  # type: ignore[misc]


#: What waits for our end, by the process that it ends then.
_watched: dict[int, "subprocess.Popen[bytes]"] = {}


def _require_server() -> None:
    """Reach the server, or start one for this run: a flow would say the same in fifty lines."""
    try:
        with get_client(sync_client=True) as client:
            fault = client.api_healthcheck()
    except RuntimeError as error:
        fault = error
    if fault is not None:
        url = os.environ.get("PREFECT_API_URL", "one for this run alone")
        raise SettingsError(
            f"PREFECT_API_URL: expected a Prefect server ({url}), found none: {fault}; start it, "
            "or unset the variable to run without"
        ) from fault


@dataclass(frozen=True, slots=True)
class FlowRunGlance:
    """A flow run that isn't over."""

    name: str
    flow: str
    #: As the server calls it: Running, Late, Scheduled, …
    state: str
    since: str


def require_lasting_server() -> None:
    """Raise SettingsError unless PREFECT_API_URL names a server: only one that stays schedules."""
    if not os.environ.get("PREFECT_API_URL"):
        raise SettingsError(
            "schedules need a Prefect server that stays, and PREFECT_API_URL names none: run "
            "`prefect server start`, then `export PREFECT_API_URL=http://127.0.0.1:4200/api`"
        )
    _require_server()


def as_served(
    flow: Flow[..., Any],
    *,
    description: str,
    parameters: dict[str, Any],
    when: ScheduleSettings,
    tag: str,
) -> "RunnerDeployment":
    """Return a flow as a deployment of its own name; raises ValueError for an invalid schedule.

    Without a limit of concurrent runs: a run that is killed would keep its place, for good where
    the server died, too. What excludes two runs on one build is the build's own lock.
    """
    from prefect.schedules import Cron
    from prefect.types.entrypoint import EntrypointType

    schedule = Cron(
        when.cron,
        timezone=when.timezone,
        active=when.active,
        parameters=dict(when.parameters),
    )
    deployment = flow.to_deployment(
        flow.name,
        description=description,
        parameters=parameters,
        schedules=[schedule],
        tags=[tag],
        entrypoint_type=EntrypointType.MODULE_PATH,
    )
    # Typed as if it could be awaited, which it is in asynchronous code only.
    return cast("RunnerDeployment", deployment)


def serve_until_stopped(served: "Sequence[RunnerDeployment]", runs_at_once: int) -> None:
    """Register the deployments and run what is due, until SIGTERM or Ctrl-C.

    They aren't paused then: what was due in the meantime runs when they are served again.
    """
    from prefect import serve

    serve(*served, pause_on_shutdown=False, print_starting_message=False, limit=runs_at_once)


#: Begun; and due but not begun, which to Prefect is a kind of scheduled: no worker is there.
_UNFINISHED = (
    {"type": {"any_": ["RUNNING", "PENDING", "PAUSED", "CANCELLING"]}},
    {"name": {"any_": ["Late", "AwaitingRetry"]}},
)


def unfinished_runs(most: int = 20) -> list[FlowRunGlance]:
    """Return the runs that the server knows to be running, late or waiting; none without a server.

    Raises SettingsError if the server that PREFECT_API_URL names can't be reached.
    """
    if not os.environ.get("PREFECT_API_URL"):
        return []
    from prefect.client.schemas.filters import FlowRunFilter
    from prefect.client.schemas.sorting import FlowRunSort

    _require_server()
    with get_client(sync_client=True) as client:
        runs = [
            run
            for states in _UNFINISHED
            for run in client.read_flow_runs(
                flow_run_filter=FlowRunFilter.model_validate({"state": states}),
                sort=FlowRunSort.START_TIME_DESC,
                limit=most,
            )
        ]
        names = {run.flow_id: client.read_flow(run.flow_id).name for run in runs}
    return [_glance(run, names[run.flow_id]) for run in runs[:most]]


def _glance(run: "FlowRun", flow_name: str) -> FlowRunGlance:
    since = run.start_time or run.expected_start_time
    return FlowRunGlance(
        name=run.name,
        flow=flow_name,
        state=run.state_name or "",
        since=since.isoformat(timespec="seconds") if since else "",
    )
