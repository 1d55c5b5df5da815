"""What a model's server says of a request that it doesn't answer: its words, and how long to wait.

For whoever asks one, the writer's client and the embedder's. Knows no client.
"""

import email.utils
import math
from collections.abc import Mapping
from datetime import UTC, datetime

#: Characters of a server's own words that are told.
MOST_CHARACTERS = 500


def words_of_server(body: object) -> str:
    """Return what an error body says, as short as it can be told."""
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        if isinstance(inner, Mapping):
            inner = inner.get("message") or inner.get("detail") or inner
        body = inner
    return " ".join(str(body or "").split())[:MOST_CHARACTERS]


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return how many seconds `Retry-After` asks to wait: it holds seconds or a date.

    None where it holds neither, or no number of seconds that ever ends.
    """
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        pass
    else:
        return max(0.0, seconds) if math.isfinite(seconds) else None
    try:
        until = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (until.replace(tzinfo=until.tzinfo or UTC) - now).total_seconds())
