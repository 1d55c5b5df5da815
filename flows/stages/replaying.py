"""A construction's shards once more, from its attempt log: for re-judging and for repair.

Accepted and rejected rows are a pure function of the rules and the log, so the same log gives the
same shards. Knows the order of attempts; writes nothing.
"""

from collections.abc import Callable, Iterator, Mapping

from artifacts.attempt_log import LoggedDraft
from artifacts.ledger_view import LedgerView
from flows.stages.settling import Settled, settle
from flows.stages.shard_files import ShardContent
from generators.constructions.base import Construction
from validators.ledger import Ledger

#: Gives the verdict on a draft against a ledger.
Settle = Callable[[LoggedDraft, LedgerView], Settled]


def settle_with(construction: Construction, family_of: Mapping[str, str], writer: str) -> Settle:
    """Return the verdict on drafts of a construction, by the rules as they are now."""

    def verdict(draft: LoggedDraft, view: LedgerView) -> Settled:
        return settle(draft, construction, view, family_of, writer)

    return verdict


def rejudged_shards(
    drafts: Iterator[LoggedDraft],
    first: int,
    verdict: Settle,
    ledger: Ledger,
    room: int | None,
    shard_rows: int | None,
) -> Iterator[ShardContent]:
    """Yield the shards that the drafts from the attempt `first` on give; one if of no given size.

    Stops where there is no room for another example, or a draft is missing.
    """
    content = ShardContent(first)
    accepted = 0
    for draft in drafts:
        if accepted == room or draft.plan.attempt != content.end:
            break
        settled = verdict(draft, ledger)
        if settled.words is not None:
            ledger.record(settled.words)
            accepted += 1
        content.add(settled)
        if len(content.examples) == shard_rows:
            yield content
            content = ShardContent(content.end)
    if content.attempts:
        yield content
