import asyncio

import pytest

from artifacts.errors import ServerFailedError, ServerRefusedError
from flows.llm.asking import Asker, Request
from flows.llm.faults import PatienceEnded, TransportFault
from flows.llm.limiter import Limiter
from flows.llm.messages import Reply
from flows.llm.timing import Timing
from flows.llm.usage import Usage
from tests.flows.llm.fakes import REPLY, FakeClient, FakeTime


def _lost() -> TransportFault:
    return TransportFault("no connection", "refused", is_overload=True)


def _failed(seconds: float | None = None) -> TransportFault:
    return TransportFault("status 500", "crash", answered=True, retry_after_seconds=seconds)


def _asker(*script: Reply | Exception, retry_seconds: float = 600) -> tuple[Asker, FakeTime]:
    time = FakeTime()
    client = FakeClient(list(script))
    return Asker(client, Limiter(4), retry_seconds, Usage(), time.timing), time


class SlowClient(FakeClient):
    """Takes its time for every reply."""

    def __init__(self, time: FakeTime, seconds: float) -> None:
        super().__init__([REPLY])
        self._time = time
        self._seconds = seconds

    async def complete(self, payload: bytes) -> Reply:
        self._time.now += self._seconds
        return await super().complete(payload)


def _ask(asker: Asker, *, is_wanted: bool = True) -> Reply | None:
    async def ask() -> Reply | None:
        return await asker.ask(Request(b"{}"), await asker.limiter.acquire(), lambda: is_wanted)

    return asyncio.run(ask())


def test_a_request_is_repeated_until_there_is_a_reply() -> None:
    asker, time = _asker(_lost(), _failed(), REPLY)
    assert _ask(asker) == REPLY
    assert time.waits == [0.1, 0.2]
    assert asker.usage.requests == 3
    assert asker.usage.faults == {"no connection": 1, "status 500": 1}
    assert (asker.usage.tokens_in, asker.usage.tokens_out) == (10, 5)


def test_the_server_says_how_long_to_wait() -> None:
    asker, time = _asker(_failed(7), REPLY)
    _ask(asker)
    assert time.waits == [7]


def test_a_server_that_asks_for_no_wait_is_given_one() -> None:
    asker, time = _asker(_failed(0), _failed(0), _failed(0.3), REPLY)
    _ask(asker)
    assert time.waits == [0.1, 0.2, 0.3, pytest.approx(0.1)]


def test_a_server_that_asks_to_wait_for_longer_than_there_is_patience_is_not_waited_for() -> None:
    asker, time = _asker(_lost(), _failed(86_400), retry_seconds=100)
    with pytest.raises(
        PatienceEnded, match=r"wait for 86,400 seconds.*for 100 .*status 500: crash"
    ):
        _ask(asker)
    assert time.waits == [0.1]


def test_waits_double_while_nobody_gets_a_reply() -> None:
    asker, time = _asker(*(_lost() for _ in range(10)), REPLY)
    _ask(asker)
    doubled = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 15, 15]
    assert time.now == pytest.approx(sum(doubled))
    assert time.waits[:6] == [0.1, 0.2, 0.4, 0.8, 1.0, pytest.approx(0.6)]


def test_a_long_wait_ends_when_anybody_gets_a_reply() -> None:
    asker, time = _asker(*(_lost() for _ in range(8)), REPLY)

    async def sleep(seconds: float) -> None:
        await time.sleep(seconds)
        if len(time.waits) == 20:
            asker._replied_at = time.now

    asker.timing = Timing(lambda: time.now, sleep, lambda: 0.0)
    _ask(asker)
    assert len(time.waits) == 20


def test_a_request_is_late_after_half_as_long_again_as_replies_take() -> None:
    asker, time = _asker()
    request = Request(b"{}", since=0.0, is_out=True)
    # Nothing is known of how long replies take: it is looked at again.
    assert asker.seconds_until_late(request) == 1
    asker.client = SlowClient(time, 4.0)
    _ask(asker)
    request.since = time.now
    assert asker.seconds_until_late(request) == 6
    time.now += 7
    assert asker.seconds_until_late(request) == 0
    request.is_out = False
    assert asker.seconds_until_late(request) == 1


def test_no_request_is_late_within_a_second() -> None:
    asker, _ = _asker(REPLY)
    _ask(asker)
    assert asker.seconds_until_late(Request(b"{}", since=0.0, is_out=True)) == 1


def test_the_slot_is_free_while_a_request_waits() -> None:
    asker, time = _asker(_lost(), REPLY)
    held: list[int] = []

    async def sleep(seconds: float) -> None:
        held.append(asker.limiter.in_flight)

    asker.timing = Timing(lambda: time.now, sleep, lambda: 0.0)
    _ask(asker)
    assert held == [0]
    assert asker.limiter.in_flight == 0


def test_a_request_that_fails_for_too_long_gives_up() -> None:
    asker, time = _asker(*(_lost() for _ in range(50)), retry_seconds=100)
    with pytest.raises(PatienceEnded, match="failed for 100 seconds: no connection: refused"):
        _ask(asker)
    assert 100 <= time.now < 120


def test_a_request_that_nobody_wants_is_not_repeated() -> None:
    asker, _ = _asker(_lost())
    assert _ask(asker, is_wanted=False) is None


def test_a_refusal_is_not_repeated() -> None:
    asker, _ = _asker(ServerRefusedError("status 401: bad key"))
    with pytest.raises(ServerRefusedError, match="bad key"):
        _ask(asker)
    assert asker.limiter.in_flight == 0


def test_a_server_that_only_ever_fails_in_one_way_is_not_asked_for_long() -> None:
    asker, _ = _asker(*(_failed() for _ in range(50)))
    with pytest.raises(ServerFailedError, match=r"first 20 requests all failed alike.*500"):
        _ask(asker)


def test_faults_of_several_kinds_are_not_told_as_all_alike() -> None:
    page = TransportFault("no completion", "<html>", answered=True)
    asker, _ = _asker(*(page if number % 3 else _failed() for number in range(50)))
    with pytest.raises(ServerFailedError, match=r"first 30 requests all failed, 20 of them alike"):
        _ask(asker)


def test_after_one_reply_faults_are_waited_out() -> None:
    asker, _ = _asker(REPLY, *(_failed() for _ in range(30)), REPLY)
    _ask(asker)
    assert _ask(asker) == REPLY


def test_a_server_that_is_down_or_overloaded_is_waited_for() -> None:
    asker, _ = _asker(*(_lost() for _ in range(30)), REPLY)
    assert _ask(asker) == REPLY
