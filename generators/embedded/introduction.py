"""Introduces two objects before anything is said of either, and leads over to what is said.

Serves both deferred constructions. Knows nothing of how the attributes are assigned.
"""

import re

from artifacts.plans import Range
from generators.embedded.chain import Chain, begin, join
from generators.embedded.framing import settle
from generators.embedded.joints import FRAGMENT, JOINT, JOINTS, OBJECT, SUBJECT, Choices, Joint
from generators.embedded.pen import Pen, folded

#: The longest gap between the two objects.
_LONGEST_GAP = 12
#: Up to this distance the attributes belong to the very clause that names the objects.
_CLOSE = 2

_BREAK = re.compile(r"[.;]")
#: What would part two objects that are about to be told apart.
_STRAY = re.compile(r";|\{aside\}")

#: Joints that keep both objects in one clause, so that the very next words can refer to them.
_ONE_CLAUSE = {
    role: Choices(
        [each for each in JOINTS[role] if each.role in ends and not _BREAK.search(each.source)]
    )
    for role, ends in ((OBJECT, (OBJECT,)), (FRAGMENT, (FRAGMENT,)), (SUBJECT, (OBJECT, JOINT)))
}
#: Joints after which both objects can still be told apart by their order at a glance.
_OPEN = {
    role: Choices([each for each in JOINTS[role] if not _STRAY.search(each.source)])
    for role in (OBJECT, FRAGMENT, SUBJECT)
}
_COORDINATED = {
    role: Choices(
        [Joint("and", end), Joint("{trait} and", end), Joint(", {event} {extent} , and", end, 2.0)]
    )
    for role, end in ((OBJECT, OBJECT), (FRAGMENT, FRAGMENT), (SUBJECT, JOINT))
}


def introduce(pen: Pen, pending: int, coordinated: bool = False) -> Chain:
    """Name both objects; leave `pending` words beside the window's for what is said of them.

    Where little room lies between, both stand in one clause; `coordinated`: joined by "and".
    """
    pen.landmarks = False  # a third thing among the two would be one too many
    first, second = pen.plan.pairs
    later = pending + pen.plan.window.low
    objects = len(folded(first.object)) + len(folded(second.object))
    chain = begin(pen, later + objects + 2)
    settle(pen, later + objects + 5, closed=True)
    chain.name_alone(pen, first)
    room = pen.room - later - len(folded(second.object))
    gap = Range(2, max(2, min(_LONGEST_GAP, room)))
    if pen.plan.window.high > _CLOSE:
        choices = _OPEN
    else:
        choices = _COORDINATED if coordinated else _ONE_CLAUSE
    join(pen, chain, gap, choices[chain.role])
    chain.name_alone(pen, second)
    return chain


def lead_over(pen: Pen, chain: Chain, choices: dict[str, Choices], pending: int) -> int:
    """Write the words from the last object to the first attribute; return how many."""
    low, high = pen.plan.window
    before = pen.used
    text, chain.role = choices[chain.role].draw(pen, low, max(low, min(high, pen.room - pending)))
    chain.pieces.append(text)
    return pen.used - before


def make_plural(joint: Joint) -> Joint:
    """Return a joint about one thing as a joint about both."""
    source = joint.source.replace("{predicate}", "{predicate:s}").replace("{act}", "{act:s}")
    return Joint(source, joint.role, joint.weight)
