"""The parser's second opinion: which attribute it sees on which object, beside what is intended.

Reads a dependency tree (spaCy's English labels) and reports; it rejects nothing, since the parser
errs more often than the texts do. Links are the tree's own and nothing is inferred beyond it:

    "the red tunic", "a tunic torn at the hem"    red → tunic, torn → tunic
    "the tunic, which had become icy, hung"       icy → tunic
    "the tunic was listed as red"                 red → tunic
    "the bench and the fence were new and neat"   both → bench, both → fence: trees know no order
    "the first was red"                           none: trees know no reference

So agreement means least in the deferred constructions, by design of theirs. Knows nothing of files,
of how a model is loaded, or of how a text came about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from artifacts.errors import ValidationFailedError
from artifacts.plans import Pair
from artifacts.records import Binding, ParseCheck
from artifacts.words import find_words, words_of
from validators.reading import find

if TYPE_CHECKING:
    # spaCy takes half a second to import, and whoever has a Doc has paid for it.
    from spacy.tokens import Doc, Span, Token

#: Rises when other links are found in the same tree: opinions stored under an earlier number are
#: formed again.
LINK_RULES = 1

#: Labels of a modifier whose head is what it describes: before its noun, after it, or a clause.
_MODIFIERS = frozenset({"amod", "compound", "nmod", "appos", "acl", "relcl"})
#: Labels of a predicate that describes whatever its head does: "were new *and neat*", "turned
#: *brittle*", "*torn by the wind*, the flag hung".
_SHARED = frozenset({"conj", "acomp", "attr", "oprd", "xcomp", "advcl"})
_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
#: "that", "which", "who": they stand for the noun that their clause modifies.
_RELATIVE = frozenset({"WDT", "WP"})


def check_parse(
    doc: Doc, construction: str, attempt: int, pairs: Sequence[Pair], model: str
) -> ParseCheck:
    """Return what the parse of a positive says about the pairs that it is to express.

    Raises ValidationFailedError where a core word doesn't stand in the text, which no accepted
    example does.
    """
    slots = [(owner, word) for owner, pair in enumerate(pairs) for word in pair.attributes]
    try:
        objects = find_core_words(doc, [pair.object for pair in pairs])
        attributes = find_core_words(doc, [word for _, word in slots])
    except LookupError as error:
        raise ValidationFailedError(
            f"{construction}, attempt {attempt}: {error}; run `saber validate`"
        ) from error
    links = [
        (slot, described)
        for slot, span in zip(slots, attributes, strict=True)
        for described in _described_objects(span, objects)
    ]
    return ParseCheck(
        construction=construction,
        attempt=attempt,
        links=[
            Binding(attribute=word, object=pairs[described].object)
            for (_, word), described in links
        ],
        agreed=sum(owner == described for (owner, _), described in links),
        intended=len(slots),
        object_tags=[span.root.pos_ for span in objects],
        attribute_tags=[span.root.pos_ for span in attributes],
        model=model,
    )


def find_core_words(doc: Doc, phrases: Sequence[str]) -> list[Span]:
    """Return the tokens of each core word, case folded, where it stands first in `doc`.

    spaCy splits "well-worn" into three tokens and may not end a token where a word ends, so a core
    word is a span of tokens, found by its characters; a token that holds more counts whole.
    """
    words = find_words(doc.text)
    folded = [word.text.casefold() for word in words]
    spans = []
    for phrase in phrases:
        wanted = words_of(phrase.casefold())
        starts = find(folded, wanted)
        if not starts:
            raise LookupError(f"{phrase!r} does not stand in {doc.text!r}")
        start, end = words[starts[0]].start, words[starts[0] + len(wanted) - 1].end
        span = doc.char_span(start, end, alignment_mode="expand")
        assert span is not None  # only characters outside of the text have no tokens
        spans.append(span)
    return spans


def _described_objects(attribute: Span, objects: Sequence[Span]) -> list[int]:
    """Return which objects, by index, `attribute` describes."""
    nouns = {noun.i for noun in described_nouns(attribute.root)}
    return [
        index
        for index, span in enumerate(objects)
        if not nouns.isdisjoint(range(span.start, span.end))
    ]


def described_nouns(word: Token) -> Iterator[Token]:
    """Yield the tokens that `word` describes as modifier, or as predicate of a subject."""
    subjects = [child for child in word.children if child.dep_ in _SUBJECTS]
    if subjects:
        for subject in subjects:
            yield from _named_by(subject, word)
    elif word.head.lower_ == "as" and word.head.dep_ == "prep":
        yield from _affected(word.head.head)
    elif word.dep_ == "oprd":
        yield from _affected(word.head)
    elif word.dep_ in _MODIFIERS:
        yield word.head
    elif word.dep_ in _SHARED:
        yield from described_nouns(word.head)


def _named_by(subject: Token, predicate: Token) -> Iterator[Token]:
    """Yield the nouns that a subject names: those it is coordinated with, or its antecedent."""
    if subject.tag_ not in _RELATIVE:
        yield from (subject, *subject.conjuncts)
        return
    while predicate.dep_ in _SHARED:
        predicate = predicate.head
    if predicate.dep_ in _MODIFIERS:
        yield predicate.head


def _affected(verb: Token) -> Iterator[Token]:
    """Yield what a verb finds, makes or calls something: its object, or else its subject.

    "they painted *the fence* white", "*the fence* was painted white", "*it* was listed as white".
    """
    acted_on = [child for child in verb.children if child.dep_ == "dobj"]
    if acted_on:
        yield from acted_on
    else:
        yield from described_nouns(verb)
