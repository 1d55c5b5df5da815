"""Plans, word lists and requests for the tests of prompts, and what a schema accepts."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from artifacts.plans import Pair, Plan, Range
from generators.constructions import CONSTRUCTIONS
from generators.hints import Hints
from generators.planning import Planner, PlanWords
from generators.prompting import ChatRequest, PromptStyle, chat_request
from tests.validators.samples import SAMPLES
from validators.ledger import Ledger
from vocab.contexts import load_contexts
from vocab.dataset_words import load_word_bank
from vocab.phrases import load_openers, load_registers

STYLES: tuple[PromptStyle, ...] = ("free", "given", "bare")
CASES = [(name, style) for name in CONSTRUCTIONS for style in STYLES]
HINTS = Hints(
    suggestions={"color": ("teal", "jade", "cyan"), "size": ("tiny", "huge"), "age": ("old",)},
    avoid=("lamp", "jade", "ring", "old"),
    ban=("blue", "red", "lamp"),
)


@cache
def plan_words() -> PlanWords:
    registers, openers = tuple(load_registers()), tuple(load_openers())
    return PlanWords(load_word_bank(), load_contexts(), registers, openers)


def planner(name: str, *, chooses_words: bool = True, seed: int = 3) -> Planner:
    construction = CONSTRUCTIONS[name]
    return Planner(
        construction, plan_words(), seed, counterbalance=True, chooses_words=chooses_words
    )


def planned(name: str, style: PromptStyle, count: int) -> list[Plan]:
    made, ledger = planner(name, chooses_words=style != "free"), Ledger(4)
    return [made.plan(attempt, ledger) for attempt in range(count)]


def ask(plan: Plan, style: PromptStyle, hints: Hints | None = HINTS) -> ChatRequest:
    return chat_request(plan, CONSTRUCTIONS[plan.construction], hints, style)


def golden_plan(name: str) -> Plan:
    sample, construction = SAMPLES[name], CONSTRUCTIONS[name]
    pairs = tuple(
        Pair(tuple(pair.attributes), pair.object) for pair in sample.draft.pairs
    )  # in text order
    side = (Pair(("blue",), "parasol"),) if construction.takes_distractors else ()
    return replace(
        sample.plan,
        scene="on the porch of a bungalow",
        time="around noon",
        opener="adverb",
        band=Range(16, 22),
        window=Range(3, 6),
        pairs=pairs,
        distractors=side,
        distractor_count=len(side),
    )


def parts_of(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield a schema and every schema in it."""
    yield schema
    for part in (*schema.get("properties", {}).values(), *filter(None, [schema.get("items")])):
        yield from parts_of(part)


def fits(schema: Any, value: object) -> bool:
    """Whether a value meets a schema of the keywords that ours use."""
    match schema["type"], value:
        case "string", str():
            return len(value) in range(schema["minLength"], schema["maxLength"] + 1)
        case "array", list():
            few = len(value) in range(schema["minItems"], schema["maxItems"] + 1)
            return few and all(fits(schema["items"], item) for item in value)
        case "object", dict():
            parts = schema["properties"]
            return value.keys() == parts.keys() and all(
                fits(parts[key], value[key]) for key in value
            )
    return False
