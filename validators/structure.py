"""How a caption is read: which attribute it binds to which object, and over what distance.

Each construction picks one reading and one distance (section B.2, B.3). A reading goes by the text
alone; where the text is unclear it returns no binding, and the rules on bindings reject.
"""

from collections.abc import Iterator
from itertools import pairwise

from validators.evidence import Bindings, Caption, Evidence, Intended, bind
from validators.reading import Span, words_between
from validators.rules.adjacency import is_preceded
from validators.rules.references import RELATIVE_PRONOUNS, find_references, pair_up


def read_adjacent(caption: Caption, count: int = 1) -> Bindings:
    """Bind to each object the `count` attributes right before it."""
    words = caption.reading.words
    return frozenset(
        (words[place], noun.word)
        for noun in caption.objects
        if is_preceded(caption, noun, count)
        for place in range(noun.start - count, noun.start)
    )


def read_in_order(caption: Caption) -> Bindings:
    """Bind attribute k to object k, both in text order ("... respectively")."""
    attributes = [span.word for span in caption.attributes]
    return bind(attributes, [span.word for span in caption.objects])


def read_references(caption: Caption) -> Bindings:
    """Bind to each object the attribute that its back-reference is given."""
    resolved = pair_up(caption, find_references(caption))
    return frozenset((word, caption.objects[rank].word) for word, rank in resolved)


def read_clauses(caption: Caption) -> Bindings:
    """Bind to each object the attribute of its clause."""
    return frozenset((attribute.word, noun.word) for noun, attribute in link_clauses(caption))


def link_clauses(caption: Caption) -> list[tuple[Span, Span]]:
    """Return objects with the attributes that are predicated of them.

    With object and attribute in turn ("the book was dated and the page was torn"), or one clause
    inverted, the k-th attribute belongs to the k-th object. Two objects before both attributes are
    clear only where a relative clause is nested: "the book by the page that was torn was dated".
    """
    objects, attributes = caption.objects, caption.attributes
    if not len(objects) == len(attributes) == 2:
        return []
    if attributes[1].start < objects[0].start:
        return []
    if objects[1].end <= attributes[0].start:
        between = caption.reading.words[objects[1].end : attributes[0].start]
        nested = not RELATIVE_PRONOUNS.isdisjoint(between)
        return [(objects[0], attributes[1]), (objects[1], attributes[0])] if nested else []
    return list(zip(objects, attributes, strict=True))


def phrase_gap(caption: Caption, count: int = 1) -> int:
    """Return the fewest words between consecutive core phrases, attributes being part of them."""
    nouns = caption.objects
    return min(right.start - count - left.end for left, right in pairwise(nouns))


def clause_gap(caption: Caption) -> int:
    """Return the smaller of the distances between an object and its attribute (predicative)."""
    return min(words_between(noun, attribute) for noun, attribute in link_clauses(caption))


def deferral(caption: Caption) -> int:
    """Return the words from the last object to the first attribute (deferred constructions)."""
    return words_between(caption.objects[-1], caption.attributes[0])


def intend_swap(evidence: Evidence) -> Intended:
    """Both negatives of two pairs exchange their partners."""
    attributes, objects = evidence.words
    swapped = bind(attributes, objects[::-1])
    return Intended(swapped, swapped)


def nouns_in_text_order(evidence: Evidence) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each object of the positive with its queried attributes, in text order."""
    each = evidence.checker.attributes_per_object
    attributes, objects = evidence.words
    for span in evidence.positive.objects:
        first = objects.index(span.word) * each
        yield attributes[first : first + each], span.word
