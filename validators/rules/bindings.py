"""Rules about what the texts say: the queried bindings, and just the intended wrong ones (B.4)."""

from collections.abc import Iterator

from artifacts.plans import Violation
from validators.evidence import Bindings, Evidence


def binding_expressed(evidence: Evidence) -> Iterator[Violation]:
    """The positive says every queried binding, read by the construction's structure."""
    for binding in sorted(evidence.queried - evidence.said[0]):
        yield Violation("binding_expressed", f"the positive doesn't say {_show(binding)}")


def binding_survives(evidence: Evidence) -> Iterator[Violation]:
    """A negative keeps no queried binding but those that the construction keeps."""
    for name, said, intended in _negatives(evidence):
        for binding in sorted((said & evidence.queried) - intended):
            yield Violation("binding_survives", f"{_show(binding)} survives in the {name}")


def binding_intended(evidence: Evidence) -> Iterator[Violation]:
    """A negative says every binding that its move is meant to make."""
    for name, said, intended in _negatives(evidence):
        for binding in sorted(intended - said):
            yield Violation("binding_intended", f"the {name} doesn't say {_show(binding)}")


def pair_kept(evidence: Evidence) -> Iterator[Violation]:
    """Exactly one pair stays bound, the same in both negatives, as planned (triple_bind_swap)."""
    _, attribute, other = (said & evidence.queried for said in evidence.said[:3])
    kept = evidence.example.kept_pair
    if len(attribute) != 1 or attribute != other:
        found = f"{sorted(map(_show, attribute))} and {sorted(map(_show, other))}"
        yield Violation("pair_kept", f"the negatives keep {found}, one and the same expected")
    elif kept is not None and kept_binding(evidence) != attribute:
        yield Violation("pair_kept", f"{_show(next(iter(attribute)))} is kept, not pair {kept}")


def kept_binding(evidence: Evidence) -> Bindings:
    """Return the binding of the pair that is meant to stay, if the example says which."""
    kept = evidence.example.kept_pair
    if kept is None or not 0 <= kept < len(evidence.words.objects):
        return frozenset()
    return frozenset({(evidence.words.attributes[kept], evidence.words.objects[kept])})


def _negatives(evidence: Evidence) -> Iterator[tuple[str, Bindings, Bindings]]:
    intended = evidence.checker.intend(evidence)
    yield "negative_attribute", evidence.said[1], intended.negative_attribute
    yield "negative_object", evidence.said[2], intended.negative_object


def _show(binding: tuple[str, str]) -> str:
    return f"'{binding[0]} {binding[1]}'"
