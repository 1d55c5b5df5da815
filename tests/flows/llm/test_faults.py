import inspect
from datetime import UTC, datetime

import httpx2
import openai
import pytest
from openai import _exceptions

from artifacts.errors import ServerRefusedError
from artifacts.server_words import retry_after
from flows.llm.faults import KIND_OF, TransportFault, convert, kind_of

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
REQUEST = httpx2.Request("POST", "http://server/v1/chat/completions")


def _status_error(status: int, body: object, **headers: str) -> openai.APIStatusError:
    response = httpx2.Response(status, request=REQUEST, headers=headers)
    client = openai.OpenAI(api_key="none", base_url="http://server/v1")
    return client._make_status_error("failed", body=body, response=response)


def _converted(status: int, body: object = None, **headers: str) -> TransportFault:
    fault = convert(_status_error(status, body, **headers), NOW)
    assert isinstance(fault, TransportFault)
    return fault


def test_every_exception_of_openai_is_mapped_by_name() -> None:
    classes = {
        each
        for _, each in inspect.getmembers(_exceptions, inspect.isclass)
        if issubclass(each, Exception) and each.__module__ == _exceptions.__name__
    }
    public = {
        each
        for name, each in inspect.getmembers(openai, inspect.isclass)
        if issubclass(each, Exception) and not name.startswith("_")
    }
    assert classes | public <= KIND_OF.keys()


def test_an_unknown_exception_is_a_fault_of_the_transport() -> None:
    class Unheard(openai.APIConnectionError):
        pass

    assert kind_of(Unheard) == "transport"
    assert kind_of(ConnectionResetError) == "transport"


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_passing_statuses_are_asked_again(status: int) -> None:
    fault = _converted(status)
    assert fault.kind == f"status {status}"
    assert fault.answered
    assert fault.is_overload is (status in (429, 503))


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 405, 413, 422])
def test_other_statuses_are_refusals_in_the_servers_words(status: int) -> None:
    body = {"error": {"message": "The model `nope` does not exist.", "type": "NotFoundError"}}
    error = convert(_status_error(status, body), NOW)
    assert isinstance(error, ServerRefusedError)
    assert str(status) in str(error)
    assert error.status == status
    assert "The model `nope` does not exist." in str(error)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"detail": "Not Found"}, "Not Found"),
        ({"error": "bad key"}, "bad key"),
        ({"message": "too long", "code": 400}, "too long"),
        ("<html>\n  Bad gateway </html>", "<html> Bad gateway </html>"),
    ],
)
def test_words_are_found_in_bodies_of_several_forms(body: object, words: str) -> None:
    assert words in str(convert(_status_error(404, body), NOW))


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("Thu, 01 Jan 2026 12:00:30 GMT", 30.0),
        ("Thu, 01 Jan 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("inf", None),
        ("-inf", None),
        ("nan", None),
        ("1e400", None),
        ("", None),
    ],
)
def test_retry_after_holds_seconds_or_a_date(value: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": value}, NOW) == seconds


def test_a_fault_knows_how_long_the_server_asks_to_wait() -> None:
    assert _converted(429, **{"retry-after": "2"}).retry_after_seconds == 2
    assert _converted(503).retry_after_seconds is None


def test_a_timeout_is_overload_and_a_lost_connection_says_what_it_met() -> None:
    timeout = convert(openai.APITimeoutError(REQUEST), NOW)
    assert isinstance(timeout, TransportFault)
    assert (timeout.kind, timeout.is_overload) == ("timeout", True)
    error = openai.APITimeoutError(REQUEST)
    error.__cause__ = ConnectionRefusedError("Connect call failed")
    refused = convert(error, NOW)
    assert str(refused) == "no connection: Connect call failed"
