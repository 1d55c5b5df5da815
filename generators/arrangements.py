"""The orbit of a text: every arrangement of its core words that a construction's moves reach.

An arrangement says for each slot which slot's word of the draft stands there. The positive is drawn
from the orbit and its negatives follow by one move each, so each member is a positive, an attribute
negative and an object negative equally often, and no scorer that reads only captions beats chance.
Knows nothing of words or texts.
"""

from functools import lru_cache
from typing import NamedTuple

from generators.constructions.base import Move, Moves


class Arrangement(NamedTuple):
    """For every slot the slot of the draft whose word stands there."""

    #: One entry per attribute level (two levels in attr_bundle), each over the object slots.
    attributes: tuple[Move, ...]
    objects: Move


class Orbit(NamedTuple):
    """The members, the draft as written first, and where each one's two moves lead."""

    members: tuple[Arrangement, ...]
    #: Index of the member that the attribute move makes of member i.
    attribute_moved: tuple[int, ...]
    #: Index of the member that the object move makes of member i.
    object_moved: tuple[int, ...]


def _compose(arrangement: Move, move: Move) -> Move:
    return tuple(arrangement[source] for source in move)


def move_attributes(arrangement: Arrangement, moves: Moves) -> Arrangement:
    """Return what the attribute move makes of `arrangement`."""
    levels = zip(arrangement.attributes, moves.attributes, strict=True)
    return Arrangement(tuple(_compose(level, move) for level, move in levels), arrangement.objects)


def move_objects(arrangement: Arrangement, moves: Moves) -> Arrangement:
    """Return what the object move makes of `arrangement`."""
    return Arrangement(arrangement.attributes, _compose(arrangement.objects, moves.objects))


@lru_cache(maxsize=256)
def find_orbit(moves: Moves) -> Orbit:
    """Return the closure of the draft as written under both moves, breadth first."""
    slots = tuple(range(len(moves.objects)))
    index = {Arrangement(tuple(slots for _ in moves.attributes), slots): 0}
    attribute_moved: list[int] = []
    object_moved: list[int] = []
    members = list(index)
    for member in members:  # grows while it is walked
        for moved, destinations in (
            (move_attributes(member, moves), attribute_moved),
            (move_objects(member, moves), object_moved),
        ):
            if moved not in index:
                index[moved] = len(members)
                members.append(moved)
            destinations.append(index[moved])
    return Orbit(tuple(members), tuple(attribute_moved), tuple(object_moved))
