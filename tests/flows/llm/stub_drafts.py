"""What a well-behaved model would write: reads a prompt of ours and has the grammar answer it.

The prompt is all it has, as for a model; so a prompt that leaves something out is noticed.
"""

import json
import re
from functools import cache
from hashlib import blake2b

from artifacts.plans import Pair, Plan, Range
from artifacts.settings import DatasetSettings
from flows.stages.dataset_words import load_words
from generators.constructions import CONSTRUCTIONS
from generators.constructions.base import Construction
from generators.embedded.writer import EmbeddedWriter
from generators.planning import Planner
from generators.prompting import PromptStyle, chat_request
from validators.ledger import Ledger

_ARTICLE = re.compile(r"^(an?|the) ", re.IGNORECASE)
_NUMBERS = re.compile(r"(\d+) to (\d+)")


def write_reply(schema_name: str, user: str) -> str:
    """Return the reply to a user prompt; the schema's name says construction and style."""
    name, _, style = schema_name.rpartition("_")
    seed = int.from_bytes(blake2b(user.encode(), digest_size=6).digest(), "big")
    plan = _plan(CONSTRUCTIONS[name], _fields(user), seed, style)
    draft = json.loads(_writer().write(plan))
    if style == "given":
        return json.dumps({"positive": draft["positive"]}, ensure_ascii=False)
    kept = {key: value for key, value in draft.items() if value}
    return json.dumps(kept, ensure_ascii=False)


def schema_name_of(system: str) -> str:
    """Return the name of the schema that goes with a system prompt."""
    return _names_by_system_prompt()[system]


@cache
def _names_by_system_prompt() -> dict[str, str]:
    styles: tuple[PromptStyle, ...] = ("free", "given")
    requests = [
        chat_request(_planner(name).plan(0, Ledger(1)), construction, None, style)
        for name, construction in CONSTRUCTIONS.items()
        for style in styles
    ]
    return {request.system: request.schema_name for request in requests}


def _plan(construction: Construction, fields: dict[str, str], seed: int, style: str) -> Plan:
    """Return the plan that a prompt tells, or, where it leaves the words open, one of its kind."""
    drawn = _planner(construction.name).plan(seed, Ledger(1))
    if style == "given":
        pairs = [_pair(told, construction) for told in fields["Say"].split("; ")]
        also = fields.get("Also mention", "")
        distractors = [_phrase(told, 1) for told in also.split("; ") if told]
    else:
        pairs, distractors = list(drawn.pairs), list(drawn.distractors)
    order = fields.get("Order", "")
    return Plan(
        construction=construction.name,
        attempt=0,
        seed=seed,
        scene=fields["Setting"],
        time=None,
        weather=None,
        register=fields.get("Kind of text", drawn.register).split(" (")[0],
        opener=fields.get("Opening", drawn.opener).split(" (")[0],
        band=_range(fields["Length"]),
        window=_range(fields["Distance"]),
        pairs=tuple(pairs),
        distractors=tuple(distractors),
        distractor_count=len(distractors),
        kept_pair=drawn.kept_pair,
        swapped_slot=drawn.swapped_slot,
        described_first=None if drawn.described_first is None else int("second before" in order),
        direction=drawn.direction,
        orbit_draw=None,
        query_order=drawn.query_order,
    )


def _fields(user: str) -> dict[str, str]:
    lines = (line.partition(": ") for line in user.splitlines())
    return {name.strip("- "): value for name, colon, value in lines if colon}


def _pair(told: str, construction: Construction) -> Pair:
    thing, colon, attribute = _ARTICLE.sub("", told).partition(" is ")
    if colon:
        return Pair((attribute,), thing)
    return _phrase(told, construction.attributes_per_object)


def _phrase(told: str, attributes: int) -> Pair:
    *words, thing = _ARTICLE.sub("", told).split(" ", attributes)
    return Pair(tuple(words), thing)


def _range(text: str) -> Range:
    found = _NUMBERS.search(text)
    assert found, f"no range in {text!r}"
    return Range(int(found[1]), int(found[2]))


@cache
def _writer() -> EmbeddedWriter:
    return EmbeddedWriter()


@cache
def _planner(name: str) -> Planner:
    settings = DatasetSettings()
    return load_words(settings).planner(CONSTRUCTIONS[name], settings)
