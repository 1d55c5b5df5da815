"""What fills the placeholders of a prompt: the draws of a plan, and the ledger's word lists.

A field without a value is None, and the lines that need it are left out. Knows plans and hints;
the wording around them is data.
"""

from collections.abc import Iterator
from string import Template

from artifacts.articles import indefinite
from artifacts.plans import Pair, Plan
from artifacts.seeds import derive_random
from artifacts.words import words_of
from generators.hints import Hints
from vocab.phrases import load_openers, load_registers
from vocab.prompts import ConstructionPrompt, PromptLimits

Fields = dict[str, str | None]

#: With its article, so that a small model can copy it as it stands.
_SIDE_PAIR = "$article $attributes $object"


def plan_fields(plan: Plan, prompt: ConstructionPrompt) -> Fields:
    """Return the fields that a plan fills."""
    pairs = [_phrase(prompt.pair, pair) for pair in plan.pairs]
    side_pairs = [_phrase(_SIDE_PAIR, pair) for pair in plan.distractors]
    return {
        "setting": ", ".join(filter(None, (plan.scene, plan.time, plan.weather))),
        "register": plan.register,
        # No colon: "caption:" is a label that the rule on leaked prompts looks for.
        "register_description": load_registers()[plan.register].description.replace(":", ","),
        "opener": plan.opener,
        "opener_description": load_openers()[plan.opener].description,
        "low": str(plan.band.low),
        "high": str(plan.band.high),
        "near": str(plan.window.low),
        "far": str(plan.window.high),
        "order": _order(plan, prompt),
        "side_count": None if prompt.side is None else str(plan.distractor_count),
        "pairs": "; ".join(pairs) or None,
        "side_pairs": "; ".join(side_pairs) or None,
        "all_pairs": "; ".join(pairs + side_pairs) or None,
    }


def word_fields(plan: Plan, hints: Hints | None, limits: PromptLimits) -> Fields:
    """Return the fields that the word lists fill; none of them without hints."""
    if hints is None:
        return {"suggestions": None, "avoid": None, "ban": None}
    banned = list_banned(plan, hints, limits.ban)
    barred = {*banned, *hints.ban}
    avoid = [word for word in hints.avoid if word not in barred][: limits.avoid]
    return {
        "suggestions": "\n".join(_suggest(hints, limits.suggestions)) or None,
        "avoid": ", ".join(avoid) or None,
        "ban": ", ".join(banned) or None,
    }


def list_banned(plan: Plan, hints: Hints, longest: int) -> list[str]:
    """Return the banned words that a prompt names, each once, at most `longest`.

    First those that are among the recent and the frequent words, for a model reaches for these
    again; the rest in an order that the plan's seed draws, so that each is named now and then.
    """
    banned = dict.fromkeys(hints.ban)
    likely = [word for word in hints.avoid if word in banned]
    others = [word for word in banned if word not in set(likely)]
    derive_random(plan.seed, "ban").shuffle(others)
    return [*likely, *others][:longest]


def _suggest(hints: Hints, longest: int) -> Iterator[str]:
    """Yield one line per family, without what the prompt asks to avoid."""
    avoided = set(hints.avoid)
    for family, words in hints.suggestions.items():
        free = [word for word in words if word not in avoided][:longest]
        if free:
            yield f"{family}: {', '.join(free)}"


def _order(plan: Plan, prompt: ConstructionPrompt) -> str | None:
    if prompt.order is None or plan.described_first is None:
        return None
    return prompt.order[plan.described_first]


def _phrase(pattern: str, pair: Pair) -> str:
    attributes = " ".join(pair.attributes)
    fields = {"article": indefinite(words_of(attributes)[0]), "attributes": attributes}
    return Template(pattern).substitute(fields, object=pair.object)
