"""Rules on the order of acceptance, replayed from the accepted words: caps and duplicates (B.3).

The arithmetic is written anew; the ledger that admitted the words is no witness here.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import duckdb

from artifacts.reports import RuleReport
from validators.constructions import CHECKERS
from validators.dataset.case import fold
from validators.dataset.expectation import DatasetExpectation
from validators.dataset.findings import Tally
from validators.dataset.rows import stream_rows

#: A word may always occur so often.
_FREE_OCCURRENCES = 10
#: Beyond that, so often in 10,000 accepted examples for each attribute of an example.
_SHARE = 75

_WORDS = """
    SELECT words.construction, words.attempt, words.attributes, words.objects, example_id
    FROM accepted_words AS words
    LEFT JOIN (FROM examples SELECT construction, attempt, example_id)
    USING (construction, attempt)
    WHERE words.construction = $1 ORDER BY words.attempt
"""


class _Accepted(NamedTuple):
    name: str
    attributes: list[str]
    objects: list[str]


def words_admitted_below_their_cap(
    connection: duckdb.DuckDBPyConnection, expected: DatasetExpectation
) -> RuleReport:
    """When an example was accepted, each of its words, in its role, had occurred below the cap."""
    tally = Tally("words_admitted_below_their_cap")
    for construction in _known(expected):
        attributes_per_example = _attributes_per_example(construction)
        used: Counter[tuple[str, str]] = Counter()
        for before, accepted in enumerate(_replay(connection, construction)):
            cap = max(_FREE_OCCURRENCES, _SHARE * attributes_per_example * before // 10_000)
            words = [("attribute", word) for word in accepted.attributes]
            words += [("object", word) for word in accepted.objects]
            over = [f"{role} {word!r}" for role, word in words if used[role, word] >= cap]
            tally.add(
                f"{accepted.name}: over the cap of {cap}: {', '.join(over)}" if over else None
            )
            used.update(words)
    return tally.report()


def no_word_set_accepted_twice(
    connection: duckdb.DuckDBPyConnection, expected: DatasetExpectation
) -> RuleReport:
    """No two examples of a construction have the same attributes and objects."""
    tally = Tally("no_word_set_accepted_twice")
    for construction in _known(expected):
        seen: dict[int, str] = {}
        for accepted in _replay(connection, construction):
            # A hash for the words: over a million examples two of them meet once in 10^7 builds.
            words = hash((tuple(sorted(accepted.attributes)), tuple(sorted(accepted.objects))))
            earlier = seen.setdefault(words, accepted.name)
            is_new = earlier is accepted.name
            tally.add(None if is_new else f"{accepted.name}: the words of {earlier}")
    return tally.report()


def _known(expected: DatasetExpectation) -> list[str]:
    return [construction for construction in expected.quotas if construction in CHECKERS]


def _attributes_per_example(construction: str) -> int:
    shape = CHECKERS[construction]
    return shape.objects * shape.attributes_per_object


def _replay(connection: duckdb.DuckDBPyConnection, construction: str) -> Iterator[_Accepted]:
    for row in stream_rows(connection, _WORDS, [construction]):
        yield _Accepted(
            row["example_id"] or f"{construction} attempt {row['attempt']}",
            [*map(fold, row["attributes"])],
            [*map(fold, row["objects"])],
        )
