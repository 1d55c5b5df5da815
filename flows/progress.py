"""What a command tells while it works, on stderr: results go to stdout and are not its business.

On a terminal a bar shows how far a long step is; elsewhere each step is one plain line. Stages take
a `Progress`; flows pick up the one that the command line set, since Prefect would try to store it
as a parameter. Knows how to show a step; not what steps there are.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from rich.console import Console, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.text import Text

#: Of the states of a long step, where lines can't be redrawn, one in so many is printed.
_EVERY = 30


class Progress(Protocol):
    """Shows the steps of a stage."""

    def step(self, text: str) -> None:
        """Show that a step begins."""
        ...

    def count(self, text: str, done: int, total: int) -> None:
        """Show how far a long step is; may be called often."""
        ...

    def tell(self, text: str, state: str) -> None:
        """Show the state of a long step in place of the one before; may be called often."""
        ...


class Silent:
    """Shows nothing."""

    def step(self, text: str) -> None:
        """Show nothing."""

    def count(self, text: str, done: int, total: int) -> None:
        """Show nothing."""

    def tell(self, text: str, state: str) -> None:
        """Show nothing."""


class PlainLines:
    """One line per step, and one per tenth of a long step."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._tenths: dict[str, int] = {}
        self._told: dict[str, int] = {}

    def step(self, text: str) -> None:
        """Print the step."""
        self._console.print(text, markup=False)

    def count(self, text: str, done: int, total: int) -> None:
        """Print where another tenth is done."""
        tenth = 10 * done // max(total, 1)
        if tenth > self._tenths.get(text, 0):
            self._tenths[text] = tenth
            self._console.print(f"{text}: {done:,} of {total:,}", markup=False)

    def tell(self, text: str, state: str) -> None:
        """Print every so many states."""
        told = self._told.get(text, 0)
        self._told[text] = told + 1
        if told % _EVERY == 0:
            self._console.print(f"{text}: {state}", markup=False)


class BarsAndLines(Bars):
    """A bar per long step, and below them lines of text over the full width.

    As the description of a bar, a line of text would leave no room for the bars of all others.
    """

    def __init__(self, console: Console) -> None:
        #: Replaced and never changed, since another thread draws them.
        self.lines: dict[str, str] = {}
        description = TextColumn("{task.description}", markup=False)
        counts = MofNCompleteColumn(), TimeRemainingColumn()
        super().__init__(description, BarColumn(), *counts, console=console)

    def get_renderables(self) -> Iterable[RenderableType]:
        """Return what is drawn."""
        yield from super().get_renderables()
        for text, state in self.lines.items():
            # The steps above are left to the terminal to wrap; what is redrawn must count its rows.
            yield Text(f"{text}: {state}", style="dim", no_wrap=False, overflow="fold")


class TerminalBars:
    """A line per step, a bar per long step and a text per state, redrawn in place."""

    def __init__(self, bars: BarsAndLines) -> None:
        self._bars = bars
        self._tasks = {task.description: task.id for task in bars.tasks}

    def step(self, text: str) -> None:
        """Print the step above the bars."""
        self._bars.console.print(f"[dim]·[/dim] {escape(text)}")

    def count(self, text: str, done: int, total: int) -> None:
        """Move the bar of that step."""
        if text not in self._tasks:
            self._tasks[text] = self._bars.add_task(text, total=total)
        self._bars.update(self._tasks[text], completed=done, total=total)

    def tell(self, text: str, state: str) -> None:
        """Redraw the text of that step."""
        self._bars.lines = {**self._bars.lines, text: state}


_SILENT = Silent()
_current: ContextVar[Progress] = ContextVar("progress", default=_SILENT)


def current_progress() -> Progress:
    """Return the progress display of this run."""
    return _current.get()


@contextmanager
def showing_progress(*, quiet: bool = False) -> Iterator[Progress]:
    """Show progress on stderr inside the block."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    if quiet:
        yield from _with(_SILENT)
    elif console.is_terminal:
        with BarsAndLines(console) as bars:
            yield from _with(TerminalBars(bars))
    else:
        yield from _with(PlainLines(console))


def _with(progress: Progress) -> Iterator[Progress]:
    token = _current.set(progress)
    try:
        yield progress
    finally:
        _current.reset(token)
