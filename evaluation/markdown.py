"""A table of figures in Markdown, as GitHub reads it.

Knows nothing of what the figures are of. Markdown has one line of headings, so a column's two share
a cell; the second best is underlined by a tag, since Markdown can't.
"""

import re
from collections.abc import Iterable, Sequence

from evaluation.layout import Cell, Row, Table

#: What would format, link, open a tag or end a cell in the middle of a name.
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#&$])")


def markdown_table(table: Table) -> str:
    """Return a table with its title above and its notes below."""
    stub = [table.block_head, "Model"] if table.block_head else ["Model"]
    heads = _heads(table)
    rule = [*(":--" for _ in stub), *("--:" for _ in heads)]
    lines = [_line([*map(escape, stub), *heads]), _line(rule)]
    lines += [_line(_row(row, blocks=bool(table.block_head))) for row in table.rows]
    notes = [f"*{note}*" for note in map(escape, table.notes)]
    return "\n\n".join([f"**{escape(table.title)}**", "\n".join(lines), *notes]) + "\n"


def markdown_rows(
    heads: Sequence[str], rows: Iterable[Iterable[str]], *, figures: bool = False
) -> str:
    """Return a plain table of texts; of figures, all but the first column stand on the right."""
    names = [escape(head) for head in heads]
    rule = [":--", *("--:" if figures else ":--" for _ in names[1:])]
    return "\n".join([_line(names), _line(rule), *(_line(map(escape, row)) for row in rows)]) + "\n"


def escape(text: str) -> str:
    """Return a text that Markdown shows as it is, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _heads(table: Table) -> list[str]:
    """Return a heading per column, with its group's where there is more than one group."""
    groups = {column.group for column in table.columns if column.group}
    if len(groups) < 2:
        return [escape(column.head) for column in table.columns]
    return [f"{escape(column.group)}<br>{escape(column.head)}" for column in table.columns]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _row(row: Row, *, blocks: bool) -> list[str]:
    named = [row.block, row.label] if blocks else [row.label]
    return [*map(escape, named), *map(_cell, row.cells)]


def _cell(cell: Cell) -> str:
    if cell.mark == "best":
        return f"**{cell.text}**"
    return f"<ins>{cell.text}</ins>" if cell.mark == "second" else cell.text
