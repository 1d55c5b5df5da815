"""What a real vLLM refuses, and that its own words reach whoever runs the command."""

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from artifacts.errors import ServerRefusedError
from artifacts.settings import DatasetSettings, LlmSettings
from flows.llm.build import probe_server, request_planner
from flows.llm.client import connected
from flows.llm.messages import Reply
from flows.llm.probe import Served
from flows.llm.timing import Timing
from flows.stages.dataset_words import load_words
from tests.real_vllm.serving import CONTEXT_TOKENS, MODEL, MODEL_FOLDER, Vllm
from tests.servers.running import SABER, clean_environment
from validators.ledger import Ledger


def settings(vllm: Vllm, **llm: object) -> DatasetSettings:
    given = {"base_url": vllm.url, "model": MODEL, "style": "bare", "max_tokens": 80, **llm}
    return DatasetSettings(writer="llm", llm=LlmSettings.model_validate(given))


def a_request(chosen: DatasetSettings) -> dict[str, Any]:
    planner = request_planner(load_words(chosen), "pair_swap", chosen)
    attempt = planner.plan(0, Ledger(2)).attempt
    body: dict[str, Any] = json.loads(planner.take_payload(attempt))
    return body


def complete(vllm: Vllm, body: dict[str, Any]) -> Reply:
    async def ask() -> Reply:
        async with connected(settings(vllm).llm) as client:
            return await client.complete(json.dumps(body).encode())

    return asyncio.run(ask())


def probe(chosen: DatasetSettings) -> Served:
    async def ask() -> Served:
        async with connected(chosen.llm) as client:
            return await probe_server(client, chosen, Timing())

    return asyncio.run(ask())


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = clean_environment(folder / "home") | {"SABER_ROOT": str(folder / "builds")}
    line = (*SABER, "dataset", *arguments)
    return subprocess.run(line, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_the_probe_finds_the_model_and_what_it_was_loaded_from(vllm: Vllm) -> None:
    served = probe(settings(vllm))
    assert served.context_tokens == CONTEXT_TOKENS
    assert json.loads(served.revision) == {"root": str(MODEL_FOLDER)}


def test_a_model_that_is_not_served(vllm: Vllm) -> None:
    with pytest.raises(ServerRefusedError, match=f"expected the model 'nope', found {MODEL}"):
        probe(settings(vllm, model="nope"))
    body = a_request(settings(vllm)) | {"model": "nope"}
    with pytest.raises(ServerRefusedError, match=r"status 404: .*`nope` does not exist"):
        complete(vllm, body)


def test_a_reply_longer_than_the_context(vllm: Vllm) -> None:
    with pytest.raises(ServerRefusedError, match=r"status 400: .*max_tokens.*2000"):
        probe(settings(vllm, max_tokens=2_000))


def test_a_prompt_longer_than_the_context(vllm: Vllm) -> None:
    body = a_request(settings(vllm))
    body["messages"][-1]["content"] *= 100
    with pytest.raises(ServerRefusedError, match=rf"status 400: .*{CONTEXT_TOKENS}"):
        complete(vllm, body)


def test_a_context_that_later_prompts_could_outgrow(vllm: Vllm) -> None:
    used = complete(vllm, a_request(settings(vllm))).tokens_in
    assert used is not None
    with pytest.raises(ServerRefusedError, match="expected a context of at least"):
        probe(settings(vllm, max_tokens=CONTEXT_TOKENS - used - 20))


def test_a_schema_that_is_none(vllm: Vllm) -> None:
    body = a_request(settings(vllm))
    body["response_format"]["json_schema"]["schema"] = {"type": "nonsense"}
    with pytest.raises(ServerRefusedError, match=r"status 400: .*nonsense"):
        complete(vllm, body)


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--model", "nope"), 1, f"expected the model 'nope', found {MODEL}"),
        (("--style", "grand"), 2, "dataset.llm.style"),
    ],
)
def test_the_command_says_so_in_a_line(
    vllm: Vllm, tmp_path: Path, options: tuple[str, ...], code: int, words: str
) -> None:
    done = command(tmp_path, "--writer", "llm", "--server", vllm.url, "--model", MODEL, *options)
    assert done.returncode == code, done.stderr
    assert words in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
