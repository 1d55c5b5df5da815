"""triple_bind_swap: three adjacent pairs, of which each negative transposes two (section B.2)."""

from validators.evidence import Checker, Evidence, Intended, bind
from validators.rules.adjacency import attributes_adjacent
from validators.rules.bindings import kept_binding, pair_kept
from validators.structure import phrase_gap, read_adjacent


def intend(evidence: Evidence) -> Intended:
    """Keep the planned pair, exchange the partners of the two others."""
    kept = kept_binding(evidence)
    others = sorted(evidence.queried - kept)
    crossed = bind([attribute for attribute, _ in others], [noun for _, noun in reversed(others)])
    return Intended(kept | crossed, kept | crossed)


CHECKER = Checker(
    name="triple_bind_swap",
    objects=3,
    attributes_per_object=1,
    takes_distractors=False,
    read_bindings=read_adjacent,
    measure_distance=phrase_gap,
    intend=intend,
    rules=(attributes_adjacent, pair_kept),
)
