"""The connection to the server: openai's client on aiohttp, its faults converted.

The key comes from the environment; it is stored nowhere and cut out of every message. Knows HTTP;
not what a request asks, or whether it is made again.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

import httpx2
from openai import AsyncOpenAI, DefaultAioHttpClient, OpenAIError

from artifacts.errors import ServerRefusedError, SettingsError
from artifacts.settings import LlmSettings
from flows.llm.faults import LOWER_ERRORS, TransportFault, convert
from flows.llm.messages import Reply
from flows.llm.replies import read_reply
from flows.settings import KEY_VARIABLE

#: Where the key may be, the first that is set.
KEY_VARIABLES = (KEY_VARIABLE, "OPENAI_API_KEY")
#: What a server that asks for no key gets.
_NO_KEY = "none"
_CONNECT_SECONDS = 10.0
_JSON = {"Content-Type": "application/json"}


class Asks(Protocol):
    """Answers requests."""

    async def complete(self, payload: bytes) -> Reply:
        """Return the reply to a request; raises TransportFault or ServerRefusedError."""
        ...

    async def models(self) -> list[Mapping[str, object]]:
        """Return what the server says of its models; raises likewise."""
        ...


@dataclass(frozen=True, slots=True)
class Client:
    """A server, connected."""

    _openai: AsyncOpenAI
    _timeout_seconds: float
    _key: str

    async def complete(self, payload: bytes) -> Reply:
        """Return the reply to a request; raises TransportFault or ServerRefusedError.

        The body is ours and the answer's is read by us: building openai's objects would cost more
        than the request, and would not say that a page of HTML is no completion.
        """
        return read_reply(await self._call("post", "/chat/completions", payload))

    async def models(self) -> list[Mapping[str, object]]:
        """Return what the server says of its models."""
        body = await self._call("get", "/models")
        try:
            content = json.loads(body)
        except ValueError:
            return []
        listed = content.get("data") if isinstance(content, dict) else None
        return [entry for entry in listed or [] if isinstance(entry, dict)]

    async def _call(self, method: str, path: str, payload: bytes | None = None) -> bytes:
        try:
            async with asyncio.timeout(self._timeout_seconds):
                if method == "get":
                    response = await self._openai.get(path, cast_to=httpx2.Response)
                else:
                    response = await self._openai.post(
                        path,
                        cast_to=httpx2.Response,
                        content=payload,
                        options={"headers": _JSON},
                    )
                return response.content
        except (OpenAIError, *LOWER_ERRORS) as error:
            raise self._without_key(convert(error, datetime.now(UTC))) from None

    def _without_key(
        self, fault: TransportFault | ServerRefusedError
    ) -> TransportFault | ServerRefusedError:
        """Cut the key out of the server's words: some servers repeat it."""
        if self._key != _NO_KEY:
            fault.args = tuple(str(arg).replace(self._key, "…") for arg in fault.args)
        return fault


@asynccontextmanager
async def connected(llm: LlmSettings) -> AsyncIterator[Client]:
    """Yield a client for the server that the settings name.

    Raises SettingsError where its address or the key can't be sent.
    """
    key = _read_key()
    # Fewer connections than requests would make requests wait, and then time out, in the client.
    limits = httpx2.Limits(
        max_connections=llm.concurrency + 1, max_keepalive_connections=llm.concurrency + 1
    )
    timeout = httpx2.Timeout(llm.timeout_seconds, connect=_CONNECT_SECONDS)
    http = DefaultAioHttpClient(limits=limits, timeout=timeout)
    try:
        client = AsyncOpenAI(
            base_url=llm.base_url, api_key=key, max_retries=0, timeout=timeout, http_client=http
        )
    except httpx2.InvalidURL as error:
        raise SettingsError(
            f"dataset.llm.base_url: expected an address like http://127.0.0.1:8000/v1, found "
            f"{llm.base_url!r}: {error}"
        ) from error
    async with client:
        yield Client(client, llm.timeout_seconds, key)


def _read_key() -> str:
    """Return the key; raises SettingsError, which doesn't show it, where it can't be sent."""
    name = next((name for name in KEY_VARIABLES if os.environ.get(name)), None)
    if name is None:
        return _NO_KEY
    key = os.environ[name]
    if key.isascii() and key.isprintable() and " " not in key:
        return key
    raise SettingsError(
        f"environment variable {name}: expected a key of printable ASCII characters without "
        "blanks, found others in it: set it anew"
    )
