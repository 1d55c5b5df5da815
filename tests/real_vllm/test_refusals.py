"""What a real vLLM refuses, and that its own words reach whoever runs the command."""

import json
from pathlib import Path

import pytest

from artifacts.errors import ServerRefusedError
from artifacts.settings import DatasetSettings
from tests.real_vllm.serving import CONTEXT_TOKENS, MODEL, MODEL_FOLDER, Vllm
from tests.servers.asked import a_request, bare_settings, build_in, complete, probe


def settings(vllm: Vllm, **llm: object) -> DatasetSettings:
    return bare_settings({"base_url": vllm.url, "model": MODEL, **llm})


def test_the_probe_finds_the_model_and_what_it_was_loaded_from(vllm: Vllm) -> None:
    served = probe(settings(vllm))
    assert served.context_tokens == CONTEXT_TOKENS
    assert json.loads(served.revision) == {"root": str(MODEL_FOLDER)}


def test_a_model_that_is_not_served(vllm: Vllm) -> None:
    with pytest.raises(ServerRefusedError, match=f"expected the model 'nope', found {MODEL}"):
        probe(settings(vllm, model="nope"))
    body = a_request(settings(vllm)) | {"model": "nope"}
    with pytest.raises(ServerRefusedError, match=r"status 404: .*`nope` does not exist"):
        complete(settings(vllm), body)


def test_a_reply_longer_than_the_context(vllm: Vllm) -> None:
    with pytest.raises(ServerRefusedError, match=r"status 400: .*max_tokens.*2000"):
        probe(settings(vllm, max_tokens=2_000))


def test_a_prompt_longer_than_the_context(vllm: Vllm) -> None:
    body = a_request(settings(vllm))
    body["messages"][-1]["content"] *= 100
    with pytest.raises(ServerRefusedError, match=rf"status 400: .*{CONTEXT_TOKENS}"):
        complete(settings(vllm), body)


def test_a_context_that_later_prompts_could_outgrow(vllm: Vllm) -> None:
    used = complete(settings(vllm), a_request(settings(vllm))).tokens_in
    assert used is not None
    with pytest.raises(ServerRefusedError, match="expected a context of at least"):
        probe(settings(vllm, max_tokens=CONTEXT_TOKENS - used - 20))


def test_a_schema_that_is_none(vllm: Vllm) -> None:
    body = a_request(settings(vllm))
    body["response_format"]["json_schema"]["schema"] = {"type": "nonsense"}
    with pytest.raises(ServerRefusedError, match=r"status 400: .*nonsense"):
        complete(settings(vllm), body)


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
    done = build_in(tmp_path, vllm.url, MODEL, *options)
    assert done.returncode == code, done.stderr
    assert words in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
