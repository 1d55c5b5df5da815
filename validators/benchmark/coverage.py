"""How evenly the words are drawn over a build.

A draw is one binding of an independent query, or of the largest query of a chain: a chain counts
once, since its smaller queries repeat the same bindings.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

import duckdb

from artifacts.reports import RuleReport, tally
from validators.benchmark.tables import Benchmark
from vocab.benchmark_words import Vocabulary

_DRAWS = """
WITH drawn AS (
    SELECT query_scene_id AS scene_id FROM questions WHERE subset = 'independent'
    UNION ALL
    SELECT arg_max(query_scene_id, n) FROM questions WHERE subset = 'nested' GROUP BY chain_id
)
SELECT binding.object, binding.attribute
FROM drawn JOIN scenes USING (scene_id), unnest(bindings) AS pair(binding)
"""


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """How often the words of one kind are drawn."""

    #: `objects` or `attributes`.
    kind: str
    words: int
    draws: int
    fewest: int
    middle: float
    most: int


def coverage_table(
    connection: duckdb.DuckDBPyConnection, vocabulary: Vocabulary
) -> list[CoverageRow]:
    """Return the fewest, the median and the most draws of a word, for objects and attributes."""
    return [
        CoverageRow(
            kind,
            words=len(draws),
            draws=sum(draws.values()),
            fewest=min(draws.values()),
            middle=median(draws.values()),
            most=max(draws.values()),
        )
        for kind, draws in _count_draws(connection, vocabulary).items()
    ]


def coverage(benchmark: Benchmark) -> RuleReport:
    """No word is drawn above twice its fair share, and every word where there are draws enough."""
    counted = _count_draws(benchmark.connection, benchmark.expected.vocabulary)
    findings = [finding for draws in counted.values() for finding in _uneven(draws)]
    return tally("coverage", sum(map(len, counted.values())), findings)


def independent_queries_differ(benchmark: Benchmark) -> RuleReport:
    """No two independent questions ask for the same bindings."""
    first: dict[frozenset[tuple[str, str]], str] = {}
    findings = []
    independent = [each for each in benchmark.questions if each.subset == "independent"]
    for question in independent:
        earlier = first.setdefault(question.query.binding_set, question.question_id)
        if earlier != question.question_id:
            findings.append(f"{question.question_id}: asks what {earlier} asks")
    return tally("independent_queries_differ", len(independent), findings)


def _count_draws(
    connection: duckdb.DuckDBPyConnection, vocabulary: Vocabulary
) -> Mapping[str, Mapping[str, int]]:
    rows = connection.execute(_DRAWS).fetchall()
    objects, attributes = Counter(row[0] for row in rows), Counter(row[1] for row in rows)
    return {
        "objects": {name: objects[name] for name in vocabulary.objects},
        "attributes": {each.name: attributes[each.name] for each in vocabulary.attributes},
    }


def _uneven(draws: Mapping[str, int]) -> list[str]:
    total = sum(draws.values())
    ceiling = max(2.0, 2 * total / len(draws))
    floor = 1 if total >= len(draws) else 0
    return [
        f"{word}: drawn {count} times of {total}, expected {floor} to {ceiling:g}"
        for word, count in draws.items()
        if not floor <= count <= ceiling
    ]
