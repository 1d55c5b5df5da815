"""triple_bind_swap: three objects of which two pairs are transposed (section B.2).

One pair, drawn at random, stays intact in both negatives: a reader must locate which bindings
changed rather than notice that something did.
"""

from artifacts.plans import Plan, Range
from generators.constructions.base import TRIPLE_BANDS, Construction, Moves
from generators.embedded.adjacent import write_adjacent


def moves(plan: Plan) -> Moves:
    """Exchange the attributes, or the objects, of the two pairs that the plan doesn't keep."""
    first, second = (slot for slot in range(3) if slot != plan.kept_pair)
    swap = tuple({first: second, second: first}.get(slot, slot) for slot in range(3))
    return Moves(attributes=(swap,), objects=swap)


CONSTRUCTION = Construction(
    name="triple_bind_swap",
    quota=9_952,
    objects=3,
    attributes_per_object=1,
    bands=TRIPLE_BANDS,
    windows=(Range(0, 2), Range(3, 6), Range(7, 13)),
    frame_words=4,
    gaps=2,
    takes_distractors=False,
    moves=moves,
    realise=write_adjacent,
    draws=frozenset({"kept_pair"}),
)
