"""pair_swap: each attribute right before its object; both negatives exchange partners (B.2)."""

from validators.evidence import Checker
from validators.rules.adjacency import attributes_adjacent
from validators.structure import intend_swap, phrase_gap, read_adjacent

CHECKER = Checker(
    name="pair_swap",
    objects=2,
    attributes_per_object=1,
    takes_distractors=True,
    read_bindings=read_adjacent,
    measure_distance=phrase_gap,
    intend=intend_swap,
    rules=(attributes_adjacent,),
)
