"""The `dataset` flow: bring every construction to its quota and publish the counts.

One task for all constructions: they share processes, and a task per shard or row would only slow
the recorder of runs. Takes names, paths and settings, never data.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from artifacts.builds import Build
from artifacts.errors import GenerationError
from artifacts.settings import DatasetSettings
from flows.logs import writing
from flows.orchestration import create_table_artifact, flow, stage_task
from flows.progress import current_progress
from flows.stages.dataset import DatasetOutcome, run_dataset
from flows.stages.parse_worker import find_model
from flows.stages.parsing import ParseReport, parse_build
from flows.stages.stream_build import StreamOutcome

#: Columns of the table of constructions that only some runs have.
_EXTRAS = ("pending", "surplus in this run", "tokens in", "tokens out")
#: A run that goes on judges the attempts of a shard that isn't full anew, those too that an earlier
#: run rejected.
_REASONS = "rejected by, as judged in this run"


@dataclass(frozen=True, slots=True)
class DatasetRun:
    """What a run of the flow did."""

    outcome: DatasetOutcome
    #: What the parser says; empty where it isn't asked.
    parses: list[ParseReport]


_runs: ContextVar[list[DatasetRun]] = ContextVar("runs")


@contextmanager
def collecting_runs() -> Iterator[list[DatasetRun]]:
    """Yield a list that gets what each run in the block did, those too that raise and return none.

    Prefect passes exceptions on, and would try to store a list that is a parameter.
    """
    runs: list[DatasetRun] = []
    token = _runs.set(runs)
    try:
        yield runs
    finally:
        _runs.reset(token)


@stage_task("build dataset")
def build_task(root: Path, build: str, settings: DatasetSettings, *, force: bool) -> DatasetOutcome:
    """Build, or continue, unless every quota is full; what ended it early is in the outcome."""
    return run_dataset(Build(root, build), settings, current_progress(), force=force)


@stage_task("parse dataset")
def parse_task(root: Path, build: str, settings: DatasetSettings) -> list[ParseReport]:
    """Let the parser say what it sees in every example; does only what is missing."""
    progress = current_progress()
    progress.step("asking the parser for its opinion")
    return parse_build(Build(root, build), settings.parser, settings.processes, progress)


@flow(name="dataset", description="Build the binding text dataset, or continue it.")
def dataset_flow(
    root: Path, build: str, settings: DatasetSettings, force: bool = False
) -> DatasetRun:
    """Build, parse and report; raises GenerationError if a construction stopped short.

    What a run that ends early has done is told all the same, before what ended it.
    """
    outcome, parses = None, list[ParseReport]()
    if settings.parse:
        # Before hours of building, not after.
        find_model(settings.parser)
    try:
        with writing(Build(root, build), "dataset"):
            outcome = build_task(root, build, settings, force=force)
            if outcome.failure is not None:
                raise outcome.failure
            if settings.parse and outcome.manifest:
                parses = parse_task(root, build, settings)
    finally:
        if outcome is not None:
            run = DatasetRun(outcome, parses)
            _runs.get([]).append(run)
            _account(build, run, settings)
    require_full(outcome.streams)
    return run


def _account(build: str, run: DatasetRun, settings: DatasetSettings) -> None:
    """Show in Prefect's pages what came of a run and what it took."""
    if run.outcome.streams:
        create_table_artifact(
            table=stream_rows(run.outcome.streams),
            key="dataset-counts",
            description=f"`{build}`: examples of the binding text dataset.",
        )
    usage = usage_rows(run, settings)
    if usage:
        create_table_artifact(
            table=usage,
            key="dataset-requests",
            description=f"What build `{build}` asked of {settings.llm.base_url} in this run.",
        )


def usage_rows(run: DatasetRun, settings: DatasetSettings) -> list[dict[str, str | int]]:
    """Return what was asked of a model's server, one row per number; empty where none was."""
    usage = run.outcome.usage
    return usage.rows(settings.llm) if usage else []


def stream_rows(streams: list[StreamOutcome]) -> list[dict[str, str | int]]:
    """Return one row per construction: accepted, attempts, and the rules that rejected most.

    Where a model wrote, its tokens too, and its replies without a verdict where there are any.
    """
    extras = [_extras(stream) for stream in streams]
    wanted = [name for name in _EXTRAS if any(extra[name] for extra in extras)]
    return [
        _stream_row(stream, {name: extra[name] for name in wanted})
        for stream, extra in zip(streams, extras, strict=True)
    ]


def _extras(stream: StreamOutcome) -> dict[str, int]:
    """Return the numbers that only some runs have, `_EXTRAS` in order."""
    numbers = (stream.pending, stream.surplus, stream.tokens_in, stream.tokens_out)
    return dict(zip(_EXTRAS, numbers, strict=True))


def _stream_row(stream: StreamOutcome, extras: dict[str, int]) -> dict[str, str | int]:
    most = stream.reasons.most_common(3)
    return {
        "construction": stream.construction,
        "accepted": stream.accepted,
        "attempts": stream.settled,
        "acceptance": f"{stream.accepted / max(stream.settled, 1):.1%}",
        **extras,
        _REASONS: ", ".join(f"{rule} {n}" for rule, n in most) or "-",
    }


def told_of_pending(streams: list[StreamOutcome]) -> str:
    """Return a line on the replies that wait for their verdict; none where none does.

    They were paid for, and whoever reads of what was accepted alone takes them for lost.
    """
    pending = sum(stream.pending for stream in streams)
    if not pending:
        return ""
    return (
        f"pending: {pending:,} replies are kept that wait for earlier ones, since attempts are "
        "judged in order; they are judged when the build goes on, and not asked for again\n"
    )


def require_full(streams: list[StreamOutcome]) -> None:
    """Raise GenerationError naming the constructions that stopped, with their reasons."""
    by_reason: dict[str, list[str]] = {}
    for stream in streams:
        if stream.stopped:
            told = f"{stream.construction} at {stream.accepted:,}"
            by_reason.setdefault(stream.stopped, []).append(told)
    if by_reason:
        told = "; ".join(f"{', '.join(where)}: {why}" for why, where in by_reason.items())
        pending = sum(stream.pending for stream in streams)
        kept = f" and {pending:,} replies that wait for their verdict stay" if pending else " stays"
        raise GenerationError(
            f"{sum(map(len, by_reason.values()))} constructions stopped before their quota "
            f"({told}); what was accepted{kept}, run the command again to go on"
        )
