"""`saber dataset --writer llm`: options, preview, and what it prints."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from artifacts.settings import LlmSettings
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
    assert usage.replies == 4
    assert usage.tokens == 4 * 450
    for attempt in attempts:
        assert attempt.user in stub.prompts
        assert attempt.positive or attempt.violations == ["cut_off: the reply ended by 'length'"]


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


def test_costs_are_told_where_prices_are_set() -> None:
    usage = Usage(requests=2, replies=2, tokens_in=2_000_000, tokens_out=500_000, seconds=10)
    free, priced = LlmSettings(), LlmSettings(price_in=0.5, price_out=2)
    assert usage.cost(free) is None
    assert usage.cost(priced) == pytest.approx(2.0)
    assert {"what": "cost", "number": "2.00"} in usage.rows(priced)
    assert usage.tokens_if_all_replied(3) == 2_500_000 + 3 * 1_250_000
