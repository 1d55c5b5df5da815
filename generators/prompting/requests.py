"""One chat request per plan, in one of three styles.

*free* (section B.1): the model chooses objects and attributes and writes the text. *given*: the
plan has fixed them, and the model writes only the text; short and by example, for small models.
*bare*: the same by example alone, for models that follow no instruction.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pydantic import JsonValue

from artifacts.errors import GenerationError
from artifacts.plans import Plan
from generators.constructions.base import Construction
from generators.hints import Hints
from generators.prompting.examples import chosen_reply, example_plan, given_reply
from generators.prompting.fields import Fields, plan_fields, word_fields
from generators.prompting.schemas import chosen_schema, given_schema
from vocab.phrases import load_openers, load_registers
from vocab.prompts import PromptExample, Prompts, StylePrompt, fill, load_prompts

PromptStyle = Literal["free", "given", "bare"]

_REPLIES: dict[PromptStyle, Callable[[PromptExample], str]] = {
    "free": chosen_reply,
    "given": given_reply,
    "bare": given_reply,
}


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What a model is asked, and the form in which it must answer."""

    #: The same for every plan of a construction and style, so that a prefix cache holds it.
    system: str
    #: What varies: the plan and the word lists.
    user: str
    #: JSON schema of the reply.
    schema: Mapping[str, JsonValue]
    schema_name: str


def chat_request(
    plan: Plan, construction: Construction, hints: Hints | None, style: PromptStyle
) -> ChatRequest:
    """Return the request for `plan`; `hints` serve the free style and may be left out.

    Raises GenerationError where another style gets a plan that leaves the words to the model.
    """
    if style != "free" and not plan.pairs:
        raise GenerationError(
            f"expected a plan with pairs for the {style} style, found none in attempt "
            f"{plan.attempt} of {construction.name}: let the planner choose the words"
        )
    return ChatRequest(
        system=_system(construction, style),
        user=fill(_texts(load_prompts(), style).user, _fields(plan, hints)),
        schema=_schema(plan, construction, style),
        schema_name=f"{construction.name}_{style}",
    )


@cache
def prompt_checksum(style: PromptStyle) -> str:
    """Return the checksum of all prompt data of a style: texts, examples, limits, descriptions."""
    prompts = load_prompts()
    content = {
        "version": prompts.version,
        "limits": prompts.limits.model_dump(mode="json"),
        "style": _texts(prompts, style).model_dump(mode="json"),
        "constructions": {
            name: prompt.model_dump(mode="json") for name, prompt in prompts.constructions.items()
        },
        "registers": {name: each.description for name, each in load_registers().items()},
        "openers": {name: each.description for name, each in load_openers().items()},
    }
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _system(construction: Construction, style: PromptStyle) -> str:
    prompt = load_prompts().of_construction(construction.name)
    return fill(
        _texts(load_prompts(), style).system,
        {
            "words": prompt.words,
            "structure": "\n".join(prompt.structure),
            "distance": prompt.distance,
            "side": prompt.side,
            "examples": "\n\n".join(_examples(construction, style)),
        },
    )


def _examples(construction: Construction, style: PromptStyle) -> Iterator[str]:
    texts = _texts(load_prompts(), style)
    prompt = load_prompts().of_construction(construction.name)
    for example in prompt.examples[: texts.examples]:
        fields = _fields(example_plan(construction, example), None)
        yield f"{fill(texts.example or texts.user, fields)}\n{_REPLIES[style](example)}"


def _fields(plan: Plan, hints: Hints | None) -> Fields:
    prompts = load_prompts()
    prompt = prompts.of_construction(plan.construction)
    return plan_fields(plan, prompt) | word_fields(plan, hints, prompts.limits)


def _schema(plan: Plan, construction: Construction, style: PromptStyle) -> Mapping[str, JsonValue]:
    if style == "free":
        return chosen_schema(construction, plan.distractor_count)
    return given_schema()


def _texts(prompts: Prompts, style: PromptStyle) -> StylePrompt:
    return {"free": prompts.free, "given": prompts.given, "bare": prompts.bare}[style]
