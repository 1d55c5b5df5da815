"""What a run has asked of the server, and what it got: requests, tokens, faults, time, cost.

A server that doesn't say how many tokens a reply took leaves a number unknown, never 0.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from artifacts.settings import LlmSettings
from flows.llm.messages import Reply

_MILLION = 1_000_000
_UNKNOWN = "unknown"


@dataclass(slots=True)
class Usage:
    """The counts of one run."""

    #: Requests sent, those that came to nothing among them.
    requests: int = 0
    replies: int = 0
    #: Requests that were made while the same one was out for longer than usual.
    asked_twice: int = 0
    #: Replies to the probe: no attempts, and not among the requests and replies above.
    probed: int = 0
    #: Replies, to the probe too, of which the server didn't say how many tokens they took.
    uncounted: int = 0
    #: Of the replies that were counted, to the probe too.
    tokens_in: int = 0
    tokens_out: int = 0
    #: How often each fault of the transport occurred.
    faults: Counter[str] = field(default_factory=Counter)
    #: Time in requests, added up; waiting for a slot is no part of it.
    request_seconds: float = 0.0
    #: How long the run took.
    seconds: float = 0.0
    #: What the server said of the model before this run and now, where that differs.
    other_model: tuple[str, str] | None = None

    @property
    def tokens(self) -> int:
        """All tokens, in and out."""
        return self.tokens_in + self.tokens_out

    def count_reply(self, tokens_in: int | None, tokens_out: int | None) -> None:
        """Count a reply."""
        self.replies += 1
        self._count_tokens(tokens_in, tokens_out)

    def count_probe(self, replies: Sequence[Reply]) -> None:
        """Count the replies to the probe: they cost what others do, and tell what one takes."""
        self.probed += len(replies)
        for reply in replies:
            self._count_tokens(reply.tokens_in, reply.tokens_out)

    def _count_tokens(self, tokens_in: int | None, tokens_out: int | None) -> None:
        self.uncounted += None in (tokens_in, tokens_out)
        self.tokens_in += tokens_in or 0
        self.tokens_out += tokens_out or 0

    def tokens_if_all_replied(self, in_flight: int) -> int:
        """Return the tokens there will be when the requests in flight are answered.

        A reply that wasn't counted is taken for one of the usual length; before the first one the
        probe tells what is usual.
        """
        counted = self.replies + self.probed - self.uncounted
        each = self.tokens // counted if counted else 0
        return self.tokens + (in_flight + self.uncounted) * each

    def cost(self, llm: LlmSettings) -> float | None:
        """Return what it cost; None where no price is set."""
        if llm.price_in is None and llm.price_out is None:
            return None
        paid = self.tokens_in * (llm.price_in or 0) + self.tokens_out * (llm.price_out or 0)
        return paid / _MILLION

    def told_cost(self, llm: LlmSettings) -> str | None:
        """Return what it cost as it can be told; None where no price is set.

        What a request cost that was broken off for another's reply isn't known.
        """
        cost = self.cost(llm)
        if cost is None:
            return None
        told = self.as_far_as_known(f"{cost:,.2f}")
        return f"at least {told}" if told[0].isdigit() and self.asked_twice else told

    def as_far_as_known(self, number: str) -> str:
        """Return a number made of tokens as it can be told: some may not have been counted."""
        if not self.uncounted:
            return number
        is_unknown = self.uncounted == self.replies + self.probed
        return _UNKNOWN if is_unknown else f"at least {number}"

    def rows(self, llm: LlmSettings) -> list[dict[str, str | int]]:
        """Return one row per number, for a table."""
        seconds = max(self.seconds, 1e-9)
        cost = self.told_cost(llm)
        rows: list[tuple[str, str | int]] = [
            ("requests", self.requests),
            ("replies", self.replies),
            *([("replies to the probe", self.probed)] if self.probed else []),
            ("tokens in", self._tokens(self.tokens_in)),
            ("tokens out", self._tokens(self.tokens_out)),
            ("requests a second", f"{self.requests / seconds:.1f}"),
            ("tokens a second", self.as_far_as_known(f"{self.tokens / seconds:.0f}")),
            ("seconds a request", f"{self.request_seconds / max(self.requests, 1):.2f}"),
            *([("asked twice", self.asked_twice)] if self.asked_twice else []),
            *((f"fault: {kind}", count) for kind, count in self.faults.most_common()),
        ]
        if cost is not None:
            rows.append(("cost", cost))
        if self.other_model is not None:
            rows += zip(("model before", "model now"), self.other_model, strict=True)
        return [{"what": what, "number": number} for what, number in rows]

    def _tokens(self, number: int) -> str | int:
        return self.as_far_as_known(f"{number:,}") if self.uncounted else number
