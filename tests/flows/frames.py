"""A terminal that is none, and what can be read on it in the end."""

import re
from io import StringIO

import pytest
from rich.console import Console

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
#: Goes up over what was drawn before, to draw anew.
_REDRAWN = re.compile(r"\r\x1b\[2K(?:\x1b\[1A\x1b\[2K)*")


def terminal(monkeypatch: pytest.MonkeyPatch) -> Console:
    """Return a terminal of 80 columns, as `showing_progress` opens the one of a command."""
    monkeypatch.setenv("TERM", "xterm")
    return Console(
        file=StringIO(),
        force_terminal=True,
        width=80,
        height=24,
        highlight=False,
        soft_wrap=True,
    )


def written(console: Console) -> str:
    """Return all that was written to such a terminal."""
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def last_frame(console: Console) -> list[str]:
    """Return the rows that were drawn last."""
    frame = _CONTROL.sub("", _REDRAWN.split(written(console))[-1])
    return [row.rstrip() for row in frame.splitlines()]
