"""One run of one construction: its stream, its log, and the shard that is being filled.

Whoever brings the drafts (a writer, or a server's replies as they arrive) logs and settles them
here. Everything it made is on disk before it is listed.
"""

import fcntl
import os
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from artifacts.attempt_log import AttemptLog, LoggedDraft, mend_segments, read_drafts
from artifacts.builds import Build
from artifacts.errors import StoreError
from artifacts.plans import Plan
from artifacts.settings import DatasetSettings
from flows.stages.settling import Settled, settle
from flows.stages.shard_files import ShardContent, StreamFiles
from flows.stages.stream import PlansAttempts, Stream
from generators.constructions import CONSTRUCTIONS
from validators.ledger import Ledger


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
    #: Tokens of this run's replies; none where no model writes.
    tokens_in: int = 0
    tokens_out: int = 0
    #: Replies without a verdict: they wait for an earlier one, or came after the quota was full.
    pending: int = 0
    surplus: int = 0


#: Whether a logged draft is the one that this run would ask for.
Fits = Callable[[LoggedDraft], bool]


class StreamRun:
    """A construction that is being built."""

    def __init__(
        self,
        job: StreamJob,
        files: StreamFiles,
        planner: PlansAttempts,
        writer: str,
        family_of: Mapping[str, str],
    ) -> None:
        """Continue what `files` lists and the log holds."""
        construction = CONSTRUCTIONS[job.construction]
        self._job = job
        self._files = files
        self._construction = construction
        self._writer = writer
        self._family_of = family_of
        mend_segments(files.log_folder, files.settled)
        self._stored = read_drafts(files.log_folder, files.settled)
        self._log = AttemptLog(files.log_folder)
        ledger = Ledger(construction.objects * construction.attributes_per_object)
        self._stream = Stream(planner, ledger, job.settings.lag)
        self._stream.resume(files.history(), files.settled)
        self._content = ShardContent(files.settled)
        self._recent: deque[bool] = deque(maxlen=job.settings.acceptance_window)
        self.outcome = StreamOutcome(job.construction, files.accepted, self._stream.settled)

    @property
    def waiting(self) -> deque[Plan]:
        """Plans without a verdict, in order; the first is the next to be settled."""
        return self._stream.waiting

    @property
    def is_full(self) -> bool:
        """Whether the quota is reached."""
        return self.outcome.accepted >= self._job.quota

    def stored_draft(self, plan: Plan, fits: Fits) -> LoggedDraft | None:
        """Return and forget the logged draft of a plan, if it was written for just this plan."""
        stored = self._stored.pop(plan.attempt, None)
        if stored is None:
            return None
        is_kept = plan.attempt < self._files.kept_plans
        return stored if is_kept or (stored.plan == plan and fits(stored)) else None

    def log(self, draft: LoggedDraft) -> None:
        """Log a draft as it came."""
        self._log.append(draft)

    def flush(self) -> None:
        """Bring to disk what has been logged."""
        self._log.flush()

    def settle_next(self, draft: LoggedDraft) -> Settled:
        """Give the next attempt its verdict; one more is planned."""
        stream, outcome = self._stream, self.outcome
        settled = settle(draft, self._construction, stream.ledger, self._family_of, self._writer)
        stream.record(settled.words)
        outcome.settled += 1
        outcome.accepted += settled.example is not None
        outcome.reasons.update({violation.rule for violation in settled.violations})
        self._recent.append(settled.example is not None)
        self._content.add(settled)
        if len(self._content.examples) == self._job.settings.shard_rows:
            self._publish()
        return settled

    def why_stop(self) -> str | None:
        """Return why nothing more should be asked for, where that is so."""
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

    def close(self, arrived: Mapping[int, LoggedDraft] | None = None, asked: int = 0) -> None:
        """Publish what is settled, and list what is not.

        `arrived` are the drafts without a verdict; attempts before `asked` without a draft have
        been asked for in vain.
        """
        came = len(arrived or {})
        self.outcome.pending, self.outcome.surplus = (0, came) if self.is_full else (came, 0)
        self._log.flush()
        if self._content.attempts:
            self._publish()
        unsettled = {plan.attempt: plan for plan in self.waiting if plan.attempt < asked}
        self._files.write_tail(unsettled, arrived or {}, is_full=self.is_full)
        self._files.write_manifest(complete=self.is_full)

    def _publish(self) -> None:
        self._log.flush()
        self._files.publish(self._content, complete=False)
        self._content = ShardContent(self._stream.settled)


@contextmanager
def open_stream(job: StreamJob) -> Iterator[StreamFiles]:
    """Hold the files of a construction, ready to grow where its quota isn't full.

    Waits until no process of a run that was killed still writes this construction.
    """
    descriptor = _open_lock(job.build, job.construction)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        files = StreamFiles(job.build, job.construction, job.recorded)
        known, files.quota = files.quota, job.quota
        if files.accepted < job.quota:
            files.drop_tail()
            files.drop_short_shard(job.settings.shard_rows)
            files.write_manifest(complete=False)
        elif not files.complete or known != job.quota:
            files.write_manifest(complete=True)
        yield files
    finally:
        os.close(descriptor)


def await_writers(build: Build) -> None:
    """Wait until no process of a run that was killed still writes any construction.

    For whoever changes or removes the files without opening a stream. Once is enough: who holds the
    build knows that nobody else starts one.
    """
    for construction in CONSTRUCTIONS:
        if _lock_path(build, construction).exists():
            descriptor = _open_lock(build, construction)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            finally:
                os.close(descriptor)


def _open_lock(build: Build, construction: str) -> int:
    try:
        build.streams.mkdir(parents=True, exist_ok=True)
        path = _lock_path(build, construction)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreError(f"cannot write below {build.streams}: {error.strerror}") from error


def _lock_path(build: Build, construction: str) -> Path:
    return build.streams / f".{construction}.lock"
