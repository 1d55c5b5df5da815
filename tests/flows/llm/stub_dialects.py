"""How servers word their answers: vLLM's, and llama.cpp's where it differs, as both were seen to.

Knows bodies; not when which of them is sent.
"""

from collections.abc import Mapping
from typing import Any, Protocol

_VLLM_WORDS = {
    400: "This model's maximum context length is 1024 tokens; the prompt has 2000.",
    401: "Incorrect API key provided: ",
    403: "This key may not use the model.",
    404: "The model `stub` does not exist.",
    429: "Too many requests.",
    500: "EngineCore encountered an issue.",
    503: "Loading model.",
}
#: Those that llama.cpp has: kind and words.
_LLAMA_ERRORS = {
    400: (
        "exceed_context_size_error",
        "request (3782 tokens) exceeds the available context size (1024 tokens), try increasing it",
    ),
    401: ("authentication_error", "Invalid API Key"),
    404: ("not_found_error", "File Not Found"),
    500: ("server_error", "[json.exception.parse_error.101] parse error at line 1, column 11"),
    503: ("unavailable_error", "Loading model"),
}
_LLAMA_FORMS = ("", "text", "json_object", "json_schema")
#: What every answer cost.
_USAGE = {"prompt_tokens": 400, "completion_tokens": 50, "total_tokens": 450}


class Dialect(Protocol):
    """The bodies of one kind of server."""

    def models(self, model: str, weights: str, context_tokens: int | None) -> dict[str, Any]:
        """Return the list of models, of which there is one."""
        ...

    def objection(self, body: Mapping[str, Any], model: str) -> dict[str, Any] | None:
        """Return the error that a request gets for what it asks, or None."""
        ...

    def error(self, status: int, key: str = "") -> dict[str, Any]:
        """Return the body of a failure."""
        ...

    def completion(
        self, model: str, content: str, finish: str, refusal: str | None
    ) -> dict[str, Any]:
        """Return the body of an answer."""
        ...


class Vllm:
    """vLLM, and what stands before it."""

    def models(self, model: str, weights: str, context_tokens: int | None) -> dict[str, Any]:
        entry = {"id": model, "object": "model", "root": weights, "max_model_len": context_tokens}
        return {"object": "list", "data": [entry]}

    def objection(self, body: Mapping[str, Any], model: str) -> dict[str, Any] | None:
        return None if body["model"] == model else self.error(404)

    def error(self, status: int, key: str = "") -> dict[str, Any]:
        words = _VLLM_WORDS[status] + (key if status == 401 else "")
        return {"error": {"message": words, "code": status}}

    def completion(
        self, model: str, content: str, finish: str, refusal: str | None
    ) -> dict[str, Any]:
        message = {"role": "assistant", "content": content, "refusal": refusal}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": _USAGE,
        }


class LlamaCpp:
    """llama.cpp's server: it answers to any name, and tells the rest in fields of its own."""

    def models(self, model: str, weights: str, context_tokens: int | None) -> dict[str, Any]:
        meta = {
            "vocab_type": 1,
            "n_vocab": 262_144,
            "n_ctx": context_tokens,
            "n_ctx_train": 32_768,
            "n_embd": 640,
            "n_params": 268_098_176,
            "size": 246_587_904,
            "ftype": weights,
        }
        names = [model, f"{model}-again"]
        entry = {"id": model, "aliases": names, "tags": [], "object": "model", "created": 0}
        listed = {"name": model, "model": model, "capabilities": ["completion"]}
        data = [{**entry, "owned_by": "llamacpp", "meta": meta}]
        return {"models": [listed], "object": "list", "data": data}

    def objection(self, body: Mapping[str, Any], model: str) -> dict[str, Any] | None:
        form = body.get("response_format", {}).get("type", "")
        if form in _LLAMA_FORMS:
            return None
        words = f'response_format type must be one of "text" or "json_object", but got: {form}'
        return {"error": {"code": 400, "message": words, "type": "invalid_request_error"}}

    def error(self, status: int, key: str = "") -> dict[str, Any]:
        kind, words = _LLAMA_ERRORS[status]
        error: dict[str, Any] = {"code": status, "message": words, "type": kind}
        if kind == "exceed_context_size_error":
            error |= {"n_prompt_tokens": 3782, "n_ctx": 1024}
        return {"error": error}

    def completion(
        self, model: str, content: str, finish: str, refusal: str | None
    ) -> dict[str, Any]:
        message = {"role": "assistant", "content": content}
        return {
            "choices": [{"finish_reason": finish, "index": 0, "message": message}],
            "created": 0,
            "model": model,
            "system_fingerprint": "b0-unknown",
            "object": "chat.completion",
            "usage": {**_USAGE, "prompt_tokens_details": {"cached_tokens": 0}},
            "id": "chatcmpl-1",
            "timings": {"cache_n": 0, "prompt_n": 400, "predicted_n": 50},
        }
