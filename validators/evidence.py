"""What every rule judges: an example, its texts read once, and where its core words stand.

The bindings that a text expresses are read off the text itself, by its construction's structure;
how the generator moved its words is not known here, so an error there cannot hide itself.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from artifacts.ledger_view import AcceptedWords, accepted_words
from artifacts.plans import Assembled, Violation
from artifacts.words import words_of
from validators.reading import Reading, Span, find, read

#: Bindings as (attribute, object), case folded.
Bindings = frozenset[tuple[str, str]]


class Caption(NamedTuple):
    """One text of an example with its core words in text order."""

    #: "positive", "negative_attribute", "negative_object" or "arrangement".
    name: str
    reading: Reading
    objects: tuple[Span, ...]
    attributes: tuple[Span, ...]


class Intended(NamedTuple):
    """What the two negatives must say."""

    negative_attribute: Bindings
    negative_object: Bindings


@dataclass(frozen=True, slots=True)
class Evidence:
    """An example made ready for the rules."""

    example: Assembled
    checker: "Checker"
    #: Family of an attribute, by its case-folded form; not every attribute has one.
    family_of: Mapping[str, str]
    #: Core words in the query's order, case folded.
    words: AcceptedWords
    #: The bindings of those words.
    queried: Bindings
    query: Reading
    draft: Reading
    #: The positive, both negatives, then the rest of the orbit.
    captions: tuple[Caption, ...]
    #: What each caption says, in the same order; empty where the words don't fill the slots.
    said: tuple[Bindings, ...]
    #: Where a core word doesn't occur exactly once, and how often it does.
    miscounts: tuple[str, ...]

    @property
    def positive(self) -> Caption:
        """The positive."""
        return self.captions[0]


#: A rule yields what breaks it, each under the rule's own name.
Rule = Callable[[Evidence], Iterator[Violation]]


@dataclass(frozen=True, slots=True)
class Checker:
    """How examples of one construction are judged, as data (section B.2, B.4)."""

    name: str
    objects: int
    attributes_per_object: int
    takes_distractors: bool
    #: The bindings that a caption expresses.
    read_bindings: Callable[[Caption], Bindings]
    #: The binding distance of a caption in words (section B.3); only asked when it binds.
    measure_distance: Callable[[Caption], int]
    #: What the negatives must say, worked out from the positive and the plan's draws.
    intend: Callable[[Evidence], Intended]
    #: The structure that this construction asks for, beside what all of them do.
    rules: tuple[Rule, ...]


def bind(attributes: Sequence[str], objects: Sequence[str]) -> Bindings:
    """Return bindings of words listed in pair order, the same number of attributes a pair."""
    if not objects:
        return frozenset()
    each = max(1, len(attributes) // len(objects))
    pairs = zip(attributes, (word for word in objects for _ in range(each)), strict=False)
    return frozenset(pairs)


def gather(example: Assembled, checker: Checker, family_of: Mapping[str, str]) -> Evidence:
    """Read every text of `example` once."""
    words = accepted_words(example.pairs)
    miscounts: list[str] = []
    named = (example.positive, example.negative_attribute, example.negative_object)
    others = [text for text in dict.fromkeys(example.orbit) if text not in named]
    captions = tuple(
        _lay_out(name, read(text), words, miscounts)
        for name, text in (
            *zip(("positive", "negative_attribute", "negative_object"), named, strict=True),
            *(("arrangement", text) for text in others),
        )
    )
    query = read(example.query)
    _lay_out("query", query, words, miscounts)
    each, objects = checker.attributes_per_object, len(set(words.objects))
    fits = checker.objects == objects and len(set(words.attributes)) == objects * each
    readable = fits and not miscounts
    known = {caption.reading.text: caption.reading for caption in captions}
    return Evidence(
        example=example,
        checker=checker,
        family_of=family_of,
        words=words,
        queried=bind(words.attributes, words.objects),
        query=query,
        draft=known.get(example.draft) or read(example.draft),
        captions=captions,
        said=tuple(map(checker.read_bindings, captions)) if readable else (),
        miscounts=tuple(miscounts),
    )


def _lay_out(name: str, reading: Reading, words: AcceptedWords, miscounts: list[str]) -> Caption:
    return Caption(
        name,
        reading,
        _locate(name, reading, words.objects, miscounts),
        _locate(name, reading, words.attributes, miscounts),
    )


def _locate(
    name: str, reading: Reading, phrases: Sequence[str], miscounts: list[str]
) -> tuple[Span, ...]:
    spans = []
    for phrase in phrases:
        if reading.words.count(phrase) == 1:
            place = reading.words.index(phrase)
            spans.append((place, place + 1, phrase))
            continue
        wanted = words_of(phrase)
        starts = find(reading.words, wanted) if wanted else []
        if len(starts) == 1:
            spans.append((starts[0], starts[0] + len(wanted), phrase))
        else:
            miscounts.append(f"{phrase!r} occurs {len(starts)} times in the {name}")
    spans.sort()
    return tuple([Span(phrase, start, end) for start, end, phrase in spans])
