"""Numbers in a register's phrases: "Lot {n}:", "Handover, {h}:{m}:", "Act {m}:".

Knows nothing of the phrases that hold them.
"""

import re

from generators.embedded.pen import Pen

_SLOT = re.compile(r"\{h\}:\{m\}|\{n\}|\{m\}")
#: The earliest and latest hour by a word of the time of day.
_HOURS = {
    "dawn": (4, 4),
    "sunrise": (6, 7),
    "midmorning": (9, 10),
    "noon": (11, 12),
    "afternoon": (14, 15),
    "sunset": (18, 19),
    "evening": (19, 21),
    "midnight": (22, 23),
}


def fill_numbers(pen: Pen, text: str) -> str:
    """Put a number, an hour and minute, or a small number where `text` asks for one."""
    return _SLOT.sub(lambda match: _draw(pen, match.group()), text) if "{" in text else text


def _draw(pen: Pen, slot: str) -> str:
    if slot == "{n}":
        return str(pen.between(2, 240))
    if slot == "{m}":
        return str(pen.between(1, 9))
    return f"{pen.between(*_hours(pen.plan.time)):02}:{pen.between(1, 59):02}"


def _hours(time: str | None) -> tuple[int, int]:
    """Return the hours that a clock may show at a time of day."""
    words = (time or "").split()
    return next((hours for word, hours in _HOURS.items() if word in words), (6, 21))
