"""Numbers in a register's phrases: "Lot {n}:", "Handover, {h}:{m}:", "Act {m}:".

Knows nothing of the phrases that hold them.
"""

import re

from generators.embedded.pen import Pen

_SLOT = re.compile(r"\{h\}:\{m\}|\{n\}|\{m\}")


def fill_numbers(pen: Pen, text: str) -> str:
    """Put a number, an hour and minute, or a small number where `text` asks for one."""
    return _SLOT.sub(lambda match: _draw(pen, match.group()), text) if "{" in text else text


def _draw(pen: Pen, slot: str) -> str:
    if slot == "{n}":
        return str(pen.between(2, 240))
    if slot == "{m}":
        return str(pen.between(1, 9))
    return f"{pen.between(6, 21):02}:{pen.between(1, 59):02}"
