import json

import pytest

from flows.llm.faults import TransportFault
from flows.llm.messages import Reply
from flows.llm.replies import MAX_RAW_CHARACTERS, read_reply


def _body(finish: str | None = "stop", usage: object = None, **message: object) -> bytes:
    choice = {"message": message, "finish_reason": finish}
    return json.dumps({"choices": [choice], "usage": usage}).encode()


def test_a_reply_is_its_content_and_its_tokens() -> None:
    usage = {"prompt_tokens": 12, "completion_tokens": 3}
    assert read_reply(_body(content="text", usage=usage)) == Reply("text", None, 12, 3)


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None}, "none", []])
def test_tokens_that_are_not_told_are_unknown(usage: object) -> None:
    assert read_reply(_body(content="text", usage=usage)) == Reply("text", None, None, None)


@pytest.mark.parametrize("finish", ["length", "content_filter", "tool_calls"])
def test_an_early_end_is_kept(finish: str) -> None:
    assert read_reply(_body(finish, content="half")) == Reply("half", finish, None, None)


def test_a_refusal_is_told_in_its_own_words() -> None:
    reply = read_reply(_body(content=None, refusal="I cannot."))
    assert (reply.raw, reply.finish) == ("I cannot.", "refusal")


@pytest.mark.parametrize("choices", [None, [], {}, [None]])
def test_no_choices_are_an_empty_draft(choices: object) -> None:
    assert read_reply(json.dumps({"choices": choices}).encode()).finish == "no_choices"


@pytest.mark.parametrize(
    "body",
    [
        b"<html><body>Bad gateway</body></html>",
        b"[]",
        b'"text"',
        b"",
        b'{"choices": [',
        b"\xff\xfe",
        b"{}",
        b"[" * 100_000,
        b'{"error": {"message": "down"}}',
    ],
)
def test_what_is_no_completion_is_a_fault_of_the_transport(body: bytes) -> None:
    with pytest.raises(TransportFault, match="no completion") as caught:
        read_reply(body)
    assert caught.value.answered


def test_an_engine_that_gave_up_is_a_fault_of_the_transport() -> None:
    with pytest.raises(TransportFault, match="aborted"):
        read_reply(_body("abort", content="half"))


def test_half_a_character_is_kept_as_its_escape() -> None:
    body = b'{"choices": [{"message": {"content": "a \\ud83d b"}}]}'
    assert read_reply(body).raw == "a \\ud83d b"


def test_an_endless_reply_is_kept_in_part() -> None:
    assert len(read_reply(_body(content="x" * 1_000_000)).raw) == MAX_RAW_CHARACTERS
