"""Gates on what chance decides: each draw comes out about as often as it should.

A gate judges the dataset as a whole, by counts taken while its rows stream past.
"""

from collections import Counter
from dataclasses import dataclass, field
from itertools import permutations
from math import factorial, lcm

from artifacts.reports import RuleReport, judge, tally
from artifacts.words import words_of
from validators.chance import is_plausible
from validators.dataset.case import Case, Move, draft_text, fold, one_article

#: How far from one half the share of second objects described first may be.
_MOST_IMBALANCE = 0.02
#: From so many examples on, that is over 3.5 standard deviations; with fewer, chance decides.
_ENOUGH_DESCRIBED = 7_500


@dataclass(slots=True)
class Draws:
    """How often each draw came out each way."""

    #: By construction and by the mentions that the query lists.
    query_orders: Counter[tuple[str, tuple[int, ...]]] = field(default_factory=Counter)
    #: By mention.
    described_first: Counter[int] = field(default_factory=Counter)
    #: By construction, size of the orbit, and whether the positive is the draft.
    as_drafted: Counter[tuple[str, int, bool]] = field(default_factory=Counter)

    def count(self, case: Case) -> None:
        """Count the draws of one example."""
        row, mentioned = case.row, case.positive.objects
        order = tuple(mentioned.index(fold(pair.object)) for pair in row.pairs)
        self.query_orders[row.construction, order] += 1
        if row.described_first is not None:
            self.described_first[row.described_first] += 1
        drafted = draft_text(row) if row.counterbalanced else None
        if drafted is not None:
            is_draft = _says(words_of(drafted)) == _says(case.positive.words)
            self.as_drafted[row.construction, _orbit_size(case), is_draft] += 1


def query_order_is_drawn(draws: Draws) -> RuleReport:
    """The query lists the pairs in each order about equally often, whatever the text's."""
    findings, checked = [], 0
    totals: Counter[tuple[str, int]] = Counter()
    for (construction, order), found in draws.query_orders.items():
        totals[construction, len(order)] += found
    for (construction, length), total in sorted(totals.items()):
        for order in permutations(range(length)):
            checked += 1
            found = draws.query_orders[construction, order]
            if not is_plausible(found, total, 1 / factorial(length)):
                findings.append(
                    f"{construction}: mentions {list(order)} in {found} of {total} queries"
                )
    return tally("query_order_is_drawn", checked, findings)


def second_object_described_first_in_half(draws: Draws) -> RuleReport:
    """The second object is described first in half of the examples that describe by reference."""
    total, second = draws.described_first.total(), draws.described_first[1]
    if total < _ENOUGH_DESCRIBED:
        passes = is_plausible(second, total, 0.5)
    else:
        passes = abs(second / total - 0.5) <= _MOST_IMBALANCE
    finding = f"the second object is described first in {second} of {total} examples"
    return tally("second_object_described_first_in_half", total, [] if passes else [finding])


def positive_is_drawn_from_the_orbit(draws: Draws) -> RuleReport:
    """Where counterbalanced, the positive is the draft as often as any other arrangement."""
    groups = sorted({(construction, size) for construction, size, _ in draws.as_drafted})

    def check(group: tuple[str, int]) -> str | None:
        drafted, others = (draws.as_drafted[*group, is_draft] for is_draft in (True, False))
        construction, size = group
        if is_plausible(drafted, drafted + others, 1 / size):
            return None
        return (
            f"{construction}: the draft itself in {drafted} of {drafted + others}, not 1 in {size}"
        )

    return judge("positive_is_drawn_from_the_orbit", groups, check)


def _says(words: list[str]) -> list[str]:
    return one_article([word.casefold() for word in words])


def _orbit_size(case: Case) -> int:
    """How many arrangements the moves reach; they move different words, so orders multiply."""
    return _order(case.attribute_move) * _order(case.object_move)


def _order(move: Move) -> int:
    """How often a move has to be made until every word is back."""
    cycles = []
    for start in range(len(move)):
        place, length = move[start], 1
        while place != start:
            place, length = move[place], length + 1
        cycles.append(length)
    return lcm(*cycles)
