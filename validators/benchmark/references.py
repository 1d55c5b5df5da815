"""Rules on counts and identifiers: how many there are, and that all of them find each other.

SQL over the views alone, so that rows that can't be joined are seen too. Knows nothing of words.
"""

import duckdb

from artifacts.records import ROLES
from artifacts.reports import RuleReport, tally
from validators.benchmark.tables import Benchmark

_KEYS = {
    "questions": "question_id",
    "candidates": "question_id, position",
    "scenes": "scene_id",
    "relevance": "question_id, scene_id",
}


def questions_per_n_and_subset(benchmark: Benchmark) -> RuleReport:
    """Each N has as many independent and nested questions as was asked for."""
    wanted = {
        (n, subset): count
        for n, counts in benchmark.expected.sizes.items()
        for subset, count in zip(("independent", "nested"), counts, strict=True)
    }
    rows = benchmark.connection.execute("SELECT n, subset, count(*) FROM questions GROUP BY ALL")
    found: dict[tuple[int, str], int] = {(n, subset): count for n, subset, count in rows.fetchall()}
    cells = sorted(wanted.keys() | found.keys())
    findings = (
        f"N={n} {subset}: expected {wanted.get((n, subset), 0)} questions, "
        f"found {found.get((n, subset), 0)}"
        for n, subset in cells
        if wanted.get((n, subset), 0) != found.get((n, subset), 0)
    )
    return tally("questions_per_n_and_subset", len(cells), findings)


def one_candidate_per_role(benchmark: Benchmark) -> RuleReport:
    """Each question has one candidate of each role."""
    rows = benchmark.connection.execute(
        """
        SELECT question_id, list(role ORDER BY role) FILTER (role IS NOT NULL) AS roles
        FROM (SELECT DISTINCT question_id FROM questions) LEFT JOIN candidates USING (question_id)
        GROUP BY question_id HAVING roles IS DISTINCT FROM ? ORDER BY question_id
        """,
        [sorted(ROLES)],
    ).fetchall()
    findings = (f"{question_id}: roles {roles}" for question_id, roles in rows)
    return tally("one_candidate_per_role", _count(benchmark.connection, "questions"), findings)


def four_positions_per_question(benchmark: Benchmark) -> RuleReport:
    """The candidates of each question stand at positions 0 to 3, and belong to a known question."""
    rows = benchmark.connection.execute(
        """
        SELECT question_id, list(position ORDER BY position) FILTER (position IS NOT NULL) AS places
        FROM (SELECT DISTINCT question_id, true AS is_known FROM questions)
        FULL JOIN candidates USING (question_id)
        GROUP BY question_id, is_known
        HAVING places IS DISTINCT FROM [0, 1, 2, 3] OR is_known IS NULL ORDER BY question_id
        """
    ).fetchall()
    findings = (f"{question_id}: candidates at positions {places}" for question_id, places in rows)
    return tally("four_positions_per_question", _count(benchmark.connection, "questions"), findings)


def identifiers_are_unique(benchmark: Benchmark) -> RuleReport:
    """No two rows of a view have the same key."""
    findings = [
        f"{view} {' '.join(map(str, key))}: {count} rows"
        for view, columns in _KEYS.items()
        for count, *key in benchmark.connection.execute(
            f"SELECT count(*), {columns} FROM {view} GROUP BY {columns} HAVING count(*) > 1 "
            f"ORDER BY {columns}"
        ).fetchall()
    ]
    checked = sum(_count(benchmark.connection, view) for view in _KEYS)
    return tally("identifiers_are_unique", checked, findings)


def every_scene_used_once(benchmark: Benchmark) -> RuleReport:
    """Each scene is the query or a candidate of one question, and each of these is a scene."""
    rows = benchmark.connection.execute(
        """
        WITH slots AS (
            SELECT query_scene_id AS scene_id FROM questions
            UNION ALL SELECT scene_id FROM candidates
        ), used AS (SELECT scene_id, count(*) AS uses FROM slots GROUP BY scene_id)
        SELECT scene_id, coalesce(uses, 0), is_stored IS NOT NULL
        FROM used FULL JOIN (SELECT DISTINCT scene_id, true AS is_stored FROM scenes)
        USING (scene_id)
        WHERE uses IS DISTINCT FROM 1 OR is_stored IS NULL ORDER BY scene_id
        """
    ).fetchall()
    findings = (
        f"{scene_id}: used in {uses} slots" if is_stored else f"{scene_id}: used but not stored"
        for scene_id, uses, is_stored in rows
    )
    return tally("every_scene_used_once", _count(benchmark.connection, "scenes"), findings)


def chain_ids_mark_nested_questions(benchmark: Benchmark) -> RuleReport:
    """A nested question names its chain and an independent one names none."""
    rows = benchmark.connection.execute(
        """
        SELECT question_id, subset, chain_id FROM questions
        WHERE (subset = 'nested') = (chain_id IS NULL) ORDER BY question_id
        """
    ).fetchall()
    findings = (
        f"{question_id}: {subset} with chain {chain}" for question_id, subset, chain in rows
    )
    return tally(
        "chain_ids_mark_nested_questions", _count(benchmark.connection, "questions"), findings
    )


def _count(connection: duckdb.DuckDBPyConnection, view: str) -> int:
    ((count,),) = connection.execute(f"SELECT count(*) FROM {view}").fetchall()
    return int(count)
