"""triple_bind_cycle: three adjacent pairs; each negative rotates by one position (section B.2)."""

from validators.evidence import Checker, Evidence, Intended, bind
from validators.rules.adjacency import attributes_adjacent
from validators.rules.permutations import rotation
from validators.structure import nouns_in_text_order, phrase_gap, read_adjacent


def intend(evidence: Evidence) -> Intended:
    """Rotate the attributes, or the objects, over the positive's slots in the planned direction."""
    attributes = [word for words, _ in nouns_in_text_order(evidence) for word in words]
    objects = [noun for _, noun in nouns_in_text_order(evidence)]
    step = evidence.example.plan.direction or 1
    return Intended(
        bind(attributes[-step:] + attributes[:-step], objects),
        bind(attributes, objects[-step:] + objects[:-step]),
    )


CHECKER = Checker(
    name="triple_bind_cycle",
    objects=3,
    attributes_per_object=1,
    takes_distractors=False,
    read_bindings=read_adjacent,
    measure_distance=phrase_gap,
    intend=intend,
    rules=(attributes_adjacent, rotation),
)
