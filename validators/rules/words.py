"""Rules about the core words themselves: how many, single, distinct, each exactly once (B.4)."""

from collections.abc import Iterator

from artifacts.plans import Violation
from artifacts.words import words_of
from validators.evidence import Evidence
from validators.reading import find

#: Most further pairs that a text may weave in (section B.3).
MAX_DISTRACTORS = 3


def pair_count(evidence: Evidence) -> Iterator[Violation]:
    """The construction says how many pairs there are."""
    found, expected = len(evidence.example.pairs), evidence.checker.objects
    if found != expected:
        yield Violation("pair_count", f"{found} pairs, {expected} expected")


def attribute_count(evidence: Evidence) -> Iterator[Violation]:
    """The construction says how many attributes each object has."""
    expected = evidence.checker.attributes_per_object
    for pair in evidence.example.pairs:
        if len(pair.attributes) != expected:
            found = f"{pair.object!r} has {len(pair.attributes)} attributes"
            yield Violation("attribute_count", f"{found}, {expected} expected")


def attribute_words(evidence: Evidence) -> Iterator[Violation]:
    """An attribute is a single word; an object may be several."""
    for attribute in evidence.words.attributes:
        if words_of(attribute) != [attribute]:
            yield Violation("attribute_words", f"attribute {attribute!r} is not a single word")


def words_distinct(evidence: Evidence) -> Iterator[Violation]:
    """No word is used for two objects, two attributes, or one of each."""
    used = (*evidence.words.attributes, *evidence.words.objects)
    if len(set(used)) != len(used):
        for word in sorted({word for word in used if used.count(word) > 1}):
            yield Violation("words_distinct", f"{word!r} is used twice")


def core_word_count(evidence: Evidence) -> Iterator[Violation]:
    """Every core word occurs exactly once in the query and in every text."""
    for miscount in evidence.miscounts:
        yield Violation("core_word_count", miscount)


def query_form(evidence: Evidence) -> Iterator[Violation]:
    """The query is "A, B and C", its pairs in order, without articles (section B.1)."""
    phrases = [" ".join((*pair.attributes, pair.object)) for pair in evidence.example.pairs]
    *first, last = phrases or [""]
    expected = f"{', '.join(first)} and {last}" if first else last
    if evidence.example.query != expected:
        yield Violation("query_form", f"{evidence.example.query!r}, {expected!r} expected")


def distractors(evidence: Evidence) -> Iterator[Violation]:
    """Further pairs stand in the text, are few, and only where the construction takes them."""
    reported = evidence.example.distractors
    if reported and not evidence.checker.takes_distractors:
        yield Violation("distractors", f"{evidence.checker.name} takes none")
    if len(reported) > MAX_DISTRACTORS:
        yield Violation("distractors", f"{len(reported)} reported, {MAX_DISTRACTORS} at most")
    words = evidence.positive.reading.words
    for pair in reported:
        for phrase in (*pair.attributes, pair.object):
            wanted = words_of(phrase.casefold())
            if not wanted or not find(words, wanted):
                yield Violation("distractors", f"{phrase!r} is reported and not in the text")
