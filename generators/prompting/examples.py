"""Worked examples: a construction's examples as plans with the replies that answer them.

An example goes through the same code as a request, so that the two never look different. Knows
nothing of how a prompt arranges them.
"""

import json

from artifacts.plans import Pair, Plan, Range
from generators.constructions.base import Construction
from vocab.prompts import PromptExample


def example_plan(construction: Construction, example: PromptExample) -> Plan:
    """Return the plan that an example answers; what doesn't show in a prompt is the simplest."""
    draws = construction.draws
    return Plan(
        construction=construction.name,
        attempt=0,
        seed=0,
        scene=example.scene,
        time=example.time,
        weather=example.weather,
        register=example.kind,
        opener=example.opening,
        band=Range(*example.band),
        window=Range(*example.window),
        pairs=tuple(map(_pair, example.pairs)),
        distractors=tuple(map(_pair, example.side_pairs)),
        distractor_count=len(example.side_pairs),
        kept_pair=0 if "kept_pair" in draws else None,
        swapped_slot=0 if "swapped_slot" in draws else None,
        described_first=example.described_first,
        direction=1 if "direction" in draws else None,
        orbit_draw=None,
        query_order=tuple(range(construction.objects)),
    )


def chosen_reply(example: PromptExample) -> str:
    """Return the reply of a model that chooses its words."""
    reply: dict[str, object] = {"pairs": list(map(_reported, example.pairs))}
    if example.side_pairs:
        reply["distractors"] = list(map(_reported, example.side_pairs))
    return json.dumps({**reply, "positive": example.positive}, ensure_ascii=False)


def given_reply(example: PromptExample) -> str:
    """Return the reply of a model whose pairs are given."""
    return json.dumps({"positive": example.positive}, ensure_ascii=False)


def _pair(phrase: tuple[str, ...]) -> Pair:
    return Pair(phrase[:-1], phrase[-1])


def _reported(phrase: tuple[str, ...]) -> dict[str, object]:
    return {"attributes": list(phrase[:-1]), "object": phrase[-1]}
