"""A stub that answers as llama.cpp's server does; `tests/real_llama_cpp` asks a real one."""

import json
from pathlib import Path

import pytest

from artifacts.errors import ServerRefusedError
from tests.flows.llm.builds import build, llm_settings, require_valid
from tests.flows.llm.stub_dialects import LlamaCpp
from tests.flows.llm.stub_server import Stub, serving


@pytest.fixture
def stub() -> Stub:
    return Stub(root="Q4_K - Medium", context_tokens=1_024, dialect=LlamaCpp())


@pytest.mark.parametrize("form", ["llama", "openai"])
def test_either_form_of_the_schema_will_do(tmp_path: Path, stub: Stub, form: str) -> None:
    with serving(stub) as url:
        settings = llm_settings(url, 5, schema_form=form)
        outcome = build(tmp_path, settings)
    assert outcome.manifest is not None
    assert outcome.manifest.counts["accepted"] == 2 * 5
    require_valid(tmp_path, settings)


def test_another_form_is_refused_in_the_servers_words(tmp_path: Path, stub: Stub) -> None:
    extra = {"response_format": {"type": "grammar", "schema": {"required": ["positive"]}}}
    with (
        serving(stub) as url,
        pytest.raises(ServerRefusedError, match=r"status 400: response_format type must be one"),
    ):
        build(tmp_path, llm_settings(url, 5, extra_body=extra))


def test_a_name_that_it_would_answer_to_anyway_is_told(tmp_path: Path, stub: Stub) -> None:
    with (
        serving(stub) as url,
        pytest.raises(
            ServerRefusedError, match="expected the model 'nope', found stub, stub-again"
        ),
    ):
        build(tmp_path, llm_settings(url, 5, model="nope"))
    assert not stub.prompts


def test_any_name_that_it_lists_will_do(tmp_path: Path, stub: Stub) -> None:
    with serving(stub) as url:
        assert build(tmp_path, llm_settings(url, 5, model="stub-again")).manifest


def test_a_context_too_small_is_told(tmp_path: Path, stub: Stub) -> None:
    stub.context_tokens = 512
    with (
        serving(stub) as url,
        pytest.raises(ServerRefusedError, match=r"at least 952 tokens.*found 512"),
    ):
        build(tmp_path, llm_settings(url, 5))


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, r"request \(3782 tokens\) exceeds the available context size \(1024 tokens\)"),
        (401, "Invalid API Key"),
        (404, "File Not Found"),
    ],
)
def test_a_refusal_is_told_in_its_words(
    tmp_path: Path, stub: Stub, status: int, words: str
) -> None:
    stub.script = lambda number: f"status {status}"
    with serving(stub) as url, pytest.raises(ServerRefusedError, match=f"{status}: {words}"):
        build(tmp_path, llm_settings(url, 5))


def test_a_server_that_loads_its_model_again_is_waited_for(tmp_path: Path, stub: Stub) -> None:
    stub.script = lambda number: "status 503" if number in (3, 4) else None
    with serving(stub) as url:
        settings = llm_settings(url, 5)
        outcome = build(tmp_path, settings)
    assert outcome.usage is not None
    assert outcome.usage.faults == {"status 503": 2}
    require_valid(tmp_path, settings)


def test_other_weights_under_the_same_name_are_told(tmp_path: Path, stub: Stub) -> None:
    with serving(stub) as url:
        build(tmp_path, llm_settings(url, 5))
    other = Stub(root="Q8_0", context_tokens=2_048, dialect=LlamaCpp())
    with serving(other) as url:
        outcome = build(tmp_path, llm_settings(url, 8))
    assert outcome.usage is not None
    assert outcome.usage.other_model is not None
    told = [json.loads(revision) for revision in outcome.usage.other_model]
    assert [revision["ftype"] for revision in told] == ["Q4_K - Medium", "Q8_0"]
