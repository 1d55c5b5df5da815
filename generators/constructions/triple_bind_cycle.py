"""triple_bind_cycle: three objects, each directly preceded by its attribute (section B.2).

Both negatives rotate by one position, the same way: every binding is wrong in each of them.
"""

from artifacts.plans import Plan, Range
from generators.constructions.base import TRIPLE_BANDS, Construction, Moves
from generators.embedded.adjacent import write_adjacent


def moves(plan: Plan) -> Moves:
    """Rotate the attributes, or the objects, by one position in the planned direction."""
    step = plan.direction or 1
    rotation = tuple((slot - step) % 3 for slot in range(3))
    return Moves(attributes=(rotation,), objects=rotation)


CONSTRUCTION = Construction(
    name="triple_bind_cycle",
    quota=10_048,
    objects=3,
    attributes_per_object=1,
    bands=TRIPLE_BANDS,
    windows=(Range(0, 2), Range(3, 6), Range(7, 13)),
    frame_words=4,
    gaps=2,
    takes_distractors=False,
    moves=moves,
    realise=write_adjacent,
    draws=frozenset({"direction"}),
)
