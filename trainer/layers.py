"""Which layer of a backbone a module is in, by the recipe's own pattern.

Knows names only: of modules, or of an adapter's weights. A pattern that would take a vision block
for a text layer, or half of a number for the number, is refused here, once for all its users.
"""

import re
from collections.abc import Iterable

from artifacts.errors import TrainingError


def layer_of(name: str, pattern: str) -> int | None:
    """Return the number of the layer that `name` is in, or None if it is in none."""
    found = re.search(pattern, name)
    if found is None:
        return None
    start, end = found.span(1)
    whole = name[:start].endswith(".") and (name[end:] or ".").startswith(".")
    if not whole or not found.group(1).isdecimal():
        raise TrainingError(
            f"layer pattern {pattern!r}: expected its group to be the number between two dots of a "
            f"module's name, found {found.group(1)!r} in {name}"
        )
    return int(found.group(1))


def count_layers(names: Iterable[str], pattern: str) -> int:
    """Return how many layers the modules `names` have; they must be of one stack, 0 to the last.

    Raises TrainingError if there is none, or if the pattern finds layers in two places, say in a
    text and in a vision tower.
    """
    stacks: dict[str, set[int]] = {}
    for name in names:
        number = layer_of(name, pattern)
        if number is not None:
            stacks.setdefault(_stack(name, pattern), set()).add(number)
    if not stacks:
        raise TrainingError(f"layer pattern {pattern!r} finds no layer among the modules")
    if len(stacks) > 1:
        raise TrainingError(
            f"layer pattern {pattern!r}: expected layers of one stack, found them in "
            f"{' and '.join(sorted(stacks))}; name one of them in the pattern"
        )
    (numbers,) = stacks.values()
    return max(numbers) + 1


def _stack(name: str, pattern: str) -> str:
    found = re.search(pattern, name)
    assert found is not None
    return name[: found.start(1) - 1]
