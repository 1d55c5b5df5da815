"""Rules about the families of attributes, "red crimson" being what they prevent (section B.2)."""

from collections.abc import Iterator

from artifacts.plans import Violation
from validators.evidence import Evidence


def families_of(evidence: Evidence) -> tuple[str | None, ...]:
    """Return the family of each attribute in pair order; None for one outside the pool."""
    return tuple(map(evidence.family_of.get, evidence.words.attributes))


def slot_families(evidence: Evidence) -> Iterator[Violation]:
    """Each slot has one family on all objects, as far as families are known (attr_bundle)."""
    families, each = families_of(evidence), evidence.checker.attributes_per_object
    for slot in range(each):
        known = {family for family in families[slot::each] if family is not None}
        if len(known) > 1:
            yield Violation("slot_families", f"slot {slot} mixes {sorted(known)}")


def families_differ(evidence: Evidence) -> Iterator[Violation]:
    """No object gets two attributes of one family, in any text (attr_bundle)."""
    for caption, said in zip(evidence.captions, evidence.said, strict=True):
        seen: dict[tuple[str, str], str] = {}
        for attribute, noun in sorted(said):
            family = evidence.family_of.get(attribute)
            if family is None:
                continue
            other = seen.setdefault((noun, family), attribute)
            if other != attribute:
                detail = f"{noun!r} is {other!r} and {attribute!r} in the {caption.name}: {family}"
                yield Violation("families_differ", detail)
