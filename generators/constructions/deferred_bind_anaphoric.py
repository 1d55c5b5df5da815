"""deferred_bind_anaphoric: both nouns come first, attributes follow by back-reference
(section B.2): "An awning stood by an umbrella. The first was greenish, the second felt hard."

In half of the plans the second object is described first. Attribute slot k stays bound to object
slot k, wherever its words stand in the text.
"""

from functools import cache

from artifacts.plans import Range
from generators.constructions.base import DEFERRED_BANDS, Construction
from generators.constructions.pair_swap import moves
from generators.embedded.introduction import introduce, lead_over, make_plural
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

#: What becomes of the sentence once the first attribute is due: bare ("the former torn"), a clause
#: that a semicolon has joined on, or a sentence of its own.
_TERSE, _CLAUSE, _SENTENCE = "terse", "clause", "sentence"

_AFTER_PREDICATE = (
    Joint("{predicate} . <ref> <bind>", _SENTENCE, 2.0),
    Joint("{predicate} ; <ref> <bind>", _CLAUSE),
    Joint("{predicate} . <glance> <ref> <be>", _SENTENCE, 2.0),
    Joint("{act} {extent} . <ref> <bind>", _SENTENCE, 2.0),
    Joint("{act} {extent} . <glance> <ref> <be>", _SENTENCE),
    Joint("{predicate} . {contrast} <ref> <bind>", _SENTENCE),
    Joint("{act} {extent} . {contrast} <ref> <bind>", _SENTENCE),
    Joint("{predicate} , <ref>", _TERSE),
    Joint("{act} {extent} , <ref>", _TERSE),
    Joint("{act} {extent} . {contrast} <glance> <ref> <be>", _SENTENCE),
)
_AFTER_NOUN = (
    Joint(", <ref>", _TERSE, 2.0),
    Joint(": <ref>", _TERSE, 2.0),
    Joint("; <ref> <bind>", _CLAUSE),
    Joint(". <ref> <bind>", _SENTENCE, 3.0),
    Joint(". <glance> <ref> <be>", _SENTENCE, 2.0),
    Joint("{trait} . <ref> <bind>", _SENTENCE, 2.0),
    Joint("{trait} . <glance> <ref> <be>", _SENTENCE, 2.0),
    Joint(", {event} {extent} . <ref> <bind>", _SENTENCE, 2.0),
    Joint(", {event} {extent} . <glance> <ref> <be>", _SENTENCE, 2.0),
    Joint("{trait?} . {contrast} <ref> <bind>", _SENTENCE, 2.0),
    Joint(", {event} {extent} . {contrast} <ref> <bind>", _SENTENCE),
    Joint("{trait} , <ref>", _TERSE),
    Joint(", {event} {extent} , <ref>", _TERSE),
    Joint(", {event} {extent} . {contrast} <glance> <ref> <be>", _SENTENCE),
)
_SPAN = {
    OBJECT: _AFTER_NOUN,
    FRAGMENT: _AFTER_NOUN,
    SUBJECT: _AFTER_PREDICATE,
    LIKENED: tuple(
        Joint(f", {joint.source}", joint.role, joint.weight) for joint in _AFTER_PREDICATE
    ),
    JOINT: tuple(map(make_plural, _AFTER_PREDICATE)),
}

_JOINED = (
    Joint(", <ref>", _TERSE),
    Joint("and <ref>", _TERSE),
    Joint(", and <ref> <bind>", _CLAUSE),
    Joint(", while <ref> <bind>", _CLAUSE),
)
#: From the first attribute to the second.
_REST = {
    _TERSE: _JOINED[:2],
    _CLAUSE: _JOINED,
    _SENTENCE: (
        *_JOINED,
        Joint("; <ref> <bind>", _SENTENCE),
        Joint(". <ref> <bind>", _SENTENCE),
    ),
}


#: The same where a full stop parts the objects: "… came a jar, the first torn" would misplace one.
_SPAN_PARTED = {
    role: tuple(joint for joint in joints if joint.role != _TERSE) for role, joints in _SPAN.items()
}


@cache
def _before(suit: str, reference: str, parted: bool) -> dict[str, Choices]:
    """Return the choices up to the first attribute, for one half of a reference."""
    return variants(_SPAN_PARTED if parted else _SPAN, ref=reference, **_suited(suit))


@cache
def _after(suit: str, reference: str) -> dict[str, Choices]:
    """Return the choices from the first attribute to the second, for the other half."""
    return variants(_REST, ref=reference, **_suited(suit))


def _suited(suit: str) -> dict[str, str]:
    return {name: f"{{{name}{suit}}}" for name in ("bind", "be", "glance")}


def realise(pen: Pen) -> Sentence:
    """Introduce both objects, then describe them by back-reference in the planned order."""
    pair = pen.lexicon.references[pen.below(len(pen.lexicon.references))]
    chain = introduce(pen, 5)
    order = (1, 0) if pen.plan.described_first == 1 else (0, 1)
    parted = any("." in piece for piece in chain.pieces)
    distance = lead_over(pen, chain, _before(pen.suit, pair[order[0]], parted), 4)
    if pen.colon and pen.starts_at_once:
        # One colon in a clause is enough.
        chain.pieces[-1] = chain.pieces[-1].replace(":", ",")
    attributes = [pen.plan.pairs[index].attributes[0] for index in order]
    chain.pieces.append(attributes[0])
    pen.used += sum(len(folded(attribute)) for attribute in attributes)
    rest = _after(pen.suit, pair[order[1]])
    text, _ = rest[chain.role].draw(pen, 1, max(pen.room, 3))
    chain.pieces += (text, attributes[1])
    return Sentence(chain.text, distance, closed=True)


CONSTRUCTION = Construction(
    name="deferred_bind_anaphoric",
    quota=9_417,
    objects=2,
    attributes_per_object=1,
    bands=DEFERRED_BANDS,
    windows=(Range(1, 2), Range(3, 6), Range(7, 13), Range(14, 26)),
    frame_words=8,
    gaps=1,
    takes_distractors=True,
    moves=moves,
    realise=realise,
    draws=frozenset({"described_first"}),
)
