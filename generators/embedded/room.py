"""How many distractors a text has room for; planners ask before they draw any."""

from artifacts.plans import Range
from generators.constructions.base import Construction

#: "a broken kite" and the word that brings it in.
_DISTRACTOR_WORDS = 4
#: The most that section B.3 asks for.
_MOST = 3
#: A register's lead.
_LEAD_WORDS = 3


def distractor_room(construction: Construction, band: Range, window: Range) -> int:
    """Return the most distractors (0 to 3) that fit beside core words, frame and distance."""
    if not construction.takes_distractors:
        return 0
    frame = construction.core_words + construction.frame_words + _LEAD_WORDS
    room = band.high - frame - construction.gaps * window.low
    return max(0, min(_MOST, room // _DISTRACTOR_WORDS))
