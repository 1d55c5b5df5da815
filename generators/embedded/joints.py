"""What may stand between two things that a sentence names, and what may follow the last.

A thing stands in a role: object of a clause, its subject, part of a verbless fragment, and so on.
A joint leads from one role to the next; `Choices` draws one that has the length asked for. Knows
nothing of the things.
"""

import re
from bisect import bisect, bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from generators.embedded.patterns import Pattern, parse
from generators.embedded.pen import Pen

OBJECT, SUBJECT, FRAGMENT = "object", "subject", "fragment"
#: "a cotton shroud and a wrinkled tunic went unsold".
JOINT = "joint subject"
#: Part of a fragment without articles: "cotton shroud, wrinkled tunic".
BARE = "bare"
#: "a cotton shroud, like a wrinkled tunic, went unsold".
LIKENED = "likened subject"
#: "apart from a cotton shroud and a wrinkled tunic, nothing was left".
PREFACE = "preface"
#: "everything from a cotton shroud to a wrinkled tunic went unsold".
SPAN = "span"
#: Roles inside an enumeration that a later "and" closes.
OBJECTS, JOINTS_OPEN, FRAGMENTS, PREFACES = "objects", "subjects", "fragments", "prefaces"


@dataclass(frozen=True, slots=True)
class Joint:
    """What may stand between two things: a pattern, the role it leads to, and how often."""

    source: str
    role: str
    weight: float = 1.0


def _closing(role: str) -> tuple[Joint, ...]:
    """Return what comes before the last of an enumeration."""
    return Joint("and", role), Joint("{trait} and", role), Joint("{event} {extent} and", role)


def _listing(role: str, weight: float) -> tuple[Joint, ...]:
    """Return what comes before a further thing of an enumeration."""
    sources = ",", "{trait} ,", "{event} {extent} ,"
    return tuple(Joint(source, role, weight) for source in sources)


_NEW_SENTENCE = (
    Joint(". {opening}", OBJECT),
    Joint("{trait} . {opening}", OBJECT, 1.5),
    Joint(", {event} {extent} . {opening}", OBJECT, 1.5),
    Joint("{trait} , {event} {extent} . {opening}", OBJECT),
    Joint("{trait?} . {aside} {opening}", OBJECT, 0.4),
)

JOINTS: dict[str, tuple[Joint, ...]] = {
    OBJECT: (
        Joint("{next}", OBJECT, 3.0),
        Joint("{trait} {between}", OBJECT, 2.0),
        Joint(", {event} {extent} , and", OBJECT),
        Joint(", {event} {extent} , {place}", OBJECT),
        Joint(", {clause}", OBJECT, 2.0),
        Joint("{trait} , {clause}", OBJECT, 1.5),
        Joint(", {event} {extent} , {clause}", OBJECT),
        *_NEW_SENTENCE,
    ),
    FRAGMENT: (
        Joint("{next}", FRAGMENT, 3.0),
        Joint("{trait} {between}", FRAGMENT, 2.0),
        Joint(", {event} {extent} , and", FRAGMENT),
        Joint(", {event} {extent} , {place}", FRAGMENT),
        Joint("{trait} ;", FRAGMENT),
        Joint(", {event} {extent} ;", FRAGMENT),
        Joint("{trait} , {event} {extent} ;", FRAGMENT),
        # A noun alone is no fragment worth a full stop.
        *(joint for joint in _NEW_SENTENCE if joint.source.startswith(("{trait} ", ", {event}"))),
        Joint("{trait} . {aside} {opening}", OBJECT, 0.4),
    ),
    BARE: (
        Joint(",", BARE),
        Joint("{place}", BARE),
        Joint("{trait} ,", BARE),
        Joint("{trait} ;", BARE),
        Joint("{event} {extent} ,", BARE),
    ),
    SUBJECT: (
        Joint("{link}", OBJECT, 3.0),
        Joint("{trait} {link}", OBJECT, 2.0),
        Joint(", {event} {extent} , {link}", OBJECT),
        Joint("that {link}", SUBJECT),
        Joint("and", JOINT, 0.5),
        Joint("{trait} and", JOINT),
        Joint(", {likewise}", LIKENED, 1.5),
        Joint("{predicate} , and", SUBJECT),
        Joint("{predicate} , while", SUBJECT),
        Joint("{predicate} ;", SUBJECT, 0.7),
        Joint("{predicate} .", SUBJECT, 0.7),
        Joint("{act} {extent} , while", SUBJECT),
        Joint("{act} {extent} , and", SUBJECT),
        Joint("{predicate} , {clause}", OBJECT),
        Joint("{act} {extent} , {clause}", OBJECT),
        Joint("{predicate} . {opening}", OBJECT),
        Joint("{act} {extent} . {opening}", OBJECT),
        Joint("{trait} {predicate} . {opening}", OBJECT),
        Joint("{trait} {predicate} , {clause}", OBJECT),
        Joint("{trait} {predicate} , while", SUBJECT),
        Joint("{predicate} . {aside} {opening}", OBJECT, 0.4),
        Joint("{act} {extent} . {aside} {opening}", OBJECT, 0.4),
        Joint("{act} {extent} . {aside}", SUBJECT, 0.4),
    ),
    PREFACE: _closing(PREFACE)[:2],
    SPAN: (Joint("to", SPAN), Joint("{trait} to", SPAN)),
    JOINT: _closing(JOINT)[:2],
    OBJECTS: _closing(OBJECT),
    FRAGMENTS: _closing(FRAGMENT),
    JOINTS_OPEN: _closing(JOINT),
    PREFACES: _closing(PREFACE),
}

#: Ways to open an enumeration of three.
LISTING: dict[str, tuple[Joint, ...]] = {
    OBJECT: _listing(OBJECTS, 2.0),
    FRAGMENT: _listing(FRAGMENTS, 2.0),
    SUBJECT: _listing(JOINTS_OPEN, 1.0),
    PREFACE: _listing(PREFACES, 1.0),
}

#: How a sentence may end after the last thing, by its role.
ENDINGS: dict[str, tuple[str, ...]] = {
    OBJECT: ("", "{trait}", ", {event} {extent}"),
    FRAGMENT: ("", "{trait}", ", {event} {extent}"),
    BARE: ("", "{trait}", "{event} {extent}"),
    SUBJECT: ("{predicate}", "{act} {extent}"),
    JOINT: ("{predicate:s}", "{act:s} {extent}"),
    LIKENED: (", {predicate}", ", {act} {extent}"),
    PREFACE: (", {remark}",),
    SPAN: ("{predicate}", "{act} {extent}"),
}


class Choices:
    """Weighted patterns, sorted by the lengths that they can take."""

    def __init__(self, joints: Sequence[Joint]) -> None:
        self.by_length: dict[int, tuple[list[tuple[Pattern, str]], list[float]]] = {}
        found: dict[int, list[tuple[Pattern, str, float]]] = {}
        for joint in joints:
            pattern = parse(joint.source)
            for length, total in pattern.weights.items():
                # A pattern with few ways to reach a length is drawn less often for it.
                weight = joint.weight * min(1.0, total / 5.0)
                found.setdefault(length, []).append((pattern, joint.role, weight))
        for length, options in sorted(found.items()):
            choices = [(pattern, role) for pattern, role, _ in options]
            self.by_length[length] = choices, list(accumulate(each[2] for each in options))
        self.lengths = list(self.by_length)

    def length(self, pen: Pen, low: int, high: int) -> int:
        """Draw a length from `low` to `high` that some pattern takes, or return the nearest."""
        start, end = bisect_left(self.lengths, low), bisect_right(self.lengths, high)
        if start < end:
            return self.lengths[start + pen.below(end - start)]
        return min(self.lengths, key=lambda length: abs(length - low))

    def draw(self, pen: Pen, low: int, high: int) -> tuple[str, str]:
        """Fill a pattern of `low` to `high` words; return its text and the role it leads to."""
        length = self.length(pen, low, high)
        options, weights = self.by_length[length]
        place = bisect(weights, pen.rng.random() * weights[-1])
        pattern, role = options[min(place, len(options) - 1)]
        return pen.fill(pattern, length), role


def variants(table: Mapping[str, Sequence[Joint]], **banks: str) -> dict[str, Choices]:
    """Return `table` with every `<name>` of its patterns replaced."""
    return {
        role: Choices([replace(joint, source=_replaced(joint.source, banks)) for joint in joints])
        for role, joints in table.items()
    }


def _replaced(source: str, banks: dict[str, str]) -> str:
    for name, text in banks.items():
        source = source.replace(f"<{name}>", text)
    return source


_FURTHER = re.compile(r", (and|while|\{clause\})")
#: What an enumeration would close with.
_CONJUNCTION = re.compile(r"\{between\}| and$")

BETWEEN_TWO = {role: Choices(joints) for role, joints in JOINTS.items()}


def _opening(joints: Sequence[Joint]) -> Choices:
    """Return the joints after which a third thing may follow: no "and" that would close a list."""
    return Choices(
        [
            Joint(each.source.replace("{next}", "{place}"), each.role, each.weight)
            for each in joints
            if each.role not in (JOINT, LIKENED) and not _CONJUNCTION.search(each.source)
        ]
    )


#: Where a third thing follows, the second closes no joint subject and no comparison.
BEFORE_MORE = BETWEEN_TWO | {
    role: _opening((*JOINTS[role], *joints) if role != PREFACE else joints)
    for role, joints in LISTING.items()
}
#: A further clause after a further clause would run on.
AFTER_MORE = {
    role: Choices([each for each in joints if not _FURTHER.search(each.source)])
    for role, joints in JOINTS.items()
}
AT_END = {
    role: Choices([Joint(source, role) for source in sources]) for role, sources in ENDINGS.items()
}
