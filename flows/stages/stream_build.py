"""Builds one construction with a writer of our own: plan, write, log, settle, shard.

Goes on from wherever an earlier run stopped. Runs in a process of its own beside other
constructions; everything it needs comes in a `StreamJob`.
"""

from collections.abc import Callable

from artifacts.attempt_log import LoggedDraft
from artifacts.plans import Plan, Writer
from flows.stages.dataset_words import load_words, make_writer
from flows.stages.shard_files import StreamFiles
from flows.stages.stream_run import StreamJob, StreamOutcome, StreamRun, open_stream
from generators.constructions import CONSTRUCTIONS

__all__ = ["Beat", "StreamJob", "StreamOutcome", "build_stream"]

#: How often, in attempts, progress is told and a stop is looked for.
_BEAT = 200

#: Told the number of accepted examples now and then; returns whether to go on.
Beat = Callable[[int], bool]


def build_stream(job: StreamJob, beat: Beat) -> StreamOutcome:
    """Bring a construction to its quota, or to the point where its writer can't."""
    with open_stream(job) as files:
        if files.accepted >= job.quota:
            return StreamOutcome(job.construction, files.accepted, files.settled)
        return _run(job, files, beat)


def _run(job: StreamJob, files: StreamFiles, beat: Beat) -> StreamOutcome:
    """Settle attempts until the quota is full."""
    words, writer = load_words(job.settings), make_writer(job.settings)
    planner = words.planner(CONSTRUCTIONS[job.construction], job.settings)
    run = StreamRun(job, files, planner, writer.name, words.plan_words.bank.family_of)
    outcome = run.outcome
    while not run.is_full and outcome.stopped is None:
        outcome.stopped = run.why_stop()
        if outcome.stopped is None:
            run.settle_next(_draft(run, writer, run.waiting[0]))
            if outcome.settled % _BEAT == 0 and not beat(outcome.accepted):
                outcome.stopped = "interrupted"
    run.close()
    beat(outcome.accepted)
    return outcome


def _draft(run: StreamRun, writer: Writer, plan: Plan) -> LoggedDraft:
    """Return the draft of a plan: the logged one, or one written now and logged."""
    stored = run.stored_draft(plan, lambda draft: draft.model == writer.model)
    if stored is not None:
        return stored
    # A text may hold half a character, which no file of text can.
    raw = writer.write(plan).encode(errors="backslashreplace").decode()
    draft = LoggedDraft(plan, raw, writer.model)
    run.log(draft)
    return draft
