"""deferred_bind_anaphoric: both objects first, then attributes by back-reference (section B.2)."""

from validators.evidence import Checker
from validators.rules.adjacency import attributes_deferred, attributes_detached
from validators.rules.references import (
    described_first,
    no_bare_pronoun,
    reference_pair,
    reference_resolved,
)
from validators.structure import deferral, intend_swap, read_references

CHECKER = Checker(
    name="deferred_bind_anaphoric",
    objects=2,
    attributes_per_object=1,
    takes_distractors=True,
    read_bindings=read_references,
    measure_distance=deferral,
    intend=intend_swap,
    rules=(
        attributes_detached,
        attributes_deferred,
        reference_pair,
        reference_resolved,
        described_first,
        no_bare_pronoun,
    ),
)
