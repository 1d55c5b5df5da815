"""Made-up pairs: an attribute swap in a fixed frame, the positive drawn from both arrangements."""

import random
from collections.abc import Callable

from validators.audit import PairTable, make_pairs

ATTRIBUTES = ("red", "old", "wet", "icy", "dim", "odd", "new", "ugly", "big", "arid")
OBJECTS = ("kite", "cube", "egg", "lamp", "oven", "boat", "drum", "inn", "rope", "vase")
FILLERS = tuple(f"filler{number}" for number in range(60))

#: Attributes and objects as indices, in text order.
Arrangement = tuple[tuple[int, int], tuple[int, int]]


def article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


def caption(arrangement: Arrangement, fillers: tuple[str, str]) -> str:
    """Return a caption in which only the first attribute has an article: a swap may change it."""
    attributes, objects = arrangement
    first, second = (ATTRIBUTES[number] for number in attributes)
    return (
        f"{article(first).capitalize()} {first} {OBJECTS[objects[0]]} {fillers[0]} by her "
        f"{second} {OBJECTS[objects[1]]}, {fillers[1]}."
    )


def swapped(arrangement: Arrangement) -> Arrangement:
    (first, second), objects = arrangement
    return (second, first), objects


def permutations(
    number: int, *, seed: int = 1, prefers: Callable[[Arrangement], bool] | None = None
) -> PairTable:
    """Return pairs by attribute swap; where `prefers` holds for one arrangement only, that is it.

    Fillers keep two pairs of the same four words apart, in texts as in groups.
    """
    draw = random.Random(seed)
    positives, negatives = [], []
    for _ in range(number):
        attributes = draw.sample(range(len(ATTRIBUTES)), 2)
        objects = draw.sample(range(len(OBJECTS)), 2)
        one: Arrangement = ((attributes[0], attributes[1]), (objects[0], objects[1]))
        if prefers is not None and prefers(swapped(one)) and not prefers(one):
            one = swapped(one)
        fillers = (draw.choice(FILLERS), draw.choice(FILLERS))
        positives.append(caption(one, fillers))
        negatives.append(caption(swapped(one), fillers))
    return make_pairs(positives, negatives)


def likes_even_sums(arrangement: Arrangement) -> bool:
    """Whether the first object has an attribute of its own parity: a property of one bigram."""
    attributes, objects = arrangement
    return (attributes[0] + objects[0]) % 2 == 0
