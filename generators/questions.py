"""The four candidates of a question, as assignments of the query's words (section A.2).

Knows positions, not words: a candidate says, for each of its bindings, from which query position
the object and the attribute come. Whether it may enter the gallery, the caller decides.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from artifacts.records import Role

#: Stands for a word that the query lacks (N = 2 only).
NEW = -1

#: Draws that may be refused before a role counts as impossible.
_TRIES = 2_000

Order = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Assignment:
    """For each binding in caption order, the query positions of its object and attribute."""

    role: Role
    objects_from: Order
    attributes_from: Order

    @property
    def bindings(self) -> frozenset[tuple[int, int]]:
        """The (object, attribute) positions that are bound, whatever their order."""
        return frozenset(zip(self.objects_from, self.attributes_from, strict=True))

    @property
    def bindings_kept(self) -> int:
        """How many bindings are the query's own."""
        return sum(o == a for o, a in zip(self.objects_from, self.attributes_from, strict=True))


#: Whether the gallery admits a candidate.
Admits = Callable[[Assignment], bool]


def sample_candidates(rng: random.Random, n: int, admits: Admits) -> list[Assignment] | None:
    """Return the candidates of a query of `n` bindings, in the order of the roles.

    None if some role finds no assignment that `admits` accepts.
    """
    preserving = _preserving(rng, n)
    if not admits(preserving):
        return None
    chosen = [preserving]
    samplers = (_attribute_swap, _object_swap, _replacement if n == 2 else _joint_swap)
    for sampler in samplers:
        for _ in range(_TRIES):
            assignment = sampler(rng, preserving)
            if (n == 2 or _is_new(assignment, chosen)) and admits(assignment):
                chosen.append(assignment)
                break
        else:
            return None
    return chosen


def _is_new(assignment: Assignment, chosen: list[Assignment]) -> bool:
    return all(assignment.bindings != other.bindings for other in chosen)


def _permutation(rng: random.Random, n: int, other_than: Order) -> Order:
    """Draw uniformly from the permutations of `n` that differ from `other_than`."""
    order = list(other_than)
    while tuple(order) == other_than:
        rng.shuffle(order)
    return tuple(order)


def _preserving(rng: random.Random, n: int) -> Assignment:
    order = _permutation(rng, n, tuple(range(n)))
    return Assignment("preserving", order, order)


def _attribute_swap(rng: random.Random, preserving: Assignment) -> Assignment:
    order = preserving.objects_from
    return Assignment("attribute_swap", order, _permutation(rng, len(order), order))


def _object_swap(rng: random.Random, preserving: Assignment) -> Assignment:
    order = preserving.attributes_from
    return Assignment("object_swap", _permutation(rng, len(order), order), order)


def _joint_swap(rng: random.Random, preserving: Assignment) -> Assignment:
    order = preserving.objects_from
    objects = _permutation(rng, len(order), order)
    return Assignment("joint_swap", objects, _permutation(rng, len(order), order))


def _replacement(rng: random.Random, _: Assignment) -> Assignment:
    """N = 2: keep one binding, replace the object or the attribute of the other."""
    objects = [0, 1]
    rng.shuffle(objects)
    attributes = objects.copy()
    slot = rng.randrange(2)
    rng.choice((objects, attributes))[slot] = NEW
    return Assignment("joint_swap", tuple(objects), tuple(attributes))
