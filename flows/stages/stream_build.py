"""Builds one construction: plan, write, log, settle, shard; from wherever an earlier run stopped.

Runs in a process of its own beside other constructions. Everything it needs comes in a `StreamJob`,
everything it made is on disk before it is listed.
"""

import fcntl
import os
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from pydantic import JsonValue

from artifacts.attempt_log import AttemptLog, LoggedDraft, mend_segments, read_drafts
from artifacts.builds import Build
from artifacts.plans import Plan, Writer
from artifacts.settings import DatasetSettings
from flows.stages.dataset_words import load_words, make_writer
from flows.stages.settling import Settled, settle
from flows.stages.shard_files import ShardContent, StreamFiles
from flows.stages.stream import Stream
from generators.constructions import CONSTRUCTIONS
from validators.ledger import Ledger

#: How often, in attempts, progress is told and a stop is looked for.
_BEAT = 200


@dataclass(frozen=True, slots=True)
class StreamJob:
    """What to build."""

    build: Build
    construction: str
    quota: int
    settings: DatasetSettings
    #: What the manifest records; equal for builds that may be continued.
    recorded: dict[str, JsonValue]


@dataclass(slots=True)
class StreamOutcome:
    """What came of a job."""

    construction: str
    accepted: int
    settled: int
    #: Why the quota was not reached, where that is so.
    stopped: str | None = None
    #: How often each rule rejected a draft in this run.
    reasons: Counter[str] = field(default_factory=Counter)


#: Told the number of accepted examples now and then; returns whether to go on.
Beat = Callable[[int], bool]


def build_stream(job: StreamJob, beat: Beat) -> StreamOutcome:
    """Bring a construction to its quota, or to the point where its writer can't."""
    with _hold_stream(job):
        files = StreamFiles(job.build, job.construction, job.recorded)
        if files.accepted >= job.quota:
            return StreamOutcome(job.construction, files.accepted, files.settled)
        files.drop_short_shard(job.settings.shard_rows)
        files.write_manifest(complete=False)
        return _Run(job, files).run(beat)


class _Run:
    """One run of a job: the stream, its log, and the shard that is being filled."""

    def __init__(self, job: StreamJob, files: StreamFiles) -> None:
        construction = CONSTRUCTIONS[job.construction]
        words = load_words(job.settings)
        self._job = job
        self._files = files
        self._construction = construction
        self._family_of = words.plan_words.bank.family_of
        self._writer: Writer = make_writer(job.settings)
        mend_segments(files.log_folder, files.settled)
        self._stored = read_drafts(files.log_folder, files.settled)
        self._log = AttemptLog(files.log_folder)
        ledger = Ledger(construction.objects * construction.attributes_per_object)
        self._stream = Stream(words.planner(construction, job.settings), ledger, job.settings.lag)
        self._stream.resume(files.history(), files.settled)
        self._content = ShardContent(files.settled)
        self._recent: deque[bool] = deque(maxlen=job.settings.acceptance_window)

    def run(self, beat: Beat) -> StreamOutcome:
        """Settle attempts until the quota is full."""
        outcome = StreamOutcome(self._job.construction, self._files.accepted, self._stream.settled)
        while outcome.accepted < self._job.quota and outcome.stopped is None:
            outcome.stopped = self._why_stop()
            if outcome.stopped is None:
                self._settle_next(outcome)
                if outcome.settled % _BEAT == 0 and not beat(outcome.accepted):
                    outcome.stopped = "interrupted"
        self._close(outcome)
        beat(outcome.accepted)
        return outcome

    def _settle_next(self, outcome: StreamOutcome) -> None:
        settled = settle(
            self._draft(self._stream.waiting[0]),
            self._construction,
            self._stream.ledger,
            self._family_of,
            self._writer.name,
        )
        self._stream.record(settled.words)
        self._count(settled, outcome)
        self._content.add(settled)
        if len(self._content.examples) == self._job.settings.shard_rows:
            self._publish(complete=outcome.accepted == self._job.quota)

    def _count(self, settled: Settled, outcome: StreamOutcome) -> None:
        outcome.settled += 1
        outcome.accepted += settled.example is not None
        outcome.reasons.update({violation.rule for violation in settled.violations})
        self._recent.append(settled.example is not None)

    def _draft(self, plan: Plan) -> LoggedDraft:
        """Return the draft of a plan: the logged one if it was written for just this plan."""
        stored = self._stored.pop(plan.attempt, None)
        if stored is not None and (
            plan.attempt < self._files.kept_plans or self._fits(stored, plan)
        ):
            return stored
        draft = LoggedDraft(plan, self._writer.write(plan), self._writer.model)
        self._log.append(draft)
        return draft

    def _fits(self, stored: LoggedDraft, plan: Plan) -> bool:
        if plan.attempt < self._files.kept_plans:
            return True
        return stored.plan == plan and stored.model == self._writer.model

    def _why_stop(self) -> str | None:
        settings, stream = self._job.settings, self._stream
        if not stream.waiting:
            return stream.exhausted or "nothing left to plan"
        if settings.budget_attempts is not None and stream.settled >= settings.budget_attempts:
            return f"the budget of {settings.budget_attempts:,} attempts is spent"
        if len(self._recent) == self._recent.maxlen:
            share = sum(self._recent) / len(self._recent)
            if share < settings.acceptance_floor:
                return (
                    f"{share:.1%} of the last {len(self._recent):,} attempts were accepted, below "
                    f"the floor of {settings.acceptance_floor:.1%}"
                )
        return None

    def _publish(self, *, complete: bool) -> None:
        self._log.flush()
        self._files.publish(self._content, complete=complete)
        self._content = ShardContent(self._stream.settled)

    def _close(self, outcome: StreamOutcome) -> None:
        if self._content.attempts:
            self._publish(complete=outcome.stopped is None)
        self._log.flush()


@contextmanager
def _hold_stream(job: StreamJob) -> Iterator[None]:
    """Wait until no process of a run that was killed still writes this construction."""
    job.build.streams.mkdir(parents=True, exist_ok=True)
    path = job.build.streams / f".{job.construction}.lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
