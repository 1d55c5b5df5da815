"""Rules about what carries a binding over a distance: back-references, markers, verbs (B.2).

Also how a caption is read by them. The tables are English; a form that is missing from them costs
a draft, never a wrong binding.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from artifacts.plans import Violation
from validators.evidence import Caption, Evidence

#: Back-references to the first and to the second of two things; each line is a pair.
REFERENCE_PAIRS = (
    ("former", "latter"),
    ("first", "second"),
    ("first", "last"),
    ("first-mentioned", "second-mentioned"),
    ("first-mentioned", "last-mentioned"),
    ("first-named", "second-named"),
    ("first-named", "last-named"),
    ("earlier", "later"),
)
_RANKS = {word: rank for pair in REFERENCE_PAIRS for rank, word in enumerate(pair)}
#: Also everyday adjectives ("the last time"): they count only where nothing else refers.
_WEAK = frozenset({"last", "earlier", "later"})

_PRONOUNS = ("it", "its", "itself", "they", "them", "their", "theirs", "themselves")
_CONTRACTIONS = ("it's", "it'd", "it'll", "they're", "they've", "they'd", "they'll")
#: References that could mean either object.
BARE_PRONOUNS = frozenset(
    (*_PRONOUNS, *_CONTRACTIONS, *(word.replace("'", "’") for word in _CONTRACTIONS))
)

#: Phrases that say that attributes follow the order of the nouns.
RESPECTIVE_MARKERS = (
    ("respectively",),
    ("in", "that", "order"),
    ("in", "this", "order"),
    ("in", "the", "same", "order"),
    ("in", "the", "order", "named"),
    ("in", "the", "order", "given"),
    ("in", "the", "order", "listed"),
    ("in", "the", "order", "mentioned"),
)

_BINDER_LINES = """
    am is are was were be been being isn't aren't wasn't weren't isn’t aren’t wasn’t weren’t
    become becomes became becoming turn turns turned turning grow grows grew grown growing
    get gets got gotten getting go goes went gone going come comes came fall falls fell fallen
    stay stays stayed staying remain remains remained remaining keep keeps kept prove proves
    proved proven seem seems seemed seeming appear appears appeared appearing look looks looked
    looking feel feels felt feeling sound sounds sounded smell smells smelled taste tastes tasted
    stand stands stood lie lies lay lain sit sits sat run runs ran wear wears wore worn end ends
    ended left made rendered considered called deemed found which that who whose
"""
#: Copulas, verbs of appearance and of change, relative pronouns.
BINDERS = frozenset(_BINDER_LINES.split())
RELATIVE_PRONOUNS = frozenset({"which", "that", "who", "whose"})


class Reference(NamedTuple):
    """A back-reference: its word, its place, and the mention that it means (0 or 1)."""

    word: str
    place: int
    rank: int


def find_references(caption: Caption) -> list[Reference]:
    """Return the back-references after the last object: "the" and a word of the table."""
    words = caption.reading.words
    found = [
        Reference(words[place], place, _RANKS[words[place]])
        for place in range(max(span.end for span in caption.objects) + 1, len(words))
        if words[place] in _RANKS and words[place - 1] == "the"
    ]
    strong = [reference for reference in found if reference.word not in _WEAK]
    return found if len(found) == 2 else strong


def reference_pair(evidence: Evidence) -> Iterator[Violation]:
    """There is exactly one pair of back-references, one to each object (anaphoric)."""
    found = find_references(evidence.positive)
    words = [reference.word for reference in sorted(found, key=lambda found: found.rank)]
    if tuple(words) not in REFERENCE_PAIRS:
        expected = "one pair such as 'the first' and 'the second' expected"
        yield Violation("reference_pair", f"found {words}, {expected}")


def reference_resolved(evidence: Evidence) -> Iterator[Violation]:
    """Each back-reference is given one attribute (anaphoric)."""
    found = find_references(evidence.positive)
    if len(found) == 2 and not pair_up(evidence.positive, found):
        yield Violation("reference_resolved", "an attribute belongs to neither reference alone")


def described_first(evidence: Evidence) -> Iterator[Violation]:
    """The planned object is described first (anaphoric)."""
    planned = evidence.example.plan.described_first
    found = find_references(evidence.positive)
    if planned is not None and found and found[0].rank != planned:
        yield Violation("described_first", f"mention {found[0].rank}, planned {planned}")


def pair_up(caption: Caption, references: Sequence[Reference]) -> list[tuple[str, int]]:
    """Return attributes with the mention they describe, or nothing where that is unclear.

    Clear are "the first was new and the second neat" and its inversions; two references in a row
    before or after both attributes are not.
    """
    attributes = caption.attributes
    if not len(references) == len(attributes) == 2:
        return []
    (first, second), (left, right) = references, attributes
    if second.place < left.start or right.start < first.place:
        return []
    return [(left.word, first.rank), (right.word, second.rank)]


def no_bare_pronoun(evidence: Evidence) -> Iterator[Violation]:
    """No "it" or "they", which could mean either object (anaphoric)."""
    for word in sorted(BARE_PRONOUNS.intersection(evidence.positive.reading.words)):
        yield Violation("no_bare_pronoun", f"{word!r} may mean either object")


def respective_marker(evidence: Evidence) -> Iterator[Violation]:
    """The text says that attributes follow the order of the nouns (respective)."""
    words = evidence.positive.reading.words
    if "respectively" in words:
        return
    text = f" {' '.join(words)} "
    if not any(f" {' '.join(marker)} " in text for marker in RESPECTIVE_MARKERS):
        yield Violation("respective_marker", "neither 'respectively' nor 'in that order'")
