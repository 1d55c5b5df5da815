"""What a terminal of 80 columns shows of a build: bars with their counts, and lines in full."""

import re

import pytest
from rich.console import Console

from flows.progress import BarsAndLines, TerminalBars
from generators.constructions import CONSTRUCTIONS
from tests.flows.frames import last_frame, terminal, written

STATUS = (
    "1,017 of 1,064 in flight, 1,052.3 requests/s, at least 107,233 tokens/s, tokens at least "
    "43,850,800 in and 4,106,400 out, 93% accepted, 1,271 faults, 1,180.5 min left, cost 1,123.45"
)


@pytest.fixture
def console(monkeypatch: pytest.MonkeyPatch) -> Console:
    return terminal(monkeypatch)


def _shown(console: Console, states: dict[str, str]) -> list[str]:
    """Return the rows that are left of a run that told these states, and of all constructions."""
    with BarsAndLines(console) as drawn:
        bars = TerminalBars(drawn)
        for text, state in states.items():
            bars.tell(text, state)
        for name in CONSTRUCTIONS:
            bars.count(name, 0, 100_000)
            bars.count(name, 12_345, 100_000)
    return last_frame(console)


@pytest.mark.parametrize("states", [{}, {"server": STATUS, "pair_swap": "30% of 9 attempts"}])
def test_a_bar_has_its_name_and_its_counts_whatever_else_is_told(
    console: Console, states: dict[str, str]
) -> None:
    rows = _shown(console, states)
    for name in CONSTRUCTIONS:
        (row,) = (row for row in rows if row.startswith(f"{name} "))
        assert re.search(r"━{10}.* 12345/100000 ", row)
    assert sum("━" in row for row in rows) == len(CONSTRUCTIONS)


def test_of_a_long_line_nothing_is_lost(console: Console) -> None:
    rows = _shown(console, {"server": STATUS, "pair_swap": "[bold] " + "x" * 100})
    assert max(map(len, rows)) <= 80
    texts = rows[len(CONSTRUCTIONS) :]
    assert "".join(texts).replace(" ", "") == (
        f"server:{STATUS}pair_swap:[bold]{'x' * 100}".replace(" ", "")
    )
    assert " ".join(texts).split()[: len(STATUS.split()) + 1] == f"server: {STATUS}".split()


def test_the_last_state_takes_the_place_of_the_ones_before(console: Console) -> None:
    with BarsAndLines(console) as drawn:
        bars = TerminalBars(drawn)
        for done in (235, 300):
            bars.tell("server", f"{done} of many")
            bars.count("pair_swap", done, 300)
            drawn.refresh()
    rows = last_frame(console)
    assert "235/300" in written(console)
    assert " 300/300 " in rows[0]
    assert rows[1:] == ["server: 300 of many"]
