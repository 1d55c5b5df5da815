"""The order of attempts: planned a fixed lag ahead of the ledger, whenever a build resumes."""

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.errors import GenerationError
from artifacts.ledger_view import AcceptedWords, LedgerView
from artifacts.plans import Plan
from flows.stages.stream import Stream
from tests.artifacts.plans import PLAN
from validators.ledger import Ledger


@dataclass
class Recorder:
    """Plans, and notes which words were there when it did."""

    exhausted_at: int | None = None
    seen: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def plan(self, attempt: int, view: LedgerView) -> Plan:
        if self.exhausted_at is not None and attempt >= self.exhausted_at:
            raise GenerationError("no words left")
        assert attempt not in self.seen, "an attempt is planned once"
        self.seen[attempt] = view.recent()
        return replace(PLAN, attempt=attempt)


def words(attempt: int) -> AcceptedWords:
    return AcceptedWords((f"a{attempt}", f"b{attempt}"), (f"o{attempt}", f"p{attempt}"))


def begin(lag: int, recorder: Recorder) -> Stream:
    stream = Stream(recorder, Ledger(2), lag)
    stream.resume({}, 0)
    return stream


def go_on(stream: Stream, verdicts: list[bool]) -> None:
    for accepted in verdicts:
        attempt = stream.waiting[0].attempt
        assert attempt == stream.settled
        stream.record(words(attempt) if accepted else None)


def undisturbed(lag: int, verdicts: list[bool]) -> Recorder:
    recorder = Recorder()
    go_on(begin(lag, recorder), verdicts)
    return recorder


verdict_lists = st.lists(st.booleans(), max_size=40)


@given(st.integers(1, 12), verdict_lists)
def test_an_attempt_sees_what_was_accepted_a_lag_before_it(lag: int, verdicts: list[bool]) -> None:
    seen = undisturbed(lag, verdicts).seen
    assert list(seen) == list(range(len(verdicts) + lag))
    for attempt, recent in seen.items():
        settled = [n for n in range(attempt - lag + 1) if verdicts[n]]
        expected = Ledger.replay(2, map(words, settled)).recent()
        assert recent == expected, attempt


@given(st.integers(1, 12), verdict_lists, st.data())
def test_a_resumed_stream_plans_as_an_undisturbed_one(
    lag: int, verdicts: list[bool], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(verdicts)))
    history = {attempt: words(attempt) for attempt in range(cut) if verdicts[attempt]}
    recorder = Recorder()
    stream = Stream(recorder, Ledger(2), lag)
    stream.resume(history, cut)
    assert [plan.attempt for plan in stream.waiting] == list(range(cut, cut + lag))
    go_on(stream, verdicts[cut:])
    expected = undisturbed(lag, verdicts).seen
    assert recorder.seen == {n: expected[n] for n in expected if n >= cut}


@given(st.integers(1, 12), verdict_lists)
def test_the_ledger_counts_what_was_accepted(lag: int, verdicts: list[bool]) -> None:
    stream = begin(lag, Recorder())
    go_on(stream, verdicts)
    assert stream.ledger.accepted == sum(verdicts)
    assert stream.settled == len(verdicts)


@pytest.mark.parametrize("cut", [0, 3, 6])
def test_plans_that_were_made_are_used_when_no_more_can_be(cut: int) -> None:
    stream = Stream(Recorder(exhausted_at=6), Ledger(2), 4)
    stream.resume({attempt: words(attempt) for attempt in range(cut)}, cut)
    while stream.waiting:
        go_on(stream, [True])
    assert stream.settled == 6
    assert stream.exhausted == "no words left"
