"""From the body of an answer to a draft as raw text, or to the fault that it is.

A completion is data, whatever it holds; a body that is no completion (a proxy's page, a broken
stream) is a fault of the transport. Knows JSON; nothing of connections, plans or rules.
"""

import json
from collections.abc import Mapping

from artifacts.server_words import words_of_server
from flows.llm.faults import TransportFault
from flows.llm.messages import Reply

#: Most characters that are kept of a reply; a draft that long is rejected by a tenth of it.
MAX_RAW_CHARACTERS = 100_000
#: Ends of a reply that are none of the model's doing.
_ABORTED = frozenset({"abort", "error"})


def read_reply(body: bytes) -> Reply:
    """Return the reply that an answer holds; raises TransportFault if it is no completion."""
    content = _load(body)
    if not isinstance(content, Mapping) or "choices" not in content:
        told = words_of_server(content) if isinstance(content, Mapping) else _excerpt(body)
        raise TransportFault("no completion", told, answered=True)
    tokens_in, tokens_out = _tokens(content.get("usage"))
    choices = content["choices"]
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, Mapping):
        return Reply(_kept(_excerpt(body)), "no_choices", tokens_in, tokens_out)
    raw, finish = _read_choice(choice)
    return Reply(_kept(raw), finish, tokens_in, tokens_out)


def _read_choice(choice: Mapping[str, object]) -> tuple[str, str | None]:
    message, finish = choice.get("message"), choice.get("finish_reason")
    if finish in _ABORTED:
        raise TransportFault("aborted", f"the reply ended by {finish!r}", answered=True)
    held = message if isinstance(message, Mapping) else {}
    if held.get("refusal"):
        return str(held["refusal"]), "refusal"
    early = None if finish in (None, "stop", "eos") else str(finish)
    return str(held.get("content") or ""), early


def _load(body: bytes) -> object:
    try:
        content: object = json.loads(body)
    except ValueError as error:
        raise TransportFault("no completion", _excerpt(body), answered=True) from error
    except RecursionError as error:
        raise TransportFault("no completion", "JSON nested too deeply", answered=True) from error
    return content


def _tokens(usage: object) -> tuple[int | None, int | None]:
    held = usage if isinstance(usage, Mapping) else {}
    counts = (held.get("prompt_tokens"), held.get("completion_tokens"))
    first, second = (count if isinstance(count, int) else None for count in counts)
    return first, second


def _kept(text: str) -> str:
    """Return what can be stored of a text: JSON may hold half a character, UTF-8 may not."""
    return text[:MAX_RAW_CHARACTERS].encode(errors="backslashreplace").decode()


def _excerpt(body: bytes) -> str:
    return " ".join(body[:2_000].decode(errors="replace").split())[:200]
