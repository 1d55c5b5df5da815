"""What a real llama.cpp server refuses, what it lets pass, and who tells of it."""

import json
from pathlib import Path

import pytest

from artifacts.errors import ServerRefusedError
from artifacts.settings import DatasetSettings
from tests.real_llama_cpp.conftest import KEY, SMALL_CONTEXT_TOKENS
from tests.real_llama_cpp.serving import CONTEXT_TOKENS, MODEL, OTHER_NAME, LlamaCpp
from tests.servers.asked import a_request, bare_settings, build_in, complete, probe


def settings(server: LlamaCpp, **llm: object) -> DatasetSettings:
    return bare_settings({"base_url": server.url, "model": MODEL, **llm})


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SABER_LLM_KEY", KEY)


def test_the_probe_finds_what_one_request_has_room_for_and_the_weights(llama: LlamaCpp) -> None:
    served = probe(settings(llama))
    assert served.context_tokens == CONTEXT_TOKENS
    assert json.loads(served.revision) == {
        "ftype": "Q4_K - Medium",
        "n_params": 268_098_176,
        "size": 246_587_904,
    }


@pytest.mark.parametrize("form", ["openai", "llama"])
def test_either_form_of_the_schema_is_kept_to(llama: LlamaCpp, form: str) -> None:
    chosen = settings(llama, schema_form=form)
    reply = complete(chosen, a_request(chosen))
    assert json.loads(reply.raw).keys() == {"positive"}
    assert (reply.tokens_in or 0) > (reply.tokens_out or 0) > 0


def test_any_name_that_the_server_gives_the_model_will_do(llama: LlamaCpp) -> None:
    assert probe(settings(llama, model=OTHER_NAME)) == probe(settings(llama))


def test_a_model_that_is_not_served_is_noticed_by_the_list_alone(llama: LlamaCpp) -> None:
    with pytest.raises(
        ServerRefusedError, match=f"expected the model 'nope', found {MODEL}, {OTHER_NAME}"
    ):
        probe(settings(llama, model="nope"))
    # A request by that name is answered by the model there is.
    assert complete(settings(llama), a_request(settings(llama)) | {"model": "nope"}).raw


def test_a_reply_longer_than_the_context_is_noticed_by_the_list_alone(llama: LlamaCpp) -> None:
    with pytest.raises(ServerRefusedError, match=r"at least 2,\d\d\d tokens.*found 1,024"):
        probe(settings(llama, max_tokens=2_000))


def test_a_context_that_later_prompts_could_outgrow(guarded: LlamaCpp, key: None) -> None:
    with pytest.raises(ServerRefusedError, match=f"at least .*, found {SMALL_CONTEXT_TOKENS}"):
        probe(settings(guarded))


def test_a_reply_ends_where_the_context_does(guarded: LlamaCpp, key: None) -> None:
    body = a_request(settings(guarded)) | {"max_tokens": 2_000, "ignore_eos": True}
    del body["response_format"]
    reply = complete(settings(guarded), body)
    assert reply.finish == "length"
    assert (reply.tokens_in or 0) + (reply.tokens_out or 0) == SMALL_CONTEXT_TOKENS


def test_a_prompt_longer_than_the_context(llama: LlamaCpp) -> None:
    body = a_request(settings(llama))
    body["messages"][-1]["content"] *= 100
    with pytest.raises(
        ServerRefusedError, match=rf"status 400: request \(\d+ tokens\) exceeds .*{CONTEXT_TOKENS}"
    ):
        complete(settings(llama), body)


def test_a_schema_that_is_none(llama: LlamaCpp) -> None:
    body = a_request(settings(llama))
    body["response_format"]["json_schema"]["schema"] = {"type": "nonsense"}
    with pytest.raises(ServerRefusedError, match=r"status 400: .*unrecognized type nonsense"):
        complete(settings(llama), body)


def test_a_form_of_the_schema_that_is_none(llama: LlamaCpp) -> None:
    body = a_request(settings(llama)) | {"response_format": {"type": "grammar"}}
    with pytest.raises(ServerRefusedError, match=r"status 400: response_format type must be one"):
        complete(settings(llama), body)


@pytest.mark.parametrize("wrong", ["wrong", ""])
def test_a_wrong_key_and_none(
    guarded: LlamaCpp, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SABER_LLM_KEY", wrong)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ServerRefusedError, match="status 401: Invalid API Key"):
        probe(settings(guarded))


@pytest.mark.parametrize(
    ("model", "key", "words"),
    [
        ("nope", KEY, f"expected the model 'nope', found {MODEL}"),
        (MODEL, KEY, "expected a context of at least"),
        (MODEL, "wrong", "the server refused a request with status 401: Invalid API Key"),
    ],
)
def test_the_command_says_so_in_a_line(
    guarded: LlamaCpp, tmp_path: Path, model: str, key: str, words: str
) -> None:
    done = build_in(tmp_path, guarded.url, model, "--style", "bare", SABER_LLM_KEY=key)
    assert done.returncode == 1, done.stderr
    assert words in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert KEY not in done.stderr
