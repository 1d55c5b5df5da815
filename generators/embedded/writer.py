"""The embedded writer: satisfies `artifacts.plans.Writer` with a grammar.

Writes, measures what it wrote, and writes again where a length or a repeated word is wrong; after
the last try it returns the nearest, for every plan gets a text. Knows nothing of the validators.
"""

import json
from random import Random

from artifacts.plans import Pair, Plan
from artifacts.words import words_of
from generators.constructions import CONSTRUCTIONS
from generators.constructions.base import Construction
from generators.embedded.framing import compose, write_lead
from generators.embedded.lexicon import Lexicon, load_lexicon
from generators.embedded.pen import Pen, core_words

_TRIES = 8
#: Words beyond the target that a lead may not take from articles, head and end of the sentence.
_FRAME_WORDS = 5


class EmbeddedWriter:
    """Realises plans as English; a text is a function of its plan alone."""

    name = "embedded"
    model = "grammar-1"
    repeats_itself = True

    def __init__(self) -> None:
        self._lexicon: Lexicon = load_lexicon()

    def write(self, plan: Plan) -> str:
        """Return the raw draft for `plan`: the JSON text of a `Draft`."""
        rng = Random(plan.seed)
        best, least = "", 1_000_000
        for attempt in range(_TRIES):
            text, distance_miss = _write_once(Pen(plan, self._lexicon, rng, attempt))
            miss = distance_miss + _miss(plan, text)
            if miss < least:
                best, least = text, miss
            if not miss:
                break
        draft = {
            "pairs": [_as_json(pair) for pair in plan.pairs],
            "distractors": [_as_json(pair) for pair in plan.distractors],
            "positive": best,
        }
        return json.dumps(draft, ensure_ascii=False)


def _write_once(pen: Pen) -> tuple[str, int]:
    """Return one text and by how many words its distance misses the window."""
    construction = CONSTRUCTIONS[pen.plan.construction]
    write_lead(pen, _pending(construction, pen.plan))
    sentence = construction.realise(pen)
    window, distance = pen.plan.window, sentence.distance
    miss = max(window.low - distance, distance - window.high, 0)
    return compose(pen, sentence.text, sentence.closed), miss


def _pending(construction: Construction, plan: Plan) -> int:
    """Return the words that must follow the lead."""
    return construction.core_words + construction.gaps * plan.window.low + _FRAME_WORDS


def _miss(plan: Plan, text: str) -> int:
    """Return by how many words the length misses, and how many words repeat a core word."""
    words = words_of(text.casefold())
    low, high = plan.band
    length = max(low - 1 - len(words), len(words) - high - 4, 0)
    cores = set(core_words(plan))
    return length + abs(sum(map(cores.__contains__, words)) - len(cores))


def _as_json(pair: Pair) -> dict[str, object]:
    return {"attributes": list(pair.attributes), "object": pair.object}
