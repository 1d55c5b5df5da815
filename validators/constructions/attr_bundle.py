"""attr_bundle: two attributes of different families right before each object (section B.2).

The attribute negative exchanges one slot only, the object negative both objects.
"""

from functools import partial

from validators.evidence import Checker, Evidence, Intended, bind
from validators.rules.adjacency import attributes_adjacent
from validators.rules.families import families_differ, slot_families
from validators.structure import phrase_gap, read_adjacent


def intend(evidence: Evidence) -> Intended:
    """Exchange the planned slot's attributes; exchange the objects."""
    attributes, objects = evidence.words
    first, second = attributes[:2], attributes[2:]
    if evidence.example.plan.swapped_slot == 0:
        moved = (second[0], first[1], first[0], second[1])
    else:
        moved = (first[0], second[1], second[0], first[1])
    return Intended(bind(moved, objects), bind(attributes, objects[::-1]))


CHECKER = Checker(
    name="attr_bundle",
    objects=2,
    attributes_per_object=2,
    takes_distractors=False,
    read_bindings=partial(read_adjacent, count=2),
    measure_distance=partial(phrase_gap, count=2),
    intend=intend,
    rules=(attributes_adjacent, slot_families, families_differ),
)
