"""A look at what a build would do: attempts with prompts, drafts and verdicts; nothing written.

Plans as a build's first attempts are planned, asks all at once, and judges each by every rule
against an empty ledger.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from artifacts.attempt_log import LoggedDraft
from artifacts.errors import ServerFailedError
from artifacts.plans import Plan
from artifacts.settings import DatasetSettings
from flows.llm.asking import Asker, Request
from flows.llm.build import probe_server, request_planner
from flows.llm.client import connected
from flows.llm.faults import PatienceEnded
from flows.llm.identity import ServedWriter
from flows.llm.limiter import Limiter
from flows.llm.messages import Reply
from flows.llm.timing import Timing
from flows.llm.usage import Usage
from flows.stages.dataset_words import DatasetWords, load_words, quotas_of
from flows.stages.settling import settle
from generators.constructions import CONSTRUCTIONS
from generators.prompting import ChatRequest
from validators.ledger import Ledger


@dataclass(frozen=True, slots=True)
class PreviewedAttempt:
    """One attempt, from its prompt to its verdict."""

    construction: str
    attempt: int
    system: str
    user: str
    raw: str
    verdict: str
    #: What it breaks, each with what was found.
    violations: list[str]
    #: What it would become; None where it is rejected.
    query: str | None
    positive: str | None
    negative_attribute: str | None
    negative_object: str | None
    tokens_in: int | None
    tokens_out: int | None


@dataclass(frozen=True, slots=True)
class _Asked:
    plan: Plan
    request: ChatRequest
    payload: bytes


def preview_attempts(settings: DatasetSettings, count: int) -> tuple[list[PreviewedAttempt], Usage]:
    """Return the first attempts, the constructions in turn, and what they cost."""
    words = load_words(settings)
    asked = list(_plan(words, settings, count))
    usage = Usage()
    replies = asyncio.run(_ask(asked, settings, usage))
    told = zip(asked, replies, strict=True)
    return [_judge(each, reply, words, settings) for each, reply in told], usage


def _plan(words: DatasetWords, settings: DatasetSettings, count: int) -> Iterator[_Asked]:
    names = [name for name, quota in quotas_of(settings).items() if quota]
    planners = {name: request_planner(words, name, settings) for name in names}
    for number in range(count if names else 0):
        name = names[number % len(names)]
        attempt, ledger = number // len(names), _empty_ledger(name)
        plan = planners[name].plan(attempt, ledger)
        request = planners[name].request(plan, ledger)
        yield _Asked(plan, request, planners[name].take_payload(attempt))


async def _ask(asked: Sequence[_Asked], settings: DatasetSettings, usage: Usage) -> list[Reply]:
    timing, llm = Timing(), settings.llm
    began = timing.clock()
    async with connected(llm) as client:
        usage.count_probe((await probe_server(client, settings, timing)).replies)
        asker = Asker(client, Limiter(llm.concurrency), llm.retry_seconds, usage, timing)

        async def ask(each: _Asked) -> Reply:
            reply = await asker.ask(
                Request(each.payload), await asker.limiter.acquire(), lambda: True
            )
            assert reply is not None, "a wanted reply is waited for"
            return reply

        try:
            return await asyncio.gather(*map(ask, asked))
        except PatienceEnded as ended:
            raise ServerFailedError(
                f"{llm.base_url}: {ended}; see to it, then run the command again"
            ) from ended
        finally:
            usage.seconds = timing.clock() - began


def _judge(
    asked: _Asked, reply: Reply, words: DatasetWords, settings: DatasetSettings
) -> PreviewedAttempt:
    plan, writer = asked.plan, ServedWriter(settings.llm)
    draft = LoggedDraft(plan, reply.raw, writer.model, finish=reply.finish)
    construction = CONSTRUCTIONS[plan.construction]
    family_of = words.plan_words.bank.family_of
    settled = settle(draft, construction, _empty_ledger(construction.name), family_of, writer.name)
    example = settled.example
    return PreviewedAttempt(
        construction=plan.construction,
        attempt=plan.attempt,
        system=asked.request.system,
        user=asked.request.user,
        raw=reply.raw,
        verdict=settled.verdict,
        violations=[f"{each.rule}: {each.detail}" for each in settled.violations],
        query=example.query if example else None,
        positive=example.positive if example else None,
        negative_attribute=example.negative_attribute if example else None,
        negative_object=example.negative_object if example else None,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
    )


def _empty_ledger(name: str) -> Ledger:
    construction = CONSTRUCTIONS[name]
    return Ledger(construction.objects * construction.attributes_per_object)
