"""A server and a clock for tests of single parts: nothing is sent, nobody waits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from flows.llm.messages import Reply
from flows.llm.timing import Timing

REPLY = Reply('{"positive": "a text"}', None, 10, 5)


@dataclass
class FakeClient:
    """Answers from a script; raises when it is asked more often than planned."""

    script: list[Reply | Exception]
    entries: Sequence[Mapping[str, object]] | Exception = ()
    payloads: list[bytes] = field(default_factory=list)

    async def complete(self, payload: bytes) -> Reply:
        self.payloads.append(payload)
        assert self.script, "asked more often than planned"
        answer = self.script.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def models(self) -> list[Mapping[str, object]]:
        if isinstance(self.entries, Exception):
            raise self.entries
        return list(self.entries)


@dataclass
class FakeTime:
    """A clock that moves when somebody waits."""

    now: float = 0.0
    waits: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    @property
    def timing(self) -> Timing:
        """The clock as the code takes it, with a draw that is always 0."""
        return Timing(lambda: self.now, self.sleep, lambda: 0.0)
