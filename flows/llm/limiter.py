"""How many requests may be in flight: as many as the server keeps up with, up to a maximum.

Grows by half a request for each that succeeds while no slot is left; falls by three tenths where
more than a fifth of the recent ones met a server with too much to do. A few such faults don't slow
a run: a limit that halved at each would never rise where three in a hundred meet one. Knows no
server and no clock.
"""

import asyncio
from collections import deque
from typing import Literal, NamedTuple

#: What came of a request, as far as it tells of the server's load.
Load = Literal["ok", "overload", "unknown"]

_START = 16
_GROWTH = 0.5
_BACK_OFF = 0.7
#: Above this share of overloaded answers the limit falls, below the other it rises.
_TOO_MANY = 0.2
_FEW = 0.1
#: Over how many of the latest answers the share is taken, at least.
_LEAST_HORIZON = 8


class Ticket(NamedTuple):
    """A slot that is held."""

    #: How many slots had been given before.
    number: int
    #: How often the limit had fallen.
    backed_off: int


class Limiter:
    """The slots for requests; waits in line where there is none."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._limit = float(min(most, _START))
        self._share = 0.0
        self._backed_off = 0
        self._given = 0
        #: The number of the last slot that was given when no other was left.
        self._last_at_limit = -1
        self._line: deque[asyncio.Future[None]] = deque()
        self.in_flight = 0

    @property
    def limit(self) -> int:
        """How many requests may be in flight now."""
        return int(self._limit)

    async def acquire(self) -> Ticket:
        """Wait for a slot; returns a ticket for `release`."""
        if self.in_flight < self.limit and not self._line:
            self.in_flight += 1
            return self._ticket()
        place = asyncio.get_running_loop().create_future()
        self._line.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._free()
            raise
        return self._ticket()

    def release(self, ticket: Ticket, load: Load) -> None:
        """Free a slot and learn from what came of its request."""
        if load == "ok":
            self._learn(0.0)
            self._grow(ticket)
        # A fault of a request from before the limit last fell tells nothing of the new one.
        elif load == "overload" and ticket.backed_off == self._backed_off:
            self._learn(1.0)
            if self._share > _TOO_MANY:
                self._fall()
        self._free()

    def _learn(self, overloaded: float) -> None:
        self._share += (overloaded - self._share) / max(self._limit, _LEAST_HORIZON)

    def _ticket(self) -> Ticket:
        ticket = Ticket(self._given, self._backed_off)
        self._given += 1
        if self.in_flight >= self.limit:
            self._last_at_limit = ticket.number
        return ticket

    def _grow(self, ticket: Ticket) -> None:
        # At any time while the request was out: replies that come together empty the slots at once.
        if self._share < _FEW and self._last_at_limit >= ticket.number:
            self._limit = min(float(self._most), self._limit + _GROWTH)

    def _fall(self) -> None:
        self._limit = max(1.0, self._limit * _BACK_OFF)
        self._backed_off += 1
        # What was too many before says little of what is now: a server that is back is soon asked
        # as much as ever.
        self._share = _FEW

    def _free(self) -> None:
        self.in_flight -= 1
        while self._line and self.in_flight < self.limit:
            place = self._line.popleft()
            if not place.done():
                self.in_flight += 1
                place.set_result(None)
