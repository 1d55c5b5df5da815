"""`saber dataset --writer llm`: options, preview, and what it prints."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from artifacts.settings import LlmSettings
from flows.commands.dataset import _preview
from flows.llm.messages import Reply
from flows.llm.preview import preview_attempts
from flows.llm.usage import Usage
from tests.flows.llm.builds import llm_settings
from tests.flows.llm.stub_server import Stub, serving


def _saber(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    code = "from flows.cli import main; main()"
    root_option = ("--root", str(folder / "builds"))
    command = [sys.executable, "-c", code, "dataset", *root_option, *arguments]
    root = Path(__file__).parents[3]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def test_a_preview_shows_prompts_drafts_and_verdicts(tmp_path: Path) -> None:
    stub = Stub(script=lambda number: "truncated" if number == 2 else None)
    with serving(stub) as url:
        attempts, usage = preview_attempts(llm_settings(url, 5, concurrency=1), 4)
    assert [attempt.verdict for attempt in attempts].count("rejected") == 1
    assert (usage.replies, usage.probed) == (4, 1)
    assert usage.tokens == (4 + 1) * 450
    for attempt in attempts:
        assert attempt.user in stub.prompts
        assert attempt.positive or attempt.violations == ["cut_off: the reply ended by 'length'"]


def test_a_preview_names_its_parts_and_marks_texts_as_a_run_does(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stub = Stub(script=lambda number: "truncated" if number == 2 else None)
    with serving(stub) as url:
        settings = llm_settings(url, 5, concurrency=1)
        _preview(settings, 2, json=False)
        first, second = (
            capsys.readouterr()
            .out.split("## pair_swap, attempt 0\n")[1]
            .split("## deferred_bind_anaphoric, attempt 0\n")
        )
        stub.script = None
        (accepted, _), _ = preview_attempts(settings, 2)
    marks = f"""### verdict: accepted

pair_swap: {accepted.query}
  + {accepted.positive}
  - {accepted.negative_attribute}
  - {accepted.negative_object}
"""
    prompts = f"### system\n\n{accepted.system}\n\n### user\n\n{accepted.user}\n\n"
    assert first.strip() == f"{prompts}### reply\n\n{accepted.raw}\n\n{marks}".strip()
    assert "### verdict: rejected\n\ncut_off: the reply ended by 'length'\n" in second
    assert "+ " not in second.split("### verdict")[1]


def test_the_command_previews_and_writes_nothing(tmp_path: Path) -> None:
    with serving(Stub()) as url:
        options = ("--writer", "llm", "--server", url, "--model", "stub", "--style", "given")
        done = _saber(tmp_path, *options, "--preview", "2", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [attempt["construction"] for attempt in told["attempts"]] == ["pair_swap", "attr_bundle"]
    assert not (tmp_path / "builds").exists()


def test_a_preview_needs_a_server(tmp_path: Path) -> None:
    done = _saber(tmp_path, "--preview", "2")
    assert done.returncode == 2
    assert "add --writer llm" in done.stderr


def test_what_was_not_counted_is_unknown_and_not_nothing() -> None:
    usage, llm = Usage(seconds=10), LlmSettings(price_in=1)
    usage.count_reply(None, None)
    rows = {row["what"]: row["number"] for row in usage.rows(llm)}
    assert {rows[name] for name in ("tokens in", "tokens a second", "cost")} == {"unknown"}
    usage.count_reply(1_000_000, 500)
    rows = {row["what"]: row["number"] for row in usage.rows(llm)}
    assert (rows["tokens in"], rows["cost"]) == ("at least 1,000,000", "at least 1.00")
    assert usage.tokens_if_all_replied(1) == 3 * usage.tokens


def test_what_the_probe_took_counts_and_tells_what_a_reply_takes() -> None:
    usage, llm = Usage(seconds=1), LlmSettings(price_in=1)
    assert usage.tokens_if_all_replied(3) == 0
    usage.count_probe([Reply("", None, 900_000, 100_000)])
    assert usage.tokens_if_all_replied(3) == 4_000_000
    usage.count_reply(100_000, 100_000)
    assert usage.tokens_if_all_replied(1) == 1_200_000 + 600_000
    rows = {row["what"]: row["number"] for row in usage.rows(llm)}
    assert (rows["replies"], rows["replies to the probe"], rows["cost"]) == (1, 1, "1.00")


def test_a_probe_that_was_not_counted_leaves_tokens_unknown() -> None:
    usage = Usage(seconds=1)
    usage.count_probe([Reply("", None, None, None)])
    assert usage.as_far_as_known("0") == "unknown"
    usage.count_reply(400, 50)
    assert usage.as_far_as_known("450") == "at least 450"


def test_what_a_request_cost_that_was_broken_off_is_not_known() -> None:
    usage, priced = Usage(replies=1, tokens_in=2_000_000, asked_twice=1), LlmSettings(price_in=1)
    assert usage.told_cost(priced) == "at least 2.00"
    usage.count_reply(None, None)
    assert usage.told_cost(priced) == "at least 2.00"
    usage = Usage(asked_twice=1)
    usage.count_reply(None, None)
    assert usage.told_cost(priced) == "unknown"
    assert usage.told_cost(LlmSettings()) is None


def test_costs_are_told_where_prices_are_set() -> None:
    usage = Usage(requests=2, replies=2, tokens_in=2_000_000, tokens_out=500_000, seconds=10)
    free, priced = LlmSettings(), LlmSettings(price_in=0.5, price_out=2)
    assert usage.cost(free) is None
    assert usage.cost(priced) == pytest.approx(2.0)
    assert {"what": "cost", "number": "2.00"} in usage.rows(priced)
    assert usage.tokens_if_all_replied(3) == 2_500_000 + 3 * 1_250_000
