"""How reports of rules, counts and coverage are printed."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from artifacts.reports import RuleReport

if TYPE_CHECKING:
    from flows.stages.parsing import ParseReport
    from validators.audit.reports import AuditReport
    from validators.benchmark import CoverageRow
    from validators.dataset.statistics import ConstructionStatistics

#: Columns of a table that goes to a file or another program.
_PIPED_WIDTH = 160


def print_rules(title: str, reports: Sequence[RuleReport]) -> None:
    """Print one line per rule, then what the failed ones found, a line each."""
    print(title)
    table = _table("rule", "checked", "failed")
    for report in reports:
        table.add_row(report.rule, f"{report.checked:,}", f"{report.failed:,}")
    _show(table)
    for report in reports:
        for finding in report.examples:
            print(f"{report.rule}: {finding}")


def print_counts(title: str, counts: Mapping[str, int]) -> None:
    """Print one line per kind of record."""
    print(title)
    table = _table("record", "rows")
    for kind, rows in counts.items():
        table.add_row(kind, f"{rows:,}")
    _show(table)


def print_rows(title: str, rows: Sequence[Mapping[str, str | int | float]]) -> None:
    """Print rows that have the same columns."""
    print(title)
    first, *others = rows[0] if rows else ("nothing",)
    table = _table(first, *others)
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    _show(table)


def print_parses(reports: "Sequence[ParseReport]") -> None:
    """Print what the parser sees of the intended bindings; nothing where it wasn't asked."""
    if reports:
        rows: list[dict[str, str | int | float]] = [
            {
                "construction": report.construction,
                "bindings": report.intended,
                "parser agrees %": 100 * report.agreed / report.intended,
                "objects as nouns %": 100 * report.object_nouns,
                "attributes as adjectives %": 100 * report.attribute_adjectives,
            }
            for report in reports
        ]
        print_rows("second opinion of spaCy's parser, which rejects nothing", rows)


def print_statistics(title: str, statistics: "Sequence[ConstructionStatistics]") -> None:
    """Print what each construction holds."""
    print_rows(
        title,
        [
            {
                "construction": found.construction,
                "accepted": found.accepted,
                "rejected": found.rejected,
                "words": found.mean_length_words,
                "nouns": found.nouns,
                "adjectives": found.adjectives,
                "also in training": _number(found.also_in_training),
                "rejected by": ", ".join(f"{rule} {n}" for rule, n in found.reasons[:2]),
            }
            for found in statistics
        ],
    )


def print_audit(report: "AuditReport") -> None:
    """Print what a caption alone gives away, and the pooled statistics."""
    print_rows(
        f"audit of {report.pairs:,} pairs: how often a scorer of captions alone is right",
        [
            {
                "scorer": figure.name,
                "construction": figure.construction or "all",
                "right %": "-" if figure.accuracy is None else f"{figure.accuracy:.2f}",
                "interval": "-" if figure.low is None else f"{figure.low:.2f}–{figure.high:.2f}",
                "allowed": "" if figure.limit is None else f"{figure.limit:g}",
                "gate": figure.verdict or "",
            }
            for figure in report.scorers
        ],
    )
    print_rows(
        "properties of the texts, all constructions pooled",
        [
            {
                "property": " ".join(filter(None, (found.name, found.subject))),
                "value": found.value,
                "unit": found.unit,
                "expected": "" if found.expected is None else f"{found.expected:.2f}",
                "counted": found.counted,
            }
            for found in report.statistics
            if found.construction is None
        ],
    )


def print_samples(samples: Sequence[Mapping[str, str]]) -> None:
    """Print examples as a reader would like to see them."""
    for sample in samples:
        print(f"\n{sample['construction']}: {sample['query']}")
        print(f"  + {sample['positive']}")
        print(f"  - {sample['negative_attribute']}")
        print(f"  - {sample['negative_object']}")


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _cell(value: str | int | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else f"{value:.2f}"


def print_coverage(rows: "Sequence[CoverageRow]") -> None:
    """Print how evenly the words are drawn."""
    print("draws per word")
    table = _table("words", "number", "fewest", "median", "most")
    for row in rows:
        table.add_row(
            row.kind, f"{row.words:,}", f"{row.fewest:,}", f"{row.middle:g}", f"{row.most:,}"
        )
    _show(table)


def print_json(value: object) -> None:
    """Print a JSON document on stdout."""
    print(json.dumps(value, ensure_ascii=False, indent=2, default=_plain))


def _plain(value: object) -> object:
    return asdict(value)  # type: ignore[call-overload]


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right")
    return table


def _show(table: Table) -> None:
    # Elsewhere than on a terminal lines may be long: a word cut in two is no use to a program.
    width = None if sys.stdout.isatty() else _PIPED_WIDTH
    Console(highlight=False, width=width).print(table)
