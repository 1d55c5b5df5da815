"""deferred_bind_anaphoric: both nouns come first, attributes follow by back-reference
(section B.2): "An awning stood by an umbrella. The first was greenish, the second felt hard."

In half of the plans the second object is described first. Attribute slot k stays bound to object
slot k, wherever its words stand in the text.
"""

from artifacts.plans import Range
from generators.constructions.base import DEFERRED_BANDS, Construction
from generators.constructions.pair_swap import moves
from generators.embedded.introduction import introduce, lead_over, make_plural, variants
from generators.embedded.joints import FRAGMENT, JOINT, LIKENED, OBJECT, SUBJECT, Choices, Joint
from generators.embedded.lexicon import load_lexicon
from generators.embedded.pen import Pen, Sentence, folded

#: What becomes of the sentence once the first attribute is due: bare ("the former torn") or not.
_TERSE, _FULL = "terse", "full"

_AFTER_PREDICATE = (
    Joint("{predicate} . <ref> <bind>", _FULL, 2.0),
    Joint("{predicate} ; <ref> <bind>", _FULL),
    Joint("{predicate} . {glance} <ref> {be}", _FULL, 2.0),
    Joint("{act} {extent} . <ref> <bind>", _FULL, 2.0),
    Joint("{act} {extent} . {glance} <ref> {be}", _FULL),
    Joint("{act} {extent} . {aside} <ref> <bind>", _FULL),
    Joint("{predicate} , <ref>", _TERSE),
    Joint("{act} {extent} , <ref>", _TERSE),
    Joint("{act} {extent} . {aside} {glance} <ref> {be}", _FULL),
)
_AFTER_NOUN = (
    Joint(", <ref>", _TERSE, 2.0),
    Joint(": <ref>", _TERSE, 2.0),
    Joint("; <ref> <bind>", _FULL),
    Joint(". <ref> <bind>", _FULL, 3.0),
    Joint(". {glance} <ref> {be}", _FULL, 2.0),
    Joint("; {glance} <ref> {be}", _FULL),
    Joint(", of which <ref> <bind>", _FULL),
    Joint("{trait} . <ref> <bind>", _FULL, 2.0),
    Joint("{trait} . {glance} <ref> {be}", _FULL, 2.0),
    Joint("{event} {extent} . <ref> <bind>", _FULL, 2.0),
    Joint("{event} {extent} . {glance} <ref> {be}", _FULL, 2.0),
    Joint("{trait?} . {aside} <ref> <bind>", _FULL),
    Joint("{trait} , <ref>", _TERSE),
    Joint("{event} {extent} , <ref>", _TERSE),
    Joint("{event} {extent} . {aside} {glance} <ref> {be}", _FULL),
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

#: From the first attribute to the second.
_REST = {
    _TERSE: (Joint(", <ref>", _TERSE), Joint("and <ref>", _TERSE)),
    _FULL: (
        Joint(", <ref>", _TERSE),
        Joint("and <ref>", _TERSE),
        Joint(", and <ref> <bind>", _FULL),
        Joint(", while <ref> <bind>", _FULL),
        Joint("; <ref> <bind>", _FULL),
        Joint(". <ref> <bind>", _FULL),
    ),
}

#: Per attribute kind, per reference: the choices for the span and for the rest.
_TABLES: dict[tuple[str, str], tuple[dict[str, Choices], dict[str, Choices]]] = {
    (bank, reference): (
        variants(_SPAN, ref=reference, bind=bank),
        variants(_REST, ref=reference, bind=bank),
    )
    for bank in ("{copula}", "{bind}")
    for pair in load_lexicon().references
    for reference in pair
}


def realise(pen: Pen) -> Sentence:
    """Introduce both objects, then describe them by back-reference in the planned order."""
    pen.landmarks = False
    references = pen.lexicon.references
    pair = references[pen.below(len(references))]
    chain = introduce(pen, 5)
    order = (1, 0) if pen.plan.described_first == 1 else (0, 1)
    bank = "{bind}" if pen.graded else "{copula}"
    distance = lead_over(pen, chain, _TABLES[bank, pair[order[0]]][0], 4)
    if pen.colon and pen.starts_at_once:
        # One colon in a clause is enough.
        chain.pieces[-1] = chain.pieces[-1].replace(":", ";")
    attributes = [pen.plan.pairs[index].attributes[0] for index in order]
    chain.pieces.append(attributes[0])
    pen.used += sum(len(folded(attribute)) for attribute in attributes)
    text, _ = _TABLES[bank, pair[order[1]]][1][chain.role].draw(pen, 1, max(pen.room, 3))
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
