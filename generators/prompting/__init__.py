"""What a model is asked for one plan: system prompt, user prompt and the schema of its reply.

Pure: a request is a function of the plan, the word lists and the prompts' data. Knows nothing of
servers, of sampling or of what becomes of a reply, which is for `generators.drafts`.
"""

from generators.prompting.requests import (
    ChatRequest,
    PromptStyle,
    chat_request,
    prompt_checksum,
)

__all__ = ["ChatRequest", "PromptStyle", "chat_request", "prompt_checksum"]
