"""deferred_bind_respective: both nouns come first, then both attributes in noun order
(section B.2): "The bench and the fence were new and neat respectively."
"""

from functools import cache

from artifacts.plans import Range
from generators.constructions.base import DEFERRED_BANDS, Construction
from generators.constructions.pair_swap import moves
from generators.embedded.introduction import introduce, lead_over
from generators.embedded.joints import (
    FRAGMENT,
    JOINT,
    LIKENED,
    OBJECT,
    SUBJECT,
    Choices,
    Joint,
    variants,
)
from generators.embedded.pen import Pen, Sentence, folded

#: Whether the span has already said "respectively", or the end of the sentence must.
_SAID, _UNSAID = "said", "unsaid"

_AFTER_NOUN = (
    Joint(", respectively", _SAID, 2.0),
    Joint("; <pair> <bind>", _UNSAID),
    Joint(". <pair> <bind>", _UNSAID, 3.0),
    Joint(". <glance> <pair> <be>", _UNSAID, 2.0),
    Joint("{trait} . <pair> <bind>", _UNSAID, 2.0),
    Joint("{trait} . <glance> <pair> <be>", _UNSAID, 2.0),
    Joint(", {event} {extent} . <pair> <bind>", _UNSAID, 2.0),
    Joint(", {event} {extent} . <glance> <pair> <be>", _UNSAID, 2.0),
    Joint("{trait?} . {contrast} <pair> <bind>", _UNSAID, 2.0),
    Joint(", {event} {extent} . {contrast} <pair> <bind>", _UNSAID),
    Joint(", {event} {extent} . {contrast} <glance> <pair> <be>", _UNSAID),
)
_AFTER_PREDICATE = (
    Joint("{predicate} . <pair> <bind>", _UNSAID, 2.0),
    Joint("{predicate} . <glance> <pair> <be>", _UNSAID, 2.0),
    Joint("{act} {extent} . <pair> <bind>", _UNSAID, 2.0),
    Joint("{act} {extent} . <glance> <pair> <be>", _UNSAID),
    Joint("{predicate} . {contrast} <pair> <bind>", _UNSAID),
    Joint("{act} {extent} . {contrast} <pair> <bind>", _UNSAID),
    Joint("{act} {extent} . {contrast} <glance> <pair> <be>", _UNSAID),
)
_AFTER_BOTH = (
    Joint("<bind>", _UNSAID, 4.0),
    Joint(", <glance> <be>", _UNSAID, 2.0),
    Joint("{trait} <bind>", _UNSAID, 2.0),
    Joint(", {event} {extent} , <bind>", _UNSAID, 1.5),
    Joint("{predicate:s} and <bind>", _UNSAID, 2.0),
    Joint("{act:s} {extent} and <bind>", _UNSAID, 2.0),
    Joint("{predicate:s} . <pair> <bind>", _UNSAID),
    Joint("{act:s} {extent} . {contrast} <pair> <bind>", _UNSAID),
    Joint("{act:s} {extent} . {contrast} <glance> <pair> <be>", _UNSAID),
)
_SPAN = {
    OBJECT: _AFTER_NOUN,
    FRAGMENT: _AFTER_NOUN,
    SUBJECT: _AFTER_PREDICATE,
    LIKENED: tuple(
        Joint(f", {joint.source}", joint.role, joint.weight) for joint in _AFTER_PREDICATE
    ),
    JOINT: _AFTER_BOTH,
}
_PAIRS = ("the two", "these two")


@cache
def _spans(suit: str, pair: str) -> dict[str, Choices]:
    """Return the choices for the span, with verbs and adverbs that suit the attributes."""
    banks = {"bind": f"{{bind{suit}:s}}", "be": f"{{be{suit}:s}}", "glance": f"{{glance{suit}}}"}
    return variants(_SPAN, pair=pair, **banks)


#: What says that the order counts; the later ones where there is room.
_ENDS = (
    "respectively",
    ", respectively",
    "respectively",
    "in that order",
    ", in that order",
    ", in the order named",
    ", in the order given",
)


def realise(pen: Pen) -> Sentence:
    """Introduce both objects, then give both attributes in the order of mention."""
    pen.spent.add("two")  # no "of the two, the two were"
    chain = introduce(pen, 4, coordinated=True)
    pair = _PAIRS[pen.below(len(_PAIRS))]
    distance = lead_over(pen, chain, _spans(pen.suit, pair), 5)
    first, second = (each.attributes[0] for each in pen.plan.pairs)
    chain.pieces.append(f"{first} and {second}")
    pen.used += len(folded(first)) + 1 + len(folded(second))
    if chain.role == _UNSAID:
        end = _ENDS[pen.below(len(_ENDS) if pen.room > 3 else 3)]
        chain.pieces.append(pen.spend(end))
    return Sentence(chain.text, distance, closed=True)


CONSTRUCTION = Construction(
    name="deferred_bind_respective",
    quota=10_583,
    objects=2,
    attributes_per_object=1,
    bands=DEFERRED_BANDS,
    windows=(Range(1, 2), Range(3, 6), Range(7, 13), Range(14, 26)),
    frame_words=6,
    gaps=1,
    takes_distractors=True,
    moves=moves,
    realise=realise,
)
