"""Rules about negatives as texts: the positive's words in another order, one kind moved (B.4)."""

from collections.abc import Iterator

from artifacts.plans import Violation
from validators.evidence import Caption, Evidence
from validators.reading import Reading, Span


def permutation(evidence: Evidence) -> Iterator[Violation]:
    """Every text has the positive's words, a and an being one, whatever their order."""
    expected = _bag(evidence.positive.reading)
    for caption in evidence.captions[1:]:
        if _bag(caption.reading) != expected:
            yield Violation("permutation", f"the {caption.name} has other words: {_text(caption)}")


def texts_distinct(evidence: Evidence) -> Iterator[Violation]:
    """The negatives differ from the positive and from each other by more than case."""
    positive, attribute, other = (
        [_one_article(word) for word in caption.reading.words] for caption in evidence.captions[:3]
    )
    if attribute == positive:
        yield Violation("texts_distinct", "the negative_attribute is the positive")
    if other == positive:
        yield Violation("texts_distinct", "the negative_object is the positive")
    if attribute == other:
        yield Violation("texts_distinct", "the negatives are the same")


def one_kind_moves(evidence: Evidence) -> Iterator[Violation]:
    """The attribute negative leaves the objects where they were, the object negative the others."""
    positive, attribute, other = evidence.captions[:3]
    if _order(attribute.objects) != _order(positive.objects):
        yield Violation("one_kind_moves", "objects moved in the negative_attribute")
    if _order(other.attributes) != _order(positive.attributes):
        yield Violation("one_kind_moves", "attributes moved in the negative_object")


def rotation(evidence: Evidence) -> Iterator[Violation]:
    """Both negatives rotate by one position, the same way, as planned (triple_bind_cycle)."""
    positive, attribute, other = evidence.captions[:3]
    steps = (
        _step(_order(positive.attributes), _order(attribute.attributes)),
        _step(_order(positive.objects), _order(other.objects)),
    )
    planned = evidence.example.plan.direction
    if steps[0] is None or steps[0] != steps[1] or planned not in (None, steps[0]):
        yield Violation("rotation", f"moved by {steps[0]} and {steps[1]}, planned {planned}")


def _bag(reading: Reading) -> list[str]:
    words = reading.words
    return sorted(map(_one_article, words) if "an" in words else words)


def _one_article(word: str) -> str:
    return "a" if word == "an" else word


def _order(spans: tuple[Span, ...]) -> list[str]:
    return [span.word for span in spans]


def _step(before: list[str], after: list[str]) -> int | None:
    """Return +1 where each word moved to the next slot, -1 to the one before, or neither."""
    if after == before[-1:] + before[:-1]:
        return 1
    return -1 if after == before[1:] + before[:1] else None


def _text(caption: Caption) -> str:
    return repr(caption.reading.text)
