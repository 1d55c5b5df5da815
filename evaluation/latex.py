r"""A table of figures in LaTeX, in the paper's form: booktabs, grouped columns, blocks of rows.

Needs `\usepackage{booktabs}`, and knows nothing of what the figures are of.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from evaluation.layout import Cell, Column, Row, Table

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    # After the end of a row these would be read as its options.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "→": r"$\to$",
    "–": "--",
}
_TABLE = str.maketrans(_SPECIAL)


def latex_table(table: Table) -> str:
    """Return a floating table; the title is its caption, with the notes after it."""
    stub = ["", ""] if table.block_head else [""]
    caption = " ".join(f"{sentence.rstrip('.')}." for sentence in (table.title, *table.notes))
    lines = [
        r"% Needs \usepackage{booktabs}.",
        r"\begin{table*}",
        r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
        rf"\caption{{{escape(caption)}}}",
        rf"\label{{tab:{table.name}}}",
        rf"\begin{{tabular}}{{{'l' * len(stub)}{'r' * len(table.columns)}}}",
        r"\toprule",
        *_heads(table, stub),
        r"\midrule",
        *_body(table.rows, blocks=bool(table.block_head)),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table*}",
    ]
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """Return a text that LaTeX prints as it is, on one line."""
    return " ".join(text.split()).translate(_TABLE)


def _heads(table: Table, stub: Sequence[str]) -> Iterator[str]:
    groups = [(group, len(list(same))) for group, same in groupby(table.columns, _group)]
    if any(group for group, _ in groups):
        yield _line([*stub, *(_spanning(group, width) for group, width in groups)])
        yield from _rules(groups, first=len(stub) + 1)
    names = [table.block_head, "Model"] if table.block_head else ["Model"]
    yield _line(escape(head) for head in [*names, *(column.head for column in table.columns)])


def _group(column: Column) -> str:
    return column.group


def _spanning(group: str, width: int) -> str:
    return rf"\multicolumn{{{width}}}{{c}}{{{escape(group)}}}" if group else " & " * (width - 1)


def _rules(groups: Sequence[tuple[str, int]], first: int) -> Iterator[str]:
    for group, width in groups:
        if group:
            yield rf"\cmidrule(lr){{{first}-{first + width - 1}}}"
        first += width


def _body(rows: Sequence[Row], *, blocks: bool) -> Iterator[str]:
    """Yield the rows, a rule between blocks, and a space where others than runs begin."""
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        yield _line(_row(row, blocks=blocks))
        if following is not None and following.block != row.block:
            yield r"\midrule"
        elif following is not None and following.origin != row.origin:
            yield r"\addlinespace"


def _row(row: Row, *, blocks: bool) -> list[str]:
    named = [row.block, row.label] if blocks else [row.label]
    return [*map(escape, named), *map(_cell, row.cells)]


def _line(cells: Iterable[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    if cell.mark == "best":
        return rf"\textbf{{{text}}}"
    return rf"\underline{{{text}}}" if cell.mark == "second" else text
