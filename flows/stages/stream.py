"""The order of one construction's attempts: planned a fixed lag ahead, settled one by one.

Attempt i is planned from the ledger after attempt i - lag has been settled, so what is planned does
not depend on when drafts arrive. Knows neither writers nor files.
"""

from collections import deque
from collections.abc import Mapping
from typing import Protocol

from artifacts.errors import GenerationError
from artifacts.ledger_view import AcceptedWords, LedgerView
from artifacts.plans import Plan
from validators.ledger import Ledger


class PlansAttempts(Protocol):
    """Samples the plan of an attempt."""

    def plan(self, attempt: int, view: LedgerView) -> Plan:
        """Return the plan of an attempt against a ledger."""
        ...


class Stream:
    """The plans that wait for a draft, and the ledger that the next plan is made from."""

    def __init__(self, planner: PlansAttempts, ledger: Ledger, lag: int) -> None:
        """Begin before the first attempt, or `resume`."""
        self._planner = planner
        self._lag = lag
        self._plans: deque[Plan] = deque()
        self.ledger = ledger
        #: How many attempts have a verdict; the next one to get one.
        self.settled = 0
        #: Why nothing more can be planned, where that is so.
        self.exhausted: str | None = None

    def resume(self, history: Mapping[int, AcceptedWords], settled: int) -> None:
        """Replay the accepted words by attempt, and plan what a build would have planned by now."""
        for attempt in range(settled, self._lag):
            self._plan(attempt)
        for attempt in range(settled):
            if attempt in history:
                self.ledger.record(history[attempt])
            if attempt + self._lag >= settled:
                self._plan(attempt + self._lag)
        self.settled = settled

    @property
    def waiting(self) -> deque[Plan]:
        """Plans without a verdict, in order; the first is the next to be settled."""
        return self._plans

    def record(self, words: AcceptedWords | None) -> None:
        """Close the next attempt: `words` if it was accepted; one more attempt is planned."""
        if self._plans:
            self._plans.popleft()
        if words is not None:
            self.ledger.record(words)
        self.settled += 1
        self._plan(self.settled - 1 + self._lag)

    def _plan(self, attempt: int) -> None:
        if self.exhausted is not None:
            return
        try:
            self._plans.append(self._planner.plan(attempt, self.ledger))
        except GenerationError as error:
            self.exhausted = str(error)
