"""deferred_bind_respective: both objects first, then both attributes in noun order (B.2)."""

from validators.evidence import Checker
from validators.rules.adjacency import attributes_deferred, attributes_detached
from validators.rules.references import respective_marker
from validators.structure import deferral, intend_swap, read_in_order

CHECKER = Checker(
    name="deferred_bind_respective",
    objects=2,
    attributes_per_object=1,
    takes_distractors=True,
    read_bindings=read_in_order,
    measure_distance=deferral,
    intend=intend_swap,
    rules=(attributes_detached, attributes_deferred, respective_marker),
)
