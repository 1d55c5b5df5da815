"""Sentences in which every attribute directly precedes its object.

Serves pair_swap, attr_bundle and both triples: two or three core phrases in a chain, each gap as
long as the window asks. Knows nothing of what moves in the negatives.
"""

from artifacts.plans import Range
from generators.embedded.chain import begin_freely, finish, join, shortest_end
from generators.embedded.framing import settle
from generators.embedded.joints import AFTER_MORE, BEFORE_MORE, BETWEEN_TWO
from generators.embedded.pen import Pen, Sentence, core_length

#: Words that a predicate needs where the last thing is a subject.
_ENDING_WORDS = 2


def write_adjacent(pen: Pen) -> Sentence:
    """Name all pairs of the plan one after the other, the window's distance apart."""
    pairs = pen.plan.pairs
    lengths = [core_length(pair) for pair in pairs]
    low, high = pen.plan.window
    pending = sum(lengths) + 1 + _ENDING_WORDS
    gaps = len(pairs) - 1
    chain = begin_freely(pen, pending + gaps * low, high)
    chain.name(pen, pairs[0])
    distances = []
    for number, pair in enumerate(pairs[1:], start=1):
        later = sum(lengths[number:]) + _ENDING_WORDS + (gaps - number) * low
        room = Range(low, max(low, min(high, pen.room - later)))
        table = BEFORE_MORE if number < gaps else AFTER_MORE if gaps > 1 else BETWEEN_TWO
        distances.append(join(pen, chain, room, table[chain.role]))
        chain.name(pen, pair)
    settle(pen, shortest_end(chain))
    finish(pen, chain)
    return Sentence(chain.text, min(distances))
