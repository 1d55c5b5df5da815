"""How findings become reports: from one query's rows, or one by one while rows stream past.

Knows nothing of any rule.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import duckdb

from artifacts.reports import EXAMPLES_KEPT, RuleReport, tally


@dataclass(slots=True)
class Tally:
    """A report that grows with every item, and keeps no more than the report will."""

    rule: str
    checked: int = 0
    failed: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, finding: str | None) -> None:
        """Count one more item, with what is wrong with it."""
        self.checked += 1
        if finding is not None:
            self.failed += 1
            if len(self.examples) < EXAMPLES_KEPT:
                self.examples.append(finding)

    def report(self) -> RuleReport:
        """Return the report so far."""
        return RuleReport(self.rule, self.checked, self.failed, tuple(self.examples))


def report_rows(
    connection: duckdb.DuckDBPyConnection,
    rule: str,
    checked: str,
    failing: str,
    parameters: Sequence[object] = (),
) -> RuleReport:
    """Report on a rule: `checked` counts its items, `failing` selects one text per failed item."""
    rows = connection.execute(failing, list(parameters)).fetchall()
    return tally(rule, number(connection, checked), (finding for (finding,) in rows))


def number(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[object] = ()
) -> int:
    """Return the one number that a query asks for."""
    # All rows at once: a result that isn't read to its end blocks the connection.
    [(found,)] = connection.execute(query, list(parameters)).fetchall()
    return int(found)
