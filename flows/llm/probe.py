"""Whether the server can do what the run needs, found out before anything starts.

Asks what models there are and makes one real request: a wrong model, a schema that isn't kept to
and a context too small are told in one line, not by a thousand rejections.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from artifacts.errors import ServerError, ServerFailedError, ServerRefusedError
from artifacts.settings import LlmSettings
from flows.llm.client import Asks
from flows.llm.faults import TransportFault
from flows.llm.messages import Reply
from flows.llm.timing import Timing

#: Replies to look at before a server counts as one that ignores schemas.
_REPLIES = 3
_NOT_FOUND = 404
#: Status codes of a server that has no list of models.
_NO_LIST = (_NOT_FOUND, 405)
#: Faults of the transport that the probe passes over.
_TRIES = 4
#: Words that a prompt may have beyond the first one, once words are avoided and banned: in tokens.
_GROWTH_TOKENS = {"free": 600, "given": 40, "bare": 40}
#: What an entry of the list of models says of its weights: vLLM, and llama.cpp in `meta`.
_WEIGHTS = ("root", "parent")
_IN_META = ("n_params", "size", "ftype")


@dataclass(frozen=True, slots=True)
class Served:
    """What the server says of the model."""

    #: Tells one set of weights from another, as far as the server does.
    revision: str
    #: The most tokens of prompt and reply together, where it is known.
    context_tokens: int | None
    #: What it answered to the probe; paid for like any other reply.
    replies: tuple[Reply, ...] = field(default=(), compare=False)


async def probe(client: Asks, llm: LlmSettings, payload: bytes, timing: Timing) -> Served:
    """Return what the server says of the model.

    Raises ServerRefusedError where it cannot do what is needed, ServerFailedError where it cannot
    be reached.
    """
    served = await _look_up(client, llm, timing)
    replies = [await _reply(client, llm, payload, timing)]
    while not _keeps_schema(replies[-1], payload) and len(replies) < _REPLIES:
        replies.append(await _reply(client, llm, payload, timing))
    if not _keeps_schema(replies[-1], payload):
        raise ServerRefusedError(
            f"{llm.base_url}: expected replies that keep to the JSON schema, found "
            f"{replies[-1].raw[:200]!r}: use a server with structured output, or set "
            "dataset.llm.schema_form to the form that it takes"
        )
    _require_counts(llm, replies[-1])
    _require_context(served, llm, replies[-1])
    return replace(served, replies=tuple(replies))


async def _look_up(client: Asks, llm: LlmSettings, timing: Timing) -> Served:
    """Find the model among those that the server lists; one that lists none is believed."""
    entries: list[Mapping[str, object]] = []
    for attempt in range(_TRIES):
        try:
            entries = await client.models()
            break
        except TransportFault as fault:
            await _pause(fault, attempt, llm, timing)
        except ServerRefusedError as error:
            if error.status in _NO_LIST:
                break
            raise _refused(error, llm) from error
    names = [name for entry in entries for name in _names(entry)]
    if names and llm.model not in names:
        raise ServerRefusedError(
            f"{llm.base_url}: expected the model {llm.model!r}, found {', '.join(names)}: correct "
            "dataset.llm.model, or serve it"
        )
    return _served(next((entry for entry in entries if llm.model in _names(entry)), {}))


def _names(entry: Mapping[str, object]) -> list[str]:
    """Return what a model of the list goes by: llama.cpp lists its other names within."""
    others = entry.get("aliases")
    names = [entry.get("id"), *(others if isinstance(others, list) else ())]
    return list(dict.fromkeys(str(name) for name in names))


def _served(entry: Mapping[str, object]) -> Served:
    """Return what an entry of the list says, vLLM's or, in `meta`, llama.cpp's.

    `created` says nothing: both put the time of the question there.
    """
    told = entry.get("meta")
    meta: Mapping[str, object] = told if isinstance(told, Mapping) else {}
    context = entry.get("max_model_len", meta.get("n_ctx"))
    weights = {key: entry.get(key) for key in _WEIGHTS} | {key: meta.get(key) for key in _IN_META}
    revision = {key: value for key, value in weights.items() if value}
    return Served(
        json.dumps(revision, sort_keys=True) if revision else "",
        context if isinstance(context, int) else None,
    )


async def _reply(client: Asks, llm: LlmSettings, payload: bytes, timing: Timing) -> Reply:
    for attempt in range(_TRIES):
        try:
            return await client.complete(payload)
        except TransportFault as fault:
            if attempt + 1 == _TRIES and fault.answered and await _answers_freely(client, payload):
                raise ServerRefusedError(
                    f"{llm.base_url}: expected JSON by schema, found {fault}, and text without "
                    "one: set dataset.llm.schema_form to the form that the server takes"
                ) from fault
            await _pause(fault, attempt, llm, timing)
        except ServerRefusedError as error:
            raise _refused(error, llm) from error
    raise AssertionError("unreachable: the last pause raises")


async def _answers_freely(client: Asks, payload: bytes) -> bool:
    """Whether the same request without a schema gets a reply."""
    body = json.loads(payload)
    del body["response_format"]
    try:
        await client.complete(json.dumps(body).encode())
    except (TransportFault, ServerRefusedError):
        return False
    return True


async def _pause(fault: TransportFault, attempt: int, llm: LlmSettings, timing: Timing) -> None:
    if attempt + 1 == _TRIES:
        raise ServerFailedError(
            f"{llm.base_url}: expected an OpenAI-compatible server, found {fault}; start it, or "
            "correct dataset.llm.base_url"
        ) from fault
    seconds = 0.5 * 2**attempt
    await timing.sleep(min(fault.retry_after_seconds or seconds, 10.0))


def _refused(error: ServerRefusedError, llm: LlmSettings) -> ServerError:
    told = f"{llm.base_url}: {error}"
    if error.status == _NOT_FOUND and urlsplit(llm.base_url).path in ("", "/"):
        told += (
            "; does the address end in /v1? expected one like http://127.0.0.1:8000/v1 in "
            "--server or dataset.llm.base_url"
        )
    return ServerRefusedError(told, error.status)


def _keeps_schema(reply: Reply, payload: bytes) -> bool:
    """Whether a reply has the fields that the schema requires; one cut short had begun them."""
    if reply.finish == "length":
        return reply.raw.lstrip().startswith("{")
    try:
        content = json.loads(reply.raw)
    except ValueError:
        return False
    return isinstance(content, dict) and content.keys() >= set(_required(payload))


def _required(payload: bytes) -> list[str]:
    form = json.loads(payload)["response_format"]
    schema = form["schema"] if "schema" in form else form["json_schema"]["schema"]
    required: list[str] = schema["required"]
    return required


def _require_counts(llm: LlmSettings, reply: Reply) -> None:
    """A budget that nothing is counted against would be none, and a price would come to 0."""
    wanted = ("budget_tokens", "price_in", "price_out")
    needing = [f"dataset.llm.{name}" for name in wanted if getattr(llm, name) is not None]
    if needing and None in (reply.tokens_in, reply.tokens_out):
        raise ServerRefusedError(
            f"{llm.base_url}: expected replies that say how many tokens they took (`usage`), since "
            f"{' and '.join(needing)} need it, found none: leave these out, or use a server that "
            "counts; dataset.budget_attempts bounds a run on any"
        )


def _require_context(served: Served, llm: LlmSettings, reply: Reply) -> None:
    if served.context_tokens is None or reply.tokens_in is None:
        return
    needed = reply.tokens_in + _GROWTH_TOKENS[llm.style] + llm.max_tokens
    if needed > served.context_tokens:
        raise ServerRefusedError(
            f"{llm.base_url}: expected a context of at least {needed:,} tokens (a prompt of "
            f"{reply.tokens_in:,} that may grow by {_GROWTH_TOKENS[llm.style]}, a reply of "
            f"{llm.max_tokens:,}), found {served.context_tokens:,}: serve the model with a longer "
            "one, or lower dataset.llm.max_tokens"
        )
