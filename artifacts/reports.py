"""How the check of a finished build is reported: per rule, what was checked and what failed.

Knows nothing of any rule, nor of how a report is printed.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

#: A broken rule tends to fail everywhere; a reader needs a few places to look at, not all.
EXAMPLES_KEPT = 5

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class RuleReport:
    """The outcome of one rule over a build."""

    rule: str
    checked: int
    failed: int
    #: Up to `EXAMPLES_KEPT` findings, one line each, that name what failed.
    examples: tuple[str, ...]


def judge(rule: str, items: Iterable[_Item], check: Callable[[_Item], str | None]) -> RuleReport:
    """Report on `rule` from a check that returns what is wrong with one item, or None."""
    verdicts = [check(item) for item in items]
    return tally(rule, len(verdicts), (finding for finding in verdicts if finding is not None))


def tally(rule: str, checked: int, findings: Iterable[str]) -> RuleReport:
    """Report on `rule` from its findings, one per failed item."""
    remaining = iter(findings)
    examples = tuple(islice(remaining, EXAMPLES_KEPT))
    return RuleReport(rule, checked, len(examples) + sum(1 for _ in remaining), examples)
