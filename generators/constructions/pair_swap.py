"""pair_swap: two objects, each directly preceded by its attribute (section B.2).

The attribute negative exchanges the two attributes, the object negative the two nouns.
"""

from artifacts.plans import Plan, Range
from generators.constructions.base import SHORT_BANDS, Construction, Moves
from generators.embedded.adjacent import write_adjacent


def moves(_: Plan) -> Moves:
    """Exchange both attributes; exchange both objects."""
    return Moves(attributes=((1, 0),), objects=(1, 0))


CONSTRUCTION = Construction(
    name="pair_swap",
    quota=20_000,
    objects=2,
    attributes_per_object=1,
    bands=SHORT_BANDS,
    windows=(Range(0, 2), Range(3, 6), Range(7, 13), Range(14, 26)),
    frame_words=4,
    gaps=1,
    takes_distractors=True,
    moves=moves,
    realise=write_adjacent,
)
