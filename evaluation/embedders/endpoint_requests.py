"""Requests to an embeddings endpoint: made again while it may help, refused in the server's words.

    passing    connections, timeouts, 429, 5xx, a broken body: asked again, within a budget
    refused    400, 401, 403, 404, …: every request would meet the same, so the run stops

Knows HTTP and openai's exceptions; not what the vectors are for.
"""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from artifacts.errors import ServerFailedError, ServerRefusedError
from artifacts.server_words import retry_after, words_of_server
from evaluation.embedders.endpoint_replies import MalformedReply, read_reply

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

#: Status codes that pass by themselves: timeout, conflict, too early, too many requests.
_PASSING = frozenset({408, 409, 425, 429})
#: What a server that asks for no key gets.
NO_KEY = "none"
#: A 429 that does not pass.
_SPENT = "insufficient_quota"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long and how often a request is tried."""

    #: For one attempt, from its start to the end of the reply.
    timeout_seconds: float = 120.0
    attempts: int = 8
    first_wait_seconds: float = 1.0
    longest_wait_seconds: float = 30.0
    #: What one request may wait between its attempts, all together.
    budget_seconds: float = 300.0
    #: Requests in flight.
    concurrency: int = 8


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where embeddings are, of which model; the key is kept out of every text."""

    base_url: str
    model: str
    key: str

    def __repr__(self) -> str:
        return f"Endpoint({self.base_url!r}, {self.model!r})"


class _Passing(Exception):  # noqa: N818  (never leaves this module)
    """An attempt came to nothing for a reason that may pass."""

    def __init__(self, words: str, wait_seconds: float | None = None) -> None:
        super().__init__(words)
        self.wait_seconds = wait_seconds


async def ask_all(
    endpoint: Endpoint, requests: Sequence[Sequence[str]], patience: Patience
) -> list[NDArray[np.float32]]:
    """Return the vectors for each list of texts, in order."""
    import httpx2
    from openai import AsyncOpenAI

    slots = asyncio.Semaphore(patience.concurrency)
    timeout = httpx2.Timeout(patience.timeout_seconds, connect=10.0)
    async with AsyncOpenAI(
        base_url=endpoint.base_url, api_key=endpoint.key, max_retries=0, timeout=timeout
    ) as client:
        tasks = [
            asyncio.create_task(_ask(client, endpoint, texts, patience, slots))
            for texts in requests
        ]
        try:
            return await asyncio.gather(*tasks)
        finally:
            # After the first failure the others would be asked in vain.
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _ask(
    client: "AsyncOpenAI",
    endpoint: Endpoint,
    texts: Sequence[str],
    patience: Patience,
    slots: asyncio.Semaphore,
) -> NDArray[np.float32]:
    """Return the vectors of some texts; the slot is free while it waits to try again."""
    attempt, waited = 0, 0.0
    while True:
        attempt += 1
        try:
            async with slots:
                return await _try(client, endpoint, texts, patience.timeout_seconds)
        except _Passing as fault:
            wait = _wait_seconds(fault, attempt, patience)
            if attempt == patience.attempts or waited + wait > patience.budget_seconds:
                asked = f", which asks to wait {wait:.0f} s" if fault.wait_seconds else ""
                raise ServerFailedError(
                    f"{endpoint.base_url} kept failing: {attempt} attempts, {waited:.0f} s of "
                    f"waiting; the last: {fault}{asked}; what was embedded is kept in the cache"
                ) from None
        await asyncio.sleep(wait)
        waited += wait


def _wait_seconds(fault: _Passing, attempt: int, patience: Patience) -> float:
    """Return what the server asks for, or twice as long each time, with jitter."""
    if fault.wait_seconds is not None:
        return fault.wait_seconds
    longest = min(patience.longest_wait_seconds, patience.first_wait_seconds * 2.0 ** (attempt - 1))
    return longest * random.uniform(0.5, 1.0)


async def _try(
    client: "AsyncOpenAI", endpoint: Endpoint, texts: Sequence[str], timeout_seconds: float
) -> NDArray[np.float32]:
    import httpx2
    import openai

    # Asked for in base64, which is a third of the numbers in decimals; either is understood.
    body = {"model": endpoint.model, "input": list(texts), "encoding_format": "base64"}
    try:
        async with asyncio.timeout(timeout_seconds):
            response = await client.post("/embeddings", cast_to=httpx2.Response, body=body)
        return read_reply(response.content, len(texts))
    except MalformedReply as error:
        raise _Passing(f"the reply is {_without_key(str(error), endpoint)}") from None
    except openai.APIStatusError as error:
        raise _of_status(error, endpoint) from None
    except (TimeoutError, openai.APITimeoutError):
        raise _Passing(f"no reply within {timeout_seconds:.0f} s") from None
    except (openai.APIConnectionError, httpx2.HTTPError, OSError) as error:
        raise _Passing(f"no connection: {_without_key(_root(error), endpoint)}") from None
    except openai.OpenAIError as error:
        raise ServerRefusedError(
            f"the client refused the request: {_without_key(str(error), endpoint)}"
        ) from None


def _of_status(error: "APIStatusError", endpoint: Endpoint) -> _Passing | ServerRefusedError:
    words = _without_key(words_of_server(error.body or error.response.text), endpoint)
    status = int(error.status_code)
    is_spent = status == 429 and error.code == _SPENT
    if (status >= 500 or status in _PASSING) and not is_spent:
        headers = error.response.headers
        return _Passing(f"status {status}: {words}", retry_after(headers, datetime.now(UTC)))
    return ServerRefusedError(
        f"{endpoint.base_url} refused to embed with {endpoint.model!r}, status {status}: {words}; "
        "see to base_url, the model's name and SABER_EMBEDDING_KEY"
    )


def _root(error: BaseException) -> str:
    """Return the words of the first cause, which says more than the client's "connection error"."""
    words = str(error)
    while error.__cause__ is not None:
        error = error.__cause__
        words = str(error) or words
    return " ".join(words.split())[:300]


def _without_key(words: str, endpoint: Endpoint) -> str:
    """Cut the key out of a server's words: some servers repeat it."""
    return words.replace(endpoint.key, "…") if endpoint.key != NO_KEY else words
