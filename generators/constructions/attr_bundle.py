"""attr_bundle: two objects, each carrying two attributes of different families (section B.2).

The attribute negative exchanges the attributes of one slot only, so that it differs from the
positive by a single word per object; the object negative exchanges the nouns.
"""

from artifacts.plans import Plan, Range
from generators.constructions.base import SHORT_BANDS, Construction, Moves
from generators.embedded.adjacent import write_adjacent


def moves(plan: Plan) -> Moves:
    """Exchange the attributes of the planned slot; exchange both objects."""
    levels = tuple((1, 0) if slot == plan.swapped_slot else (0, 1) for slot in range(2))
    return Moves(attributes=levels, objects=(1, 0))


CONSTRUCTION = Construction(
    name="attr_bundle",
    quota=20_000,
    objects=2,
    attributes_per_object=2,
    bands=SHORT_BANDS,
    windows=(Range(0, 2), Range(3, 6), Range(7, 13), Range(14, 26)),
    frame_words=4,
    gaps=1,
    takes_distractors=False,
    moves=moves,
    realise=write_adjacent,
    draws=frozenset({"swapped_slot"}),
)
