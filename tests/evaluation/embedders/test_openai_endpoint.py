"""An endpoint is asked again where that may help, and its words are passed on where it may not."""

import time
from collections.abc import Iterator

import numpy as np
import pytest

from artifacts.errors import (
    EmbeddingError,
    ModelMissingError,
    ServerFailedError,
    ServerRefusedError,
    SettingsError,
)
from artifacts.model_settings import EvaluationSettings
from evaluation.embedders.checks import Checked
from evaluation.embedders.endpoint_requests import Patience
from evaluation.embedders.openai_endpoint import EndpointEmbedder, open_endpoint
from tests.evaluation.embedders.doubles import images, texts
from tests.evaluation.embedders.endpoint_stub import DIMENSIONS, MODEL, Stub, serving, vector_of

KEY = "sk-test-0123456789"
QUICK = Patience(timeout_seconds=10, attempts=3, first_wait_seconds=0.01, concurrency=3)
CONTENTS = ["a" * number + "bcd"[number % 3] for number in range(1, 8)]
EXPECTED = np.stack([vector_of(text) for text in CONTENTS])


@pytest.fixture
def stub() -> Stub:
    return Stub()


@pytest.fixture
def base_url(stub: Stub) -> Iterator[str]:
    with serving(stub) as url:
        yield url


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SABER_EMBEDDING_KEY", KEY)


def embedder(base_url: str, patience: Patience = QUICK, **settings: object) -> EndpointEmbedder:
    values = {"embedder": f"openai:{MODEL}", "base_url": base_url, "batch_size": 3, **settings}
    return open_endpoint(EvaluationSettings.model_validate(values), MODEL, patience)


def embed(base_url: str, patience: Patience = QUICK) -> object:
    return Checked(embedder(base_url, patience)).embed_texts(texts(*CONTENTS))


@pytest.mark.parametrize("has_base64", [True, False])
def test_vectors_come_in_the_order_of_the_texts(
    stub: Stub, base_url: str, has_base64: bool
) -> None:
    stub.has_base64 = has_base64
    np.testing.assert_array_equal(embed(base_url), EXPECTED)
    assert sorted(len(body["input"]) for body in stub.bodies) == [1, 3, 3]
    assert {body["model"] for body in stub.bodies} == {MODEL}
    assert stub.keys == {KEY}


def test_requests_in_flight_are_bounded(stub: Stub, base_url: str) -> None:
    stub.latency_seconds = 0.05
    embedder(base_url, batch_size=1).embed_texts(texts(*CONTENTS))
    assert stub.most_in_flight <= 3


@pytest.mark.parametrize(
    "faults",
    [[429, 429], [500, 503], ["cut"], ["html"], ["error with 200"], ["no base64"], [429, "cut"]],
)
def test_what_passes_is_asked_again(
    stub: Stub, base_url: str, faults: list[str | int | None]
) -> None:
    stub.faults = faults
    np.testing.assert_array_equal(embed(base_url), EXPECTED)
    assert len(stub.bodies) == 3 + len(faults)


def test_retry_after_is_honoured(stub: Stub, base_url: str) -> None:
    stub.faults, stub.retry_after = [429], "1"
    began = time.monotonic()
    embedder(base_url).embed_texts(texts("a"))
    assert time.monotonic() - began >= 1.0


def test_a_wait_over_the_budget_is_not_waited(stub: Stub, base_url: str) -> None:
    stub.always, stub.retry_after = 429, "3600"
    with pytest.raises(ServerFailedError, match="Rate limit reached, which asks to wait 3600 s"):
        embed(base_url)


@pytest.mark.parametrize(
    ("always", "words"),
    [
        (500, "3 attempts.*status 500: The server had an error"),
        (429, "3 attempts.*status 429: Rate limit reached"),
        ("cut", "3 attempts.*no connection"),
        ("html", "3 attempts.*no JSON"),
        ("error with 200", "3 attempts.*no list of vectors: out of memory"),
        ("no base64", "3 attempts.*a vector that is none"),
    ],
)
def test_what_keeps_failing_ends_the_run(
    stub: Stub, base_url: str, always: str | int, words: str
) -> None:
    stub.always = always
    with pytest.raises(ServerFailedError, match=words):
        embed(base_url)


def test_a_server_that_hangs_is_given_up(stub: Stub, base_url: str) -> None:
    stub.always = "hang"
    patience = Patience(timeout_seconds=0.2, attempts=2, first_wait_seconds=0.01)
    with pytest.raises(ServerFailedError, match=r"2 attempts.*no reply within 0 s"):
        embed(base_url, patience)


def test_a_server_that_is_not_there_is_said() -> None:
    with pytest.raises(ServerFailedError, match=r"3 attempts.*no connection"):
        embed("http://127.0.0.1:9/v1")


@pytest.mark.parametrize(
    ("always", "words"),
    [
        (400, "status 400: This model's maximum context length"),
        (401, "status 401: Incorrect API key provided: …;"),
        (404, "status 404: The model `stub-embedding` does not exist"),
        ("quota", "status 429: You exceeded your current quota"),
    ],
)
def test_what_is_refused_is_asked_once(
    stub: Stub, base_url: str, always: str | int, words: str
) -> None:
    stub.always = always
    with pytest.raises(ServerRefusedError, match=words) as raised:
        embedder(base_url, batch_size=7).embed_texts(texts(*CONTENTS))
    assert len(stub.bodies) == 1
    assert KEY not in str(raised.value)


@pytest.mark.parametrize(
    ("always", "words"),
    [
        ("count", r"returned \d vectors for \d texts"),
        ("index", "numbered 3 vectors"),
        ("dimension", r"vectors of \[5, 6\] dimensions in one reply"),
        ("nan", "aren't finite"),
    ],
)
def test_wrong_vectors_are_never_scored(stub: Stub, base_url: str, always: str, words: str) -> None:
    stub.always = always
    with pytest.raises(EmbeddingError, match=words):
        Checked(embedder(base_url)).embed_texts(texts(*CONTENTS[:6]))


def test_replies_of_two_dimensions_are_never_scored(stub: Stub, base_url: str) -> None:
    stub.faults = ["other dimension"]
    with pytest.raises(EmbeddingError, match=r"vectors of \[5, 6\] dimensions, expected one"):
        embedder(base_url).embed_texts(texts(*CONTENTS))


def test_an_instruction_stands_before_every_text(stub: Stub, base_url: str) -> None:
    embedder(base_url, instruction="Describe: ").embed_texts(texts("a"))
    assert stub.bodies[0]["input"] == ["Describe: a"]


def test_the_key_is_nowhere_but_in_the_request(base_url: str) -> None:
    one = embedder(base_url)
    assert KEY not in repr(one) + one.identity + one.name


@pytest.mark.parametrize(("name", "sent"), [("SABER_LLM_KEY", "llm"), ("OPENAI_API_KEY", "none")])
def test_the_key_s_variables(
    stub: Stub, base_url: str, monkeypatch: pytest.MonkeyPatch, name: str, sent: str
) -> None:
    monkeypatch.delenv("SABER_EMBEDDING_KEY")
    monkeypatch.setenv(name, "llm")
    embedder(base_url).embed_texts(texts("a"))
    assert stub.keys == {sent}


def test_the_identity_is_what_vectors_depend_on() -> None:
    one = embedder("http://127.0.0.1/v1/")
    assert one.identity == embedder("http://127.0.0.1/v1", batch_size=7).identity
    changes: list[dict[str, object]] = [
        {"base_url": "http://127.0.0.2/v1"},
        {"instruction": "Describe: "},
        {"revision": "2"},
    ]
    identities = {
        embedder(**{"base_url": "http://127.0.0.1/v1", **change}).identity  # type: ignore[arg-type]
        for change in changes
    }
    assert len(identities | {one.identity}) == 4


def test_a_password_in_the_address_is_refused() -> None:
    with pytest.raises(SettingsError, match="base_url holds a name or a password") as raised:
        embedder("http://me:secret@127.0.0.1/v1")
    assert "secret" not in str(raised.value)


def test_it_embeds_texts_alone(base_url: str) -> None:
    assert embedder(base_url).modalities == {"text"}
    with pytest.raises(EmbeddingError, match="embeds text, found 1 pictures"):
        embedder(base_url).embed_images(images("a"))


def test_without_its_package_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("artifacts.weights.find_spec", lambda _: None)
    with pytest.raises(ModelMissingError, match=r"openai, not installed.*\[llm\]"):
        embedder("http://127.0.0.1/v1")


def test_the_stub_s_vectors_have_their_dimensions() -> None:
    assert EXPECTED.shape == (7, DIMENSIONS)
