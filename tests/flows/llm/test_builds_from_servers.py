"""Datasets from a server that behaves, and from one that doesn't."""

from pathlib import Path

import pytest

from artifacts.builds import Build
from artifacts.errors import (
    BuildConflictError,
    GenerationError,
    ServerFailedError,
    ServerRefusedError,
)
from artifacts.settings import LlmSettings
from flows.progress import Silent
from flows.stages.rejudging import rejudge_dataset
from generators.constructions import CONSTRUCTIONS
from tests.flows.llm.builds import (
    FEW,
    Steps,
    build,
    llm_settings,
    logged,
    manifest_text,
    reasons,
    require_valid,
    settled_files,
    verdicts,
)
from tests.flows.llm.stub_server import Stub, serving

#: A budget that is never spent: with one, nothing is asked twice, however slow the machine is.
UNSPENT = 10**9
#: One request in five meets one of these.
MIXED = (
    "status 429",
    "malformed",
    "status 500",
    "truncated",
    "cut before headers",
    "refusal",
    "cut in the body",
    "no choices",
    "html",
    "wrong schema",
    "broken body",
    "status 503",
)


@pytest.mark.parametrize("style", ["given", "free"])
def test_every_construction_is_written(tmp_path: Path, style: str) -> None:
    with serving(Stub()) as url:
        settings = llm_settings(url, 6, constructions=tuple(CONSTRUCTIONS), style=style)
        outcome = build(tmp_path, settings)
    assert outcome.manifest is not None
    assert outcome.manifest.counts["accepted"] == 6 * 7
    require_valid(tmp_path, settings)


def test_engines_in_processes_of_their_own_give_the_same_rows(tmp_path: Path) -> None:
    with serving(Stub()) as url:
        build(tmp_path / "here", llm_settings(url, 20))
        build(tmp_path / "beside", llm_settings(url, 20, dataset={"processes": 2}))
    assert settled_files(tmp_path / "here") == settled_files(tmp_path / "beside")


def test_quotas_are_exact_and_every_attempt_is_accounted_for(tmp_path: Path) -> None:
    stub = Stub(script=lambda number: MIXED[number % 60 // 5] if number % 5 == 4 else None)
    stub.retry_after = "0"
    with serving(stub) as url:
        settings = llm_settings(url, 100)
        outcome = build(tmp_path, settings)
    assert [stream.accepted for stream in outcome.streams if stream.accepted] == [100, 100]
    require_valid(tmp_path, settings)
    assert reasons(tmp_path).keys() >= {"malformed_draft", "cut_off", "refused", "empty_draft"}
    assert outcome.usage is not None
    assert outcome.usage.requests == len(stub.prompts) - 1
    assert outcome.usage.faults.total() >= 12


def test_a_hanging_request_is_made_again(tmp_path: Path) -> None:
    stub = Stub()
    with serving(stub) as url:
        # The first replies take the stub as long as it takes to load the grammar.
        build(tmp_path, llm_settings(url, 1))
        hanging = len(stub.prompts) + 3
        stub.script = lambda number: "hang" if number == hanging else None
        # Too short for it to be late before.
        settings = llm_settings(url, 10, timeout_seconds=0.9)
        outcome = build(tmp_path, settings)
    assert outcome.usage is not None
    # A busy machine may be late with others, too.
    assert outcome.usage.faults.keys() == {"timeout"}
    assert stub.prompts.count(stub.prompts[hanging]) >= 2
    require_valid(tmp_path, settings)


def test_the_finish_of_a_reply_outlives_a_rejudging(tmp_path: Path) -> None:
    stub = Stub(faults={"truncated": 0.2})
    with serving(stub) as url:
        settings = llm_settings(url, 20)
        build(tmp_path, settings)
        before, asked = settled_files(tmp_path), len(stub.prompts)
        rejudge_dataset(Build(tmp_path, "main"), settings, Silent())
    assert settled_files(tmp_path) == before
    assert reasons(tmp_path)["cut_off"]
    assert len(stub.prompts) == asked


def test_every_draft_is_logged_with_its_request_and_its_tokens(tmp_path: Path) -> None:
    with serving(Stub(faults={"malformed": 0.2})) as url:
        build(tmp_path, llm_settings(url, 10))
    drafts = logged(tmp_path)
    assert all(draft.request and len(draft.request) == 64 for draft in drafts.values())
    assert len({draft.request for draft in drafts.values()}) == len(drafts)
    assert {(draft.tokens_in, draft.tokens_out) for draft in drafts.values()} == {(400, 50)}


def test_a_larger_quota_goes_on_with_the_drafts_there_are(tmp_path: Path) -> None:
    stub = Stub()
    with serving(stub) as url:
        build(tmp_path / "grown", llm_settings(url, 7))
        drafts, asked = (
            sum(len(logged(tmp_path / "grown", name)) for name in FEW),
            len(stub.prompts),
        )
        build(tmp_path / "grown", llm_settings(url, 25))
        assert len(stub.prompts) - asked <= 1 + 2 * (25 + 4) + 10 - drafts
        build(tmp_path / "whole", llm_settings(url, 25))
    assert settled_files(tmp_path / "grown") == settled_files(tmp_path / "whole")


def test_a_refusal_in_the_middle_stops_at_once_and_loses_nothing(tmp_path: Path) -> None:
    stub = Stub(script=lambda number: "status 401" if number >= 30 else None)
    with serving(stub) as url:
        with pytest.raises(ServerRefusedError, match="status 401: Incorrect API key"):
            build(tmp_path, llm_settings(url, 60))
        assert sum(len(logged(tmp_path, name)) for name in FEW) == 29
        assert "pending" in verdicts(tmp_path) + verdicts(tmp_path, FEW[1])
        stub.script = None
        settings = llm_settings(url, 60)
        build(tmp_path, settings)
    require_valid(tmp_path, settings)
    # Asked again were those that were out, and the two probes, whose prompt is that of an attempt.
    assert len(stub.prompts) - len(set(stub.prompts)) <= stub.met["status 401"] + 2


def test_the_key_is_sent_and_told_to_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SABER_LLM_KEY", "a-secret-key")
    stub = Stub(script=lambda number: "status 401" if number >= 5 else None)
    with serving(stub) as url, pytest.raises(ServerRefusedError) as caught:
        build(tmp_path, llm_settings(url, 10))
    assert "a-secret-key" in stub.keys
    assert "a-secret-key" not in str(caught.value)
    assert "a-secret-key" not in repr(caught.value.__cause__)
    assert "a-secret-key" not in manifest_text(tmp_path)


def test_another_model_is_another_dataset(tmp_path: Path) -> None:
    with serving(Stub()) as url:
        build(tmp_path, llm_settings(url, 5))
    with serving(Stub(model="other")) as url, pytest.raises(BuildConflictError, match="model"):
        build(tmp_path, llm_settings(url, 8, model="other"))


def test_another_server_with_the_same_model_goes_on(tmp_path: Path) -> None:
    with serving(Stub()) as url:
        build(tmp_path, llm_settings(url, 5))
    with serving(Stub()) as url:
        settings = llm_settings(url, 8, concurrency=3, timeout_seconds=7)
        build(tmp_path, settings)
    require_valid(tmp_path, settings)


def test_other_weights_under_the_same_name_are_asked_again(tmp_path: Path) -> None:
    with serving(Stub()) as url:
        build(tmp_path, llm_settings(url, 5))
    stub = Stub(root="weights-2")
    with serving(stub) as url:
        build(tmp_path, llm_settings(url, 8))
    assert len(stub.prompts) >= 1 + 2 * 8


def test_other_weights_under_the_same_name_are_told_once(tmp_path: Path) -> None:
    before, now = '{"root": "weights-1"}', '{"root": "weights-2"}'
    for root, quota, expected in (
        ("weights-1", 5, None),
        ("weights-1", 8, None),
        ("weights-2", 11, (before, now)),
        ("weights-2", 14, None),
    ):
        progress = Steps()
        with serving(Stub(root=root)) as url:
            outcome = build(tmp_path, llm_settings(url, quota), progress)
        assert outcome.usage is not None
        assert outcome.usage.other_model == expected
        told = [step for step in progress.steps if "model has changed" in step]
        assert len(told) == bool(expected)
        assert all(before in step and now in step for step in told)
        rows = outcome.usage.rows(LlmSettings())
        assert ({"what": "model now", "number": now} in rows) == bool(expected)
    require_valid(tmp_path, llm_settings("http://nowhere", 14))


def test_what_wrote_a_construction_outlives_a_rejudging(tmp_path: Path) -> None:
    with serving(Stub(root="weights-1")) as url:
        settings = llm_settings(url, 5)
        build(tmp_path, settings)
    rejudge_dataset(Build(tmp_path, "main"), settings, Silent())
    with serving(Stub(root="weights-2")) as url:
        outcome = build(tmp_path, llm_settings(url, 8))
    assert outcome.usage is not None
    assert outcome.usage.other_model is not None


def test_a_server_that_fails_too_long_pauses_and_the_build_goes_on_later(tmp_path: Path) -> None:
    stub = Stub(script=lambda number: "cut before headers" if number >= 20 else None)
    with serving(stub) as url:
        settings = llm_settings(url, 20, retry_seconds=0)
        outcome = build(tmp_path, settings)
        assert all("the server failed" in str(s.stopped) for s in outcome.streams if s.settled)
        assert outcome.manifest is None
        stub.script = None
        build(tmp_path, settings)
    require_valid(tmp_path, settings)


def test_a_server_that_only_fails_is_not_asked_for_long(tmp_path: Path) -> None:
    stub = Stub(script=lambda number: "html" if number else None)
    with serving(stub) as url, pytest.raises(ServerFailedError, match="all failed alike"):
        build(tmp_path, llm_settings(url, 100))
    assert len(stub.prompts) < 100


def test_drafts_that_are_all_rejected_alike_stop_the_run(tmp_path: Path) -> None:
    stub = Stub(script=lambda number: "malformed" if number else None)
    with (
        serving(stub) as url,
        pytest.raises(GenerationError, match=r"\d+ drafts were all rejected alike: malf"),
    ):
        build(tmp_path, llm_settings(url, 100))
    assert len(stub.prompts) < 150


def test_nothing_starts_where_the_model_is_not_served(tmp_path: Path) -> None:
    stub = Stub(model="another")
    with (
        serving(stub) as url,
        pytest.raises(ServerRefusedError, match="expected the model 'stub', found another"),
    ):
        build(tmp_path, llm_settings(url, 5))
    assert not stub.prompts


def test_nothing_starts_where_nobody_answers(tmp_path: Path) -> None:
    with serving(Stub()) as url:
        pass
    with pytest.raises(ServerFailedError, match="expected an OpenAI-compatible server"):
        build(tmp_path, llm_settings(url, 5))


def test_a_budget_of_attempts_is_never_overdrawn(tmp_path: Path) -> None:
    stub = Stub(script=lambda number: "malformed" if number % 2 else None)
    with serving(stub) as url:
        settings = llm_settings(url, 100, dataset={"budget_attempts": 30}, budget_tokens=UNSPENT)
        outcome = build(tmp_path, settings)
    assert [s.settled for s in outcome.streams if s.settled] == [30, 30]
    assert len(stub.prompts) == 61


def test_no_more_requests_are_in_flight_than_allowed(tmp_path: Path) -> None:
    stub = Stub(latency_seconds=0.01)
    # A quota that fills gives up what is in flight, which the stub notices later than the client.
    budget: dict[str, object] = {"budget_attempts": 40}
    with serving(stub) as url:
        build(
            tmp_path, llm_settings(url, 200, dataset=budget, concurrency=5, budget_tokens=UNSPENT)
        )
    assert len(stub.prompts) == 81
    assert 1 < stub.most_in_flight <= 5


def test_a_server_that_is_down_hears_of_few_requests(tmp_path: Path) -> None:
    stub = Stub(script=lambda number: "cut before headers" if number >= 20 else None)
    with serving(stub) as url:
        few = llm_settings(url, 200, constructions=FEW[:1], retry_seconds=1, concurrency=4)
        settings = few.model_copy(update={"lag": 200})
        outcome = build(tmp_path, settings)
    assert outcome.manifest is None
    assert len(set(stub.prompts[20:])) <= 2 * 4
