"""predicative: two objects, attributes detached through a copula, a change-of-state verb or a
relative clause (section B.2): "the book was dated and the page was torn".

The attribute negative exchanges the two attributes, the object negative the two nouns.
"""

from dataclasses import replace
from functools import cache

from artifacts.plans import Range
from generators.constructions.base import SHORT_BANDS, Construction
from generators.constructions.pair_swap import moves
from generators.embedded.chain import begin
from generators.embedded.framing import settle
from generators.embedded.joints import FRAGMENT, OBJECT, SUBJECT, Choices, Joint, variants
from generators.embedded.pen import Pen, Sentence, core_length, folded

#: From an object to its own attribute, by the object's role.
_DETACHED = {
    SUBJECT: (
        Joint("<bind>", SUBJECT, 2.0),
        Joint("{trait} <bind>", SUBJECT, 2.0),
        Joint(", {event} {extent} , <bind>", SUBJECT),
        Joint("{predicate} and <bind>", SUBJECT),
        Joint("{act} {extent} and <bind>", SUBJECT, 0.4),
    ),
    OBJECT: (
        Joint("that <bind>", OBJECT, 3.0),
        Joint("that {predicate} and <bind>", OBJECT),
        Joint("that {act} {extent} and <bind>", OBJECT, 0.4),
    ),
}
_DETACHED[FRAGMENT] = tuple(replace(joint, role=FRAGMENT) for joint in _DETACHED[OBJECT])
#: Subject of a sentence that an adverb has opened; it takes no second one.
_GLANCED = "glanced subject"
_DETACHED[_GLANCED] = tuple(
    Joint(joint.source.replace("<bind>", "<be>"), SUBJECT, joint.weight)
    for joint in _DETACHED[SUBJECT]
)

#: From the first attribute to the article of the second object.
_BETWEEN = {
    SUBJECT: (
        Joint(", and", SUBJECT, 2.0),
        Joint(", while", SUBJECT, 2.0),
        Joint(";", SUBJECT),
        Joint(".", SUBJECT),
        Joint(". <glance>", _GLANCED, 2.0),
        Joint(". {opening}", OBJECT),
    ),
    OBJECT: (
        Joint("{between}", OBJECT, 4.0),
        Joint(", {clause}", OBJECT),
        Joint(". {opening}", OBJECT),
    ),
    FRAGMENT: (
        Joint("{between}", FRAGMENT, 4.0),
        Joint(";", FRAGMENT),
        Joint(". {opening}", OBJECT),
    ),
}


@cache
def _tables(suit: str) -> tuple[dict[str, Choices], dict[str, Choices]]:
    """Return both tables with the verbs and adverbs that suit the attributes."""
    banks = {name: f"{{{name}{suit}}}" for name in ("bind", "be", "glance")}
    return variants(_DETACHED, **banks), variants(_BETWEEN, **banks)


def realise(pen: Pen) -> Sentence:
    """Name each object, then say what it is like after the window's distance."""
    detached, links = _tables(pen.suit)
    (first, second), (low, high) = pen.plan.pairs, pen.plan.window
    pending = sum(map(core_length, pen.plan.pairs))
    chain = begin(pen, pending + 2 * low + 3)
    settle(pen, pending + 2 * low + 3, closed=True)
    distances: list[int] = []
    for pair, later in ((first, low + 5), (second, 0)):
        if distances:
            text, chain.role = links[chain.role].draw(pen, 0, max(1, pen.room - later - 4))
            chain.pieces.append(text)
        chain.name_alone(pen, pair)
        longest = max(low, min(high, pen.room - later))
        before = pen.used
        text, chain.role = detached[chain.role].draw(pen, low, longest)
        distances.append(pen.used - before)
        chain.pieces += (text, pair.attributes[0])
        pen.used += len(folded(pair.attributes[0]))
    return Sentence(chain.text, min(distances), closed=True)


CONSTRUCTION = Construction(
    name="predicative",
    quota=20_000,
    objects=2,
    attributes_per_object=1,
    bands=SHORT_BANDS,
    windows=(Range(1, 2), Range(3, 6), Range(7, 13)),
    frame_words=4,
    gaps=2,
    takes_distractors=True,
    moves=moves,
    realise=realise,
)
