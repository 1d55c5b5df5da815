"""What a construction is: sizes, bands, windows, and the two moves that make its negatives.

A construction has object slots and attribute slots in the order in which its text mentions the
objects. A *move* says, for every slot, from which slot its word comes. Its `realise` writes the
sentence that binds them, for the embedded writer. Knows nothing of files, or of how the result is
judged.
"""

from collections.abc import Callable
from dataclasses import dataclass

from artifacts.plans import Plan, Range
from generators.embedded.pen import Pen, Sentence

#: Nominal bands in words for two objects (section B.3).
SHORT_BANDS = (Range(10, 15), Range(16, 22), Range(23, 30), Range(31, 42))
#: The three-object constructions shift them up by 2, 3, 3 and 4 words.
TRIPLE_BANDS = (Range(12, 17), Range(19, 25), Range(26, 33), Range(35, 46))
#: The deferred constructions use only the three longer ones.
DEFERRED_BANDS = SHORT_BANDS[1:]

#: Where slot i's word comes from, one entry per slot.
Move = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Moves:
    """The attribute move per attribute slot level, and the object move."""

    attributes: tuple[Move, ...]
    objects: Move


@dataclass(frozen=True, slots=True)
class Construction:
    """One of the constructions of section B.2, as data."""

    name: str
    quota: int
    objects: int
    attributes_per_object: int
    bands: tuple[Range, ...]
    windows: tuple[Range, ...]
    #: Fewest words beside the core words in which the embedded writer can frame an example.
    frame_words: int
    #: How many gaps must each be at least the window's lower end.
    gaps: int
    takes_distractors: bool
    #: The moves that turn a positive into its negatives, given what the plan drew.
    moves: Callable[[Plan], Moves]
    #: Writes the sentence proper of a plan, for the embedded writer.
    realise: Callable[[Pen], Sentence]
    #: Extra draws: which of kept_pair, swapped_slot, described_first, direction this one plans.
    draws: frozenset[str] = frozenset()

    @property
    def core_words(self) -> int:
        """Number of core words when every object is a single word."""
        return self.objects * (1 + self.attributes_per_object)

    def admits(self, band: Range, window: Range) -> bool:
        """Whether a text of this band has room for this window (section B.3)."""
        return self.core_words + self.frame_words + self.gaps * window.low <= band.high
