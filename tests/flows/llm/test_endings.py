"""A run that ends before every quota is full: what ends it, and what it tells of what it did."""

import contextlib
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import flows.dataset
import flows.orchestration
from artifacts.errors import GenerationError, SaberError, ServerRefusedError
from artifacts.settings import DatasetSettings, LlmSettings
from flows.commands.dataset import _build
from flows.llm.asking import Asker
from flows.llm.build import lane_line, status_line
from flows.llm.driver import Driver
from flows.llm.lane import Lane
from flows.llm.limiter import Limiter
from flows.llm.messages import Report
from flows.llm.usage import Usage
from flows.progress import BarsAndLines, TerminalBars
from flows.settings import Settings
from tests.flows.frames import last_frame, terminal
from tests.flows.llm.builds import FEW, build, llm_settings
from tests.flows.llm.fakes import FakeClient
from tests.flows.llm.stub_server import Stub, serving


def _all_good(number: int) -> None:
    return None


def _refused_later(number: int) -> str | None:
    return "status 401" if number >= 30 else None


def _bad_later(number: int) -> str | None:
    return ("malformed", "truncated", "refusal")[number % 3] if number >= 30 else None


def _down_later(number: int) -> str | None:
    return "cut before headers" if number >= 30 else None


def test_a_budget_of_tokens_ends_the_run_in_good_order(tmp_path: Path) -> None:
    stub = Stub()
    with serving(stub) as url:
        outcome = build(tmp_path, llm_settings(url, 1_000, budget_tokens=20_000, concurrency=4))
        assert outcome.usage is not None
        assert 18_000 <= outcome.usage.tokens <= 20_450
        assert {s.stopped for s in outcome.streams if s.settled} == {
            "the budget of 20,000 tokens is spent"
        }


def test_a_budget_less_than_a_reply_takes_is_spent_by_the_probe(tmp_path: Path) -> None:
    stub = Stub()
    with serving(stub) as url:
        outcome = build(tmp_path, llm_settings(url, 1_000, budget_tokens=100))
    assert len(stub.prompts) == 1
    assert outcome.usage is not None
    assert (outcome.usage.requests, outcome.usage.tokens) == (0, 450)
    assert {s.stopped for s in outcome.streams if s.stopped} == {
        "the budget of 100 tokens is spent"
    }


def test_a_budget_of_a_few_replies_is_overdrawn_by_less_than_one(tmp_path: Path) -> None:
    stub = Stub()
    with serving(stub) as url:
        outcome = build(tmp_path, llm_settings(url, 1_000, budget_tokens=2_000))
    assert outcome.usage is not None
    assert 2_000 <= outcome.usage.tokens < 2_000 + 450
    assert len(stub.prompts) == outcome.usage.requests + outcome.usage.probed


def test_a_server_that_asks_to_wait_for_too_long_pauses_at_once(tmp_path: Path) -> None:
    stub = Stub(script=lambda number: "status 429" if number >= 20 else None, retry_after="86400")
    with serving(stub) as url:
        outcome = build(tmp_path, llm_settings(url, 20))
    assert {s.stopped for s in outcome.streams if s.settled} == {
        "the server asks to wait for 86,400 seconds, and requests are repeated for 600 "
        "(dataset.llm.retry_seconds): status 429: Too many requests."
    }


@pytest.mark.parametrize("setting", [{"budget_tokens": 100}, {"price_out": 1.0}])
def test_what_counts_tokens_needs_a_server_that_does(
    tmp_path: Path, setting: dict[str, Any]
) -> None:
    stub = Stub(script=lambda number: "no usage")
    with serving(stub) as url:
        with pytest.raises(ServerRefusedError, match=f"dataset.llm.{next(iter(setting))} need it"):
            build(tmp_path, llm_settings(url, 5, **setting))
        assert len(stub.prompts) == 1
        outcome = build(tmp_path, llm_settings(url, 5))
    assert outcome.usage is not None
    rows = {row["what"]: row["number"] for row in outcome.usage.rows(LlmSettings())}
    assert (rows["tokens in"], rows["tokens a second"]) == ("unknown", "unknown")


@pytest.fixture
def artifacts(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run flows as plain functions; returns what goes to Prefect's pages, by its key."""
    kept: dict[str, Any] = {}

    def keep(table: object, key: str, description: str) -> None:
        kept[key] = table

    monkeypatch.setattr(flows.dataset, "build_task", flows.dataset.build_task.fn)
    monkeypatch.setattr(flows.dataset, "create_table_artifact", keep)
    monkeypatch.setattr(flows.dataset, "dataset_flow", flows.dataset.dataset_flow.fn)
    monkeypatch.setattr(flows.orchestration, "short_runs", contextlib.nullcontext)
    return kept


def _run_command(folder: Path, settings: DatasetSettings, *, json: bool) -> SaberError:
    chosen = Settings(root=folder, dataset=settings)
    with pytest.raises(SaberError) as caught:
        _build(chosen, force=False, quiet=True, json=json)
    return caught.value


@pytest.mark.parametrize(
    ("script", "changes", "kind", "words"),
    [
        (_all_good, {"budget_tokens": 20_000}, GenerationError, "20,000 tokens is spent"),
        (_down_later, {"retry_seconds": 0}, GenerationError, "the server failed for 0 seconds"),
        (_bad_later, {}, GenerationError, "below the floor"),
        (_refused_later, {}, ServerRefusedError, "status 401"),
    ],
)
@pytest.mark.parametrize("processes", [1, 2])
def test_what_was_done_is_told_before_what_ended_it(
    tmp_path: Path,
    artifacts: dict[str, Any],
    capsys: pytest.CaptureFixture[str],
    script: Callable[[int], str | None],
    changes: dict[str, Any],
    kind: type[SaberError],
    words: str,
    processes: int,
) -> None:
    with serving(Stub(script=script)) as url:
        floor: dict[str, object] = {
            "acceptance_window": 20,
            "acceptance_floor": 0.5,
            "processes": processes,
        }
        error = _run_command(
            tmp_path, llm_settings(url, 100, dataset=floor, concurrency=4, **changes), json=True
        )
    assert type(error) is kind
    assert words in str(error)
    told = json.loads(capsys.readouterr().out)
    assert told["stopped"] == str(error)
    rows = {row["construction"]: row for row in told["constructions"]}
    assert all(rows[name]["stopped"] for name in FEW)
    assert sum(rows[name]["accepted"] for name in FEW) > 0
    assert {row["what"] for row in told["usage"]} >= {"requests", "tokens in", "tokens a second"}
    assert artifacts["dataset-requests"] == told["usage"]
    counts = [{key: row[key] for key in ("construction", "accepted")} for row in rows.values()]
    assert [
        {key: row[key] for key in ("construction", "accepted")}
        for row in artifacts["dataset-counts"]
    ] == counts


def test_reasons_and_usage_are_printed_where_a_refusal_ends_the_run(
    tmp_path: Path, artifacts: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    def script(number: int) -> str | None:
        return "status 401" if number >= 40 else "malformed" if number % 3 == 1 else None

    with serving(Stub(script=script)) as url:
        settings = llm_settings(url, 100, concurrency=4, price_in=1.0)
        error = _run_command(tmp_path, settings, json=False)
    told = capsys.readouterr().out
    assert isinstance(error, ServerRefusedError)
    assert "malformed_draft" in told
    assert "asked of the server" in told
    assert "cost" in told


def test_where_nothing_was_asked_there_is_nothing_to_tell(
    tmp_path: Path, artifacts: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(Stub(model="another")) as url:
        error = _run_command(tmp_path, llm_settings(url, 5), json=True)
    assert isinstance(error, ServerRefusedError)
    assert capsys.readouterr().out == ""
    assert not artifacts


def test_while_it_runs_a_construction_tells_what_it_accepts_and_rejects_most() -> None:
    lane = Lane("pair_swap", 100)
    lane.hear(Report("pair_swap", [], 10, 20, 0, 0, False, None, []))
    reasons = Counter(length=300, distance=40, caps=2)
    lane.hear(Report("pair_swap", [], 310, 1_020, 0, 0, False, None, [], reasons))
    assert lane_line(lane) == (
        "30% of 1,000 attempts accepted, most rejected by length 300, distance 40"
    )


@pytest.mark.parametrize(
    ("why_drain", "has_ended", "begins", "ends"),
    [
        (None, False, "3 of 16 in flight, 2.0 requests/s", ", 12 faults, 2.0 min left, cost 0.04"),
        ("interrupted", False, "3 of 16 in flight, 2.0 requests/s", ", 12 faults, cost 0.04"),
        (None, True, "ended after 1.0 min, 2.0 requests/s", ", 12 faults, cost 0.04"),
    ],
)
def test_while_it_runs_it_tells_the_time_left_and_at_its_end_how_long_it_took(
    why_drain: str | None, has_ended: bool, begins: str, ends: str
) -> None:
    settings = llm_settings("http://none", 300, price_in=1.0)
    usage = Usage(requests=120, replies=111, tokens_in=44_400, tokens_out=5_550)
    usage.faults["status 429"] = 12
    limiter = Limiter(64)
    limiter.in_flight = 3
    driver = Driver([], settings.llm, asker := Asker(FakeClient([]), limiter, 600, usage))
    lane = driver.lanes["pair_swap"] = Lane("pair_swap", 300)
    for accepted, settled in ((0, 0), (100, 111)):
        lane.hear(Report("pair_swap", [], accepted, settled, 0, 0, False, None, []))
    driver.why_drain = why_drain
    line = status_line(driver, asker, settings, 60, has_ended=has_ended)
    middle = ", 832 tokens/s, tokens 44,400 in and 5,550 out, 90% accepted"
    assert line == begins + middle + ends


@pytest.mark.parametrize(("budget", "accepted"), [(None, "5/5"), (2, "2/5")])
def test_the_display_is_left_with_what_the_run_has_come_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, budget: int | None, accepted: str
) -> None:
    console = terminal(monkeypatch)
    stub = Stub(script=lambda number: "status 500" if number == 3 else None)
    with serving(stub) as url, BarsAndLines(console) as drawn:
        settings = llm_settings(url, 5, dataset={"budget_attempts": budget})
        outcome = build(tmp_path, settings, TerminalBars(drawn))
    assert outcome.usage is not None
    rows = last_frame(console)
    for name in FEW:
        (bar,) = (row for row in rows if row.startswith(f"{name} "))
        assert f" {accepted} " in bar
        assert any(row.startswith(f"{name}: 100% of {accepted[0]} attempts") for row in rows)
    told = " ".join(rows)
    faults = outcome.usage.faults.total()
    assert "server: ended after " in told
    assert f"and {outcome.usage.tokens_out:,} out, 100% accepted, {faults} faults" in told
    assert "in flight" not in told
