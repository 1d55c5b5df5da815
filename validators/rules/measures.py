"""Rules about a text's length and its binding distance, both in words (section B.3)."""

from collections.abc import Iterator

from artifacts.plans import Violation
from validators.evidence import Evidence

#: A draft may be this much shorter than its band, and this much longer.
SLACK_BELOW, SLACK_ABOVE = 1, 4


def length(evidence: Evidence) -> Iterator[Violation]:
    """The positive's length is in the planned band, one below to four above."""
    low, high = evidence.example.plan.band
    found = len(evidence.positive.reading.words)
    if not low - SLACK_BELOW <= found <= high + SLACK_ABOVE:
        allowed = f"{low - SLACK_BELOW} to {high + SLACK_ABOVE}"
        yield Violation("length", f"{found} words, {allowed} allowed by band {low}-{high}")


def distance(evidence: Evidence) -> Iterator[Violation]:
    """The binding distance is in the planned window, in every text."""
    low, high = evidence.example.plan.window
    for caption, said in zip(evidence.captions, evidence.said, strict=True):
        # A caption that binds nothing has no distance; the rules on bindings say so.
        found = evidence.checker.measure_distance(caption) if said else low
        if not low <= found <= high:
            yield Violation(
                "distance", f"{found} words in the {caption.name}, {low}-{high} planned"
            )
