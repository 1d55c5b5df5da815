"""One construction as a server writes it: orders go out, replies come in, attempts settle in order.

Replies arrive in any order and are logged as they come; each waits for its turn. Synchronous, and
the only part that touches the construction's files. Knows no server.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

from artifacts.attempt_log import LoggedDraft
from artifacts.plans import Plan
from flows.llm.identity import ServedWriter
from flows.llm.messages import Arrival, FirstRejection, Order, Reply, Report
from flows.llm.payloads import RequestPlanner, request_checksum
from flows.stages.dataset_words import load_words
from flows.stages.settling import Settled
from flows.stages.stream_run import StreamJob, StreamOutcome, StreamRun, open_stream
from generators.constructions import CONSTRUCTIONS

#: So many of the first rejections are told, for the run to see whether all are alike.
FIRST_REJECTIONS = 30


class Engine:
    """A construction that is being built from replies."""

    def __init__(self, job: StreamJob, served: str) -> None:
        """Open its files; `served` is what the server says of the model."""
        words = load_words(job.settings)
        construction = CONSTRUCTIONS[job.construction]
        self._job = job
        self._served = served
        self._writer = ServedWriter(job.settings.llm)
        self._bank = words.plan_words.bank
        self._planner = RequestPlanner(
            words.planner(construction, job.settings), construction, self._bank, job.settings.llm
        )
        self._checksums: dict[int, str] = {}
        self._arrived: dict[int, LoggedDraft] = {}
        self._ordered = 0
        self._taken = 0
        self._rejections: list[FirstRejection] | None = []
        self._held = ExitStack()
        self._run: StreamRun | None = None
        #: Where nothing is to be done.
        self._already: StreamOutcome | None = None

    def start(self) -> Report:
        """Go on from what there is; returns the first orders."""
        files = self._held.enter_context(open_stream(self._job))
        if files.accepted >= self._job.quota:
            self._already = StreamOutcome(self._job.construction, files.accepted, files.settled)
            return Report(
                self._job.construction, [], files.accepted, files.settled, 0, 0, True, None, []
            )
        files.served = self._served
        run = StreamRun(self._job, files, self._planner, self._writer.name, self._bank.family_of)
        self._run = run
        self._ordered = run.outcome.settled
        return self._advance(run)

    def take(self, arrivals: Sequence[Arrival]) -> Report:
        """Log replies and settle what can be settled."""
        run = self._running
        for arrival in arrivals:
            plan = run.waiting[arrival.attempt - run.waiting[0].attempt]
            draft = self._logged(plan, arrival.reply)
            run.log(draft)
            run.outcome.tokens_in += arrival.reply.tokens_in or 0
            run.outcome.tokens_out += arrival.reply.tokens_out or 0
            self._arrived[arrival.attempt] = draft
        self._taken += len(arrivals)
        return self._advance(run)

    def flush(self) -> None:
        """Bring what has been logged to disk."""
        if self._run is not None:
            self._run.flush()

    def close(self, stopped: str | None, asked: int) -> StreamOutcome:
        """Publish what is settled, list what isn't, and let go of the files.

        Attempts before `asked` were asked for.
        """
        with self._held:
            if self._run is None:
                return self._already or StreamOutcome(self._job.construction, 0, 0, stopped)
            outcome = self._run.outcome
            if not self._run.is_full:
                outcome.stopped = outcome.stopped or stopped or "interrupted"
            self._run.close(self._arrived, max(asked, 1 + max(self._arrived, default=-1)))
            return outcome

    def release(self) -> None:
        """Let go of the files of an engine that was not closed, or could not be."""
        self._held.close()

    @property
    def _running(self) -> StreamRun:
        if self._run is None:
            raise RuntimeError(f"{self._job.construction}: a reply came that nobody asked for")
        return self._run

    def _logged(self, plan: Plan, reply: Reply) -> LoggedDraft:
        return LoggedDraft(
            plan,
            reply.raw,
            self._writer.model,
            reply.tokens_in,
            reply.tokens_out,
            self._checksums.pop(plan.attempt),
            reply.finish,
        )

    def _advance(self, run: StreamRun) -> Report:
        """Settle in order as far as drafts are there, and order what has been planned since."""
        orders = self._new_orders(run)
        outcome = run.outcome
        while not run.is_full and outcome.stopped is None:
            outcome.stopped = run.why_stop()
            if outcome.stopped is not None or run.waiting[0].attempt not in self._arrived:
                break
            settled = run.settle_next(self._arrived.pop(run.waiting[0].attempt))
            self._note(settled)
            orders += self._new_orders(run)
        return self._report(run, orders)

    def _new_orders(self, run: StreamRun) -> list[Order]:
        """Return orders for the plans that are new, but for those whose draft is logged."""
        orders = []
        first = run.waiting[0].attempt if run.waiting else self._ordered
        for position in range(self._ordered - first, len(run.waiting)):
            plan = run.waiting[position]
            self._ordered = plan.attempt + 1
            payload = self._planner.take_payload(plan.attempt)
            checksum = request_checksum(payload, self._served)
            stored = run.stored_draft(plan, partial(_answers, checksum))
            if stored is not None:
                self._arrived[plan.attempt] = stored
            elif self._is_affordable(plan.attempt):
                self._checksums[plan.attempt] = checksum
                orders.append(Order(plan.attempt, payload))
        return orders

    def _is_affordable(self, attempt: int) -> bool:
        budget = self._job.settings.budget_attempts
        return budget is None or attempt < budget

    def _note(self, settled: Settled) -> None:
        """Remember why the first drafts were rejected, until one is accepted."""
        if settled.example is not None:
            self._rejections = None
        elif self._rejections is not None and len(self._rejections) < FIRST_REJECTIONS:
            rules = tuple(sorted({violation.rule for violation in settled.violations}))
            detail = settled.violations[0].detail
            self._rejections.append(FirstRejection(rules, detail, settled.draft.raw[:200]))

    def _report(self, run: StreamRun, orders: list[Order]) -> Report:
        outcome = run.outcome
        return Report(
            outcome.construction,
            orders,
            outcome.accepted,
            outcome.settled,
            len(self._arrived),
            self._taken,
            run.is_full,
            outcome.stopped,
            list(self._rejections or ()),
            Counter(outcome.reasons),
            outcome.tokens_in,
            outcome.tokens_out,
        )


def _answers(checksum: str, draft: LoggedDraft) -> bool:
    """Whether a draft is the reply to just this request."""
    return draft.request == checksum
