"""What a dataset looks like, construction by construction, for a reader to see at a glance.

Judges nothing.
"""

from collections import defaultdict
from dataclasses import dataclass

import duckdb

from validators.dataset.splits import WORD_SET

#: How many of the most frequent reasons are kept.
_REASONS_KEPT = 5


@dataclass(frozen=True, slots=True)
class ConstructionStatistics:
    """The figures of one construction."""

    construction: str
    accepted: int
    rejected: int
    mean_length_words: float
    #: Distinct, case folded.
    nouns: int
    adjectives: int
    registers: int
    openers: int
    #: Rules by how many attempts they rejected, the most frequent first.
    reasons: tuple[tuple[str, int], ...]
    #: Held-out examples whose attributes and objects also occur in training; None where nothing
    #: is held out.
    also_in_training: int | None

    @property
    def acceptance(self) -> float | None:
        """Share of the judged attempts that were accepted; None where none was judged."""
        judged = self.accepted + self.rejected
        return self.accepted / judged if judged else None


_EXAMPLES = """
    SELECT construction, count(*), avg(length_words), count(DISTINCT register),
        count(DISTINCT opener)
    FROM examples GROUP BY ALL ORDER BY ALL
"""
_WORDS = """
    SELECT construction, count(DISTINCT lower(word)) FROM (
        SELECT construction, unnest({words}) AS word FROM examples
    ) GROUP BY ALL
"""
_ADJECTIVES = _WORDS.format(words="flatten([pair.attributes FOR pair IN pairs])")
_NOUNS = _WORDS.format(words="[pair.object FOR pair IN pairs]")
_REJECTED = "SELECT construction, count(*) FROM rejections GROUP BY ALL"
_REASONS = """
    SELECT construction, reason, count(*) FROM (
        SELECT construction, unnest(list_distinct(reasons)) AS reason FROM rejections
    ) GROUP BY ALL ORDER BY count(*) DESC, reason
"""
_SHARED = f"""
    WITH trained AS (SELECT DISTINCT {WORD_SET} AS words FROM examples WHERE split = 'train')
    SELECT construction, count(trained.words) FROM (
        SELECT construction, {WORD_SET} AS words FROM examples WHERE split = 'held_out'
    ) AS held LEFT JOIN trained ON held.words = trained.words GROUP BY ALL
"""


def dataset_statistics(connection: duckdb.DuckDBPyConnection) -> list[ConstructionStatistics]:
    """Return the figures of each construction that has examples, in alphabetical order."""
    adjectives, nouns = _counts(connection, _ADJECTIVES), _counts(connection, _NOUNS)
    rejected, shared = _counts(connection, _REJECTED), _counts(connection, _SHARED)
    reasons: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for construction, reason, attempts in connection.execute(_REASONS).fetchall():
        reasons[construction].append((reason, attempts))
    return [
        ConstructionStatistics(
            construction=construction,
            accepted=accepted,
            rejected=rejected.get(construction, 0),
            mean_length_words=length,
            nouns=nouns.get(construction, 0),
            adjectives=adjectives.get(construction, 0),
            registers=registers,
            openers=openers,
            reasons=tuple(reasons[construction][:_REASONS_KEPT]),
            also_in_training=shared.get(construction),
        )
        for construction, accepted, length, registers, openers in connection.execute(
            _EXAMPLES
        ).fetchall()
    ]


def _counts(connection: duckdb.DuckDBPyConnection, query: str) -> dict[str, int]:
    return dict(connection.execute(query).fetchall())
