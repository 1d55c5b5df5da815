"""What can go wrong with a request, by kind; foreign exceptions are converted here and only here.

    transport   connections, timeouts, 429, 5xx, an answer that is no completion: asked again
    refused     401, 403, 404, 400, …: every request would meet the same, so the run stops
    content     a completion that is no draft: not here, it is data (`replies`)

Knows exceptions and status codes; not when a request is repeated.
"""

from datetime import datetime
from typing import Literal

import aiohttp
import httpx2
import openai
from openai._exceptions import SubjectTokenProviderError  # it has no public name

from artifacts.errors import ServerRefusedError
from artifacts.server_words import MOST_CHARACTERS, retry_after, words_of_server

Kind = Literal["transport", "refused", "content"]

#: Every class of openai's exceptions; a test fails where one is missing.
KIND_OF: dict[type[Exception], Kind] = {
    openai.OpenAIError: "refused",
    openai.APIError: "transport",
    openai.APIConnectionError: "transport",
    openai.APITimeoutError: "transport",
    openai.APIResponseValidationError: "transport",
    openai.APIStatusError: "refused",
    openai.BadRequestError: "refused",
    openai.AuthenticationError: "refused",
    openai.OAuthError: "refused",
    openai.PermissionDeniedError: "refused",
    openai.NotFoundError: "refused",
    openai.ConflictError: "transport",
    openai.UnprocessableEntityError: "refused",
    openai.RateLimitError: "transport",
    openai.InternalServerError: "transport",
    SubjectTokenProviderError: "refused",
    # Raised by helpers that are not used here, and named in case they ever are.
    openai.LengthFinishReasonError: "content",
    openai.ContentFilterFinishReasonError: "content",
    openai.InvalidWebhookSignatureError: "refused",
    openai.WebSocketConnectionClosedError: "transport",
    openai.WebSocketQueueFullError: "transport",
}
#: What the layers below openai's client may raise past it.
LOWER_ERRORS = (aiohttp.ClientError, httpx2.HTTPError, OSError, TimeoutError)

#: Status codes without a class of their own that pass by themselves: too early, too slow.
_PASSING = frozenset({408, 425})
#: Status codes that say that the server has more to do than it can.
_OVERLOADED = frozenset({429, 503})


class TransportFault(Exception):  # noqa: N818  (never leaves this package)
    """A request came to nothing for a reason that may pass."""

    def __init__(
        self,
        kind: str,
        words: str,
        *,
        is_overload: bool = False,
        answered: bool = False,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(f"{kind}: {words}" if words else kind)
        #: Short and the same for faults that are alike: "status 500", "no connection".
        self.kind = kind
        #: Whether fewer requests at a time may help.
        self.is_overload = is_overload
        #: Whether the server answered at all.
        self.answered = answered
        #: How long the server asks to wait.
        self.retry_after_seconds = retry_after_seconds


class PatienceEnded(TransportFault):
    """A request came to nothing for as long as it was to be repeated."""

    def __init__(self, why: str, fault: TransportFault) -> None:
        super().__init__(fault.kind, "", is_overload=fault.is_overload, answered=fault.answered)
        self.args = (f"{why}: {fault}",)


def convert(error: Exception, now: datetime) -> TransportFault | ServerRefusedError:
    """Return what an exception of the client means."""
    if isinstance(error, openai.APIStatusError):
        return _convert_status(error, now)
    if isinstance(error, (TimeoutError, openai.APITimeoutError)) and not _is_refused(error):
        return TransportFault("timeout", "", is_overload=True)
    if kind_of(type(error)) == "refused":
        return ServerRefusedError(f"the client refused the request: {error}")
    return TransportFault("no connection", _root(error), is_overload=True)


def kind_of(error: type[Exception]) -> Kind:
    """Return the kind of an exception class; one that nobody knows is a fault of the transport."""
    return next((KIND_OF[base] for base in error.__mro__ if base in KIND_OF), "transport")


def _convert_status(
    error: openai.APIStatusError, now: datetime
) -> TransportFault | ServerRefusedError:
    status, words = error.status_code, words_of_server(error.body or error.response.text)
    if status >= 500 or status in _PASSING or kind_of(type(error)) == "transport":
        return TransportFault(
            f"status {status}",
            words,
            is_overload=status in _OVERLOADED,
            answered=True,
            retry_after_seconds=retry_after(error.response.headers, now),
        )
    told = f"the server refused a request with status {status}: {words}"
    return ServerRefusedError(told, status)


def _is_refused(error: BaseException) -> bool:
    """Whether no connection came about: aiohttp's transport calls that a timeout too."""
    return any(
        isinstance(cause, (OSError, aiohttp.ClientConnectionError))
        and not isinstance(cause, TimeoutError)
        for cause in _causes(error)
    )


def _causes(error: BaseException) -> list[BaseException]:
    causes = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) and cause not in causes:
        causes.append(cause)
    return causes


def _root(error: BaseException) -> str:
    told = [str(cause) for cause in _causes(error) if str(cause)]
    return (told[-1] if told else type(error).__name__)[:MOST_CHARACTERS]
