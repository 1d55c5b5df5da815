import asyncio
import json

import pytest

from artifacts.errors import ServerFailedError, ServerRefusedError
from artifacts.settings import LlmSettings
from flows.llm.faults import TransportFault
from flows.llm.messages import Reply
from flows.llm.probe import Served, probe
from tests.flows.llm.fakes import REPLY, FakeClient, FakeTime

LLM = LlmSettings(model="gemma", style="given", max_tokens=100)
SCHEMA = {"type": "object", "required": ["positive"]}
PAYLOAD = json.dumps({"response_format": {"json_schema": {"schema": SCHEMA}}}).encode()
ENTRY = {"id": "gemma", "root": "/weights", "max_model_len": 1024, "created": 1}
TEXT = Reply("Here is a text.", None, 10, 5)


def _probe(client: FakeClient, llm: LlmSettings = LLM) -> Served:
    return asyncio.run(probe(client, llm, PAYLOAD, FakeTime().timing))


def test_a_server_that_can_do_it_says_what_it_serves() -> None:
    served = _probe(FakeClient([REPLY], [ENTRY]))
    assert served == Served('{"root": "/weights"}', 1024, (REPLY,))


def test_when_it_was_asked_is_no_part_of_the_revision() -> None:
    other = _probe(FakeClient([REPLY], [{**ENTRY, "created": 2, "max_model_len": 2048}]))
    assert other.revision == _probe(FakeClient([REPLY], [ENTRY])).revision


def test_a_wrong_model_is_told_with_those_there_are() -> None:
    with pytest.raises(ServerRefusedError, match="expected the model 'gemma', found llama, qwen"):
        _probe(FakeClient([], [{"id": "llama"}, {"id": "qwen"}]))


@pytest.mark.parametrize("entries", [[], ServerRefusedError("Not Found", 404)])
def test_a_server_without_a_list_of_models_is_believed(entries: list[dict[str, object]]) -> None:
    assert _probe(FakeClient([REPLY], entries)) == Served("", None, (REPLY,))


def test_a_refusal_that_speaks_of_404_is_one() -> None:
    error = ServerRefusedError("status 403: the page status 404 is no model", 403)
    with pytest.raises(ServerRefusedError, match="status 403") as caught:
        _probe(FakeClient([], error))
    assert caught.value.status == 403


def test_a_key_that_is_refused_is_told() -> None:
    with pytest.raises(ServerRefusedError, match="status 401: bad key"):
        _probe(FakeClient([], ServerRefusedError("status 401: bad key")))


def test_a_server_that_ignores_the_schema_is_told() -> None:
    with pytest.raises(ServerRefusedError, match=r"keep to the JSON schema.*Here is a text"):
        _probe(FakeClient([TEXT, TEXT, TEXT], [ENTRY]))


@pytest.mark.parametrize(
    ("url", "is_told"),
    [
        ("http://gpu-1:8000", True),
        ("http://gpu-1:8000/", True),
        ("http://gpu-1:8000/v1", False),
        ("http://gpu-1:8000/api", False),
    ],
)
def test_an_address_without_a_path_may_lack_one(url: str, is_told: bool) -> None:
    error = ServerRefusedError("the server refused a request with status 404: Not Found", 404)
    client = FakeClient([error], error)
    with pytest.raises(ServerRefusedError, match=f"^{url}: .* Not Found") as caught:
        _probe(client, LLM.model_copy(update={"base_url": url}))
    assert ("does the address end in /v1?" in str(caught.value)) == is_told


def test_another_refusal_says_nothing_of_the_address() -> None:
    llm = LLM.model_copy(update={"base_url": "http://gpu-1:8000"})
    with pytest.raises(ServerRefusedError) as caught:
        _probe(FakeClient([ServerRefusedError("status 401: bad key", 401)], [ENTRY]), llm)
    assert str(caught.value) == "http://gpu-1:8000: status 401: bad key"


def test_one_bad_reply_says_nothing() -> None:
    served = _probe(FakeClient([TEXT, REPLY], [ENTRY]))
    assert served.replies == (TEXT, REPLY)
    _probe(FakeClient([Reply('{"positive": "a', "length", 10, 100)], [ENTRY]))


def test_a_schema_that_makes_the_server_fail_is_told() -> None:
    faults = [TransportFault("status 500", "json_schema", answered=True) for _ in range(4)]
    client = FakeClient([*faults, TEXT], [ENTRY])
    with pytest.raises(ServerRefusedError, match="schema_form"):
        _probe(client)
    assert b"response_format" not in client.payloads[-1]


def test_a_server_that_fails_either_way_is_told() -> None:
    faults = [TransportFault("status 500", "crash", answered=True) for _ in range(5)]
    with pytest.raises(ServerFailedError, match="expected an OpenAI-compatible server"):
        _probe(FakeClient(list(faults), [ENTRY]))


def test_a_server_that_is_not_there_is_told() -> None:
    with pytest.raises(ServerFailedError, match=r"127.0.0.1:8000.*refused"):
        _probe(FakeClient([], TransportFault("no connection", "refused")))


def test_a_context_too_small_is_told() -> None:
    reply = Reply(REPLY.raw, None, 900, 5)
    with pytest.raises(ServerRefusedError, match=r"at least 1,040 tokens.*found 1,024"):
        _probe(FakeClient([reply], [ENTRY]))


LLAMA_META = {"n_ctx": 1024, "n_params": 268, "size": 246, "ftype": "Q4_K - Medium", "n_vocab": 1}
LLAMA_ENTRY = {"id": "gemma", "aliases": ["gemma", "gemma-3"], "created": 1, "meta": LLAMA_META}


def test_what_llama_cpp_says_of_the_weights_and_the_context_is_found() -> None:
    served = _probe(FakeClient([REPLY], [LLAMA_ENTRY]))
    assert json.loads(served.revision) == {"ftype": "Q4_K - Medium", "n_params": 268, "size": 246}
    assert served.context_tokens == 1024


def test_another_name_of_the_model_will_do() -> None:
    other = LLM.model_copy(update={"model": "gemma-3"})
    served = _probe(FakeClient([REPLY], [LLAMA_ENTRY]), other)
    assert served == _probe(FakeClient([REPLY], [LLAMA_ENTRY]))


@pytest.mark.parametrize("told", [{"aliases": None, "meta": None}, {"aliases": "gemma", "meta": 1}])
def test_an_entry_of_another_form_says_nothing(told: dict[str, object]) -> None:
    entry = {"id": "gemma", **told}
    assert _probe(FakeClient([REPLY], [entry])) == Served("", None, (REPLY,))
