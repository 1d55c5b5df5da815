"""What is sent for one attempt, as bytes, and the checksum under which its draft is kept.

The payload is the whole request: prompts, schema, sampling, model. Together with what the server
says of the model it identifies a draft. Knows nothing of connections.
"""

import hashlib
import json
from collections.abc import Mapping

from pydantic import JsonValue

from artifacts.ledger_view import LedgerView
from artifacts.plans import Plan
from artifacts.seeds import derive_random
from artifacts.settings import LlmSettings
from flows.stages.stream import PlansAttempts
from generators.constructions.base import Construction
from generators.hints import hints
from generators.prompting import ChatRequest, chat_request
from vocab.dataset_words import WordBank

#: Servers take seeds of 31 bits; OpenAI's and vLLM's take more, others don't.
_SEEDS = 2**31


def encode_request(request: ChatRequest, llm: LlmSettings, seed: int) -> bytes:
    """Return the body of a request; equal requests give equal bytes.

    The system prompt comes first and is the same for every attempt of a construction, so that a
    server's prefix cache holds it.
    """
    body: dict[str, object] = {
        "model": llm.model,
        "messages": [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.user},
        ],
        "response_format": _response_format(request.schema_name, request.schema, llm.schema_form),
        "max_tokens": llm.max_tokens,
        "temperature": llm.temperature,
    }
    optional = {"top_p": llm.top_p, "top_k": llm.top_k, "seed": seed if llm.seeded else None}
    body |= {name: value for name, value in optional.items() if value is not None}
    body |= llm.extra_body
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def request_checksum(payload: bytes, served: str) -> str:
    """Return the checksum of a request to the model that the server describes as `served`."""
    digest = hashlib.sha256(served.encode())
    digest.update(b"\0")
    digest.update(payload)
    return digest.hexdigest()


class RequestPlanner:
    """Plans attempts and writes the request of each, both against the same ledger."""

    def __init__(
        self, planner: PlansAttempts, construction: Construction, bank: WordBank, llm: LlmSettings
    ) -> None:
        self._planner = planner
        self._construction = construction
        self._bank = bank
        self._llm = llm
        self._payloads: dict[int, bytes] = {}

    def plan(self, attempt: int, view: LedgerView) -> Plan:
        """Return the plan of an attempt; its request waits for `take_payload`."""
        plan = self._planner.plan(attempt, view)
        request = self.request(plan, view)
        self._payloads[attempt] = encode_request(request, self._llm, plan.seed % _SEEDS)
        return plan

    def request(self, plan: Plan, view: LedgerView) -> ChatRequest:
        """Return what a model is asked for a plan; only the free style tells it of other words."""
        is_free = self._llm.style == "free"
        told = hints(view, self._bank, derive_random(plan.seed, "hints")) if is_free else None
        return chat_request(plan, self._construction, told, self._llm.style)

    def take_payload(self, attempt: int) -> bytes:
        """Return and forget the request of an attempt that has been planned."""
        return self._payloads.pop(attempt)


def _response_format(name: str, schema: Mapping[str, JsonValue], form: str) -> dict[str, object]:
    if form == "llama":
        return {"type": "json_object", "schema": dict(schema)}
    described = {"name": name, "schema": dict(schema), "strict": True}
    return {"type": "json_schema", "json_schema": described}
