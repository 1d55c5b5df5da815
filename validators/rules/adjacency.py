"""Rules about where attributes stand: right before their objects, or never beside one (B.4)."""

import re
from collections.abc import Iterator

from artifacts.plans import Violation
from validators.evidence import Caption, Evidence
from validators.reading import Span

#: What may stand between an attribute and its object: a space, a quotation mark.
_TOUCHES = re.compile(r"[\"“”‘’'*]?\s[\"“”‘’'*]?")
#: What may stand between two attributes of one object.
_LISTS = re.compile(r"[\"“”‘’'*]?,?\s[\"“”‘’'*]?")


def attributes_adjacent(evidence: Evidence) -> Iterator[Violation]:
    """Each object directly follows its attributes, in every text.

    For constructions that are read by adjacency: an object that nothing precedes is not bound.
    """
    for caption, said in zip(evidence.captions, evidence.said, strict=True):
        bound = {noun for _, noun in said}
        for span in caption.objects:
            if span.word not in bound:
                detail = f"no attribute right before {span.word!r} in the {caption.name}"
                yield Violation("attributes_adjacent", detail)


def is_preceded(caption: Caption, noun: Span, count: int) -> bool:
    """Whether `count` attributes of the example stand right before `noun`."""
    gaps, places = caption.reading.gaps, [span.start for span in caption.attributes]
    start = noun.start
    if start < count or not _touches(gaps[start]):
        return False
    return start - 1 in places and all(
        place in places and _LISTS.fullmatch(gaps[place + 1])
        for place in range(start - count, start - 1)
    )


def _touches(gap: str) -> bool:
    return gap == " " or _TOUCHES.fullmatch(gap) is not None


def attributes_detached(evidence: Evidence) -> Iterator[Violation]:
    """No attribute stands beside any queried object, in either order, across punctuation too."""
    for caption in evidence.captions:
        for noun in caption.objects:
            for span in caption.attributes:
                if span.end == noun.start or noun.end == span.start:
                    detail = f"{span.word!r} beside {noun.word!r} in the {caption.name}"
                    yield Violation("attributes_detached", detail)


def attributes_deferred(evidence: Evidence) -> Iterator[Violation]:
    """Every attribute comes after the last object, in every text."""
    for caption in evidence.captions:
        last = max(span.end for span in caption.objects)
        for span in caption.attributes:
            if span.start < last:
                detail = f"{span.word!r} before the last object in the {caption.name}"
                yield Violation("attributes_deferred", detail)
