"""Splits of the text dataset (section B.5): which examples train, validate, test or are held out.

Knows constructions and core words; nothing of files.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from artifacts.records import Split
from artifacts.seeds import derive_random

#: Never seen in training: both constructions that defer the binding.
HELD_OUT = frozenset({"deferred_bind_anaphoric", "deferred_bind_respective"})
#: Validation and test take one tenth each of what is not held out, training the rest.
TENTH = 10


@dataclass(frozen=True, slots=True)
class Member:
    """An example as far as splits are concerned."""

    example_id: str
    construction: str
    #: Its attributes and objects, whatever their pairing: examples that share them share a split.
    words: Hashable


def assign_splits(members: Sequence[Member], seed: int) -> Iterator[tuple[str, Split]]:
    """Yield (example_id, split) in the order of `members`."""
    open_members = [member for member in members if member.construction not in HELD_OUT]
    groups = _groups(open_members)
    derive_random(seed, "splits").shuffle(groups)
    tenth = len(open_members) // TENTH
    room: dict[Split, int] = {"validation": tenth, "test": tenth}
    split_of: dict[Hashable, Split] = {}
    for words, size in groups:
        split_of[words] = "train"
        for split, left in room.items():
            if size <= left:
                room[split] = left - size
                split_of[words] = split
                break
    for member in members:
        held_out = member.construction in HELD_OUT
        yield member.example_id, "held_out" if held_out else split_of[member.words]


def _groups(members: Sequence[Member]) -> list[tuple[Hashable, int]]:
    sizes: dict[Hashable, int] = {}
    for member in members:
        sizes[member.words] = sizes.get(member.words, 0) + 1
    return list(sizes.items())
