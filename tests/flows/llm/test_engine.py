"""An engine by itself: replies come in any order, and none of them is left out of the account."""

import json
from pathlib import Path

from artifacts.builds import Build
from flows.dataset import stream_rows
from flows.llm.engine import Engine
from flows.llm.messages import Arrival, Order, Reply
from flows.stages.dataset_words import recorded_settings
from flows.stages.stream_run import StreamJob, StreamOutcome
from tests.flows.llm.builds import FEW, llm_settings, verdicts
from tests.flows.llm.stub_drafts import schema_name_of, write_reply


def _engine(folder: Path, quota: int) -> Engine:
    settings = llm_settings("http://nowhere/v1", quota)
    recorded = recorded_settings(settings)
    return Engine(StreamJob(Build(folder, "main"), FEW[0], quota, settings, recorded), "")


def _reply_to(order: Order) -> Arrival:
    system, user = (each["content"] for each in json.loads(order.payload)["messages"])
    return Arrival(
        FEW[0], order.attempt, Reply(write_reply(schema_name_of(system), user), None, 400, 50)
    )


def _answer(folder: Path, quota: int, attempts: tuple[int, ...]) -> StreamOutcome:
    """Have the replies to these attempts arrive one by one, out of four that were asked for."""
    engine = _engine(folder, quota)
    orders = engine.start().orders
    for attempt in attempts:
        engine.take([_reply_to(orders[attempt])])
    return engine.close("the run ended", asked=4)


def test_replies_behind_an_unanswered_one_are_pending(tmp_path: Path) -> None:
    outcome = _answer(tmp_path, 5, (0, 2, 3))
    assert (outcome.settled, outcome.pending, outcome.surplus) == (1, 2, 0)
    # The one that never came is pending, too, but was not paid for.
    assert verdicts(tmp_path) == ["accepted", *["pending"] * 3]


def test_pending_replies_are_judged_when_the_build_goes_on(tmp_path: Path) -> None:
    _answer(tmp_path, 4, (0, 2, 3))
    engine = _engine(tmp_path, 4)
    (first, *_) = engine.start().orders
    assert first.attempt == 1
    engine.take([_reply_to(first)])
    outcome = engine.close(None, asked=2)
    assert (outcome.accepted, outcome.pending, outcome.surplus) == (4, 0, 0)


def test_replies_after_the_quota_is_full_are_surplus(tmp_path: Path) -> None:
    outcome = _answer(tmp_path, 2, (1, 2, 3, 0))
    assert (outcome.settled, outcome.pending, outcome.surplus) == (2, 0, 2)
    assert verdicts(tmp_path).count("surplus") == outcome.surplus


def test_a_short_shard_s_rejections_are_told_by_each_run_that_judges_them(tmp_path: Path) -> None:
    engine = _engine(tmp_path, 5)
    engine.start()
    engine.take([Arrival(FEW[0], 0, Reply("no draft", None, 400, 50))])
    first = engine.close("the run ended", asked=1)
    again = _engine(tmp_path, 5)
    again.start()
    assert again.close("the run ended", asked=1).reasons == first.reasons == {"malformed_draft": 1}
    (row,) = stream_rows([first])
    assert row["rejected by, as judged in this run"] == "malformed_draft 1"
