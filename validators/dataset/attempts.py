"""Rules on attempts and what became of them: quotas, numbering, verdicts, rows for each verdict.

Set questions, answered by DuckDB from the views. An attempt is named by its example where it has
one, else by its construction and number.
"""

from collections import Counter

import duckdb

from artifacts.reports import RuleReport, judge, tally
from validators.constructions import CHECKERS
from validators.dataset.expectation import DatasetExpectation
from validators.dataset.findings import number, report_rows

_COUNT_EXAMPLES = "SELECT count(*) FROM examples"
_COUNT_ATTEMPTS = "SELECT count(*) FROM attempts"
_COUNT_REJECTIONS = "SELECT count(*) FROM rejections"


def quotas_are_exact(
    connection: duckdb.DuckDBPyConnection, expected: DatasetExpectation
) -> RuleReport:
    """Each construction has its quota, and no other construction has examples."""
    query = "SELECT construction, count(*) FROM examples GROUP BY ALL"
    found = Counter(dict(connection.execute(query).fetchall()))

    def check(construction: str) -> str | None:
        quota = expected.quotas.get(construction, 0)
        if construction not in CHECKERS:
            return f"{construction}: no such construction, {found[construction]} examples"
        is_exact = found[construction] == quota
        return None if is_exact else f"{construction}: {found[construction]} examples of {quota}"

    return judge("quotas_are_exact", sorted(found.keys() | expected.quotas), check)


def example_names_are_unique(
    connection: duckdb.DuckDBPyConnection, _: DatasetExpectation
) -> RuleReport:
    """No two examples have the same `example_id`."""
    failing = """
        SELECT example_id || ': names ' || count(*) || ' examples'
        FROM examples GROUP BY example_id HAVING count(*) > 1 ORDER BY example_id
    """
    return report_rows(connection, "example_names_are_unique", _COUNT_EXAMPLES, failing)


def attempts_numbered_without_gaps(
    connection: duckdb.DuckDBPyConnection, expected: DatasetExpectation
) -> RuleReport:
    """Attempts are numbered from 0, each once, without a gap but for what is lost."""
    query = """
        SELECT construction, previous, attempt FROM (
            SELECT construction, attempt, lag(attempt, 1, -1) OVER (
                PARTITION BY construction ORDER BY attempt
            ) AS previous
            FROM attempts
        ) WHERE attempt <> previous + 1 ORDER BY ALL
    """
    findings = []
    for construction, previous, attempt in connection.execute(query).fetchall():
        missing = [
            number
            for number in range(previous + 1, attempt)
            if not expected.is_lost(construction, number)
            and not expected.is_undrafted(construction, number)
        ]
        if missing or attempt <= previous:
            found = (
                f"attempt {attempt} follows {previous}"
                if missing
                else f"attempt {attempt} occurs twice"
            )
            findings.append(f"{construction}: {found}")
    checked = number(connection, _COUNT_ATTEMPTS)
    return tally("attempts_numbered_without_gaps", checked, findings)


def attempts_add_up(
    connection: duckdb.DuckDBPyConnection, expected: DatasetExpectation
) -> RuleReport:
    """Planned attempts are the examples, the rejections, the pending and the surplus together."""
    query = """
        WITH outcomes AS (
            SELECT construction, 'examples' AS outcome, count(*) AS rows FROM examples GROUP BY ALL
            UNION ALL
            SELECT construction, 'rejections', count(*) FROM rejections GROUP BY ALL
            UNION ALL
            SELECT construction, verdict, count(*) FROM attempts
            WHERE verdict IN ('pending', 'surplus') GROUP BY ALL
        ), planned AS (
            SELECT construction, max(attempt) + 1 AS planned FROM (
                SELECT construction, attempt FROM attempts
                UNION ALL SELECT construction, attempt FROM examples
                UNION ALL SELECT construction, attempt FROM rejections
            ) GROUP BY ALL
        )
        SELECT construction, coalesce(any_value(planned), 0), coalesce(sum(rows), 0)::BIGINT,
            coalesce(string_agg(rows || ' ' || outcome, ', ' ORDER BY outcome), 'none')
        FROM planned FULL JOIN outcomes USING (construction) GROUP BY construction ORDER BY ALL
    """
    rows = connection.execute(query).fetchall()

    def check(row: tuple[str, int, int, str]) -> str | None:
        construction, planned, rows, outcomes = row
        lost = sum(expected.is_lost(construction, attempt) for attempt in range(planned))
        if planned - lost == rows:
            return None
        return (
            f"{construction}: {planned - lost} attempts planned, {rows} accounted for: {outcomes}"
        )

    return judge("attempts_add_up", rows, check)


def pending_and_surplus_come_last(
    connection: duckdb.DuckDBPyConnection, _: DatasetExpectation
) -> RuleReport:
    """No attempt before the last accepted one is pending or surplus."""
    failing = """
        SELECT construction || ' attempt ' || attempt || ': ' || verdict || ', accepted is ' || last
        FROM attempts JOIN (
            SELECT construction, max(attempt) AS last FROM attempts
            WHERE verdict = 'accepted' GROUP BY ALL
        ) USING (construction)
        WHERE verdict IN ('pending', 'surplus') AND attempt < last ORDER BY construction, attempt
    """
    return report_rows(connection, "pending_and_surplus_come_last", _COUNT_ATTEMPTS, failing)


def accepted_attempts_have_one_example(
    connection: duckdb.DuckDBPyConnection, expected: DatasetExpectation
) -> RuleReport:
    """Accepted attempts and examples are the same, one to one."""
    failing = """
        SELECT construction, attempt, coalesce(name, construction || ' attempt ' || attempt) || ': '
            || coalesce(rows, 0) || ' examples, verdict ' || coalesce(verdict, 'missing')
        FROM (FROM attempts SELECT construction, attempt, verdict) FULL JOIN (
            SELECT construction, attempt, count(*) AS rows, min(example_id) AS name
            FROM examples GROUP BY ALL
        ) USING (construction, attempt)
        WHERE coalesce(rows, 0) <> (verdict IS NOT DISTINCT FROM 'accepted')::INT
        ORDER BY construction, attempt
    """
    name = "accepted_attempts_have_one_example"
    return _report_attempts(connection, expected, name, failing)


def rejected_attempts_have_one_rejection(
    connection: duckdb.DuckDBPyConnection, expected: DatasetExpectation
) -> RuleReport:
    """Rejected attempts and rejections are the same, one to one."""
    failing = """
        SELECT construction, attempt, construction || ' attempt ' || attempt || ': '
            || coalesce(rows, 0) || ' rejections, verdict ' || coalesce(verdict, 'missing')
        FROM (FROM attempts SELECT construction, attempt, verdict) FULL JOIN (
            SELECT construction, attempt, count(*) AS rows FROM rejections GROUP BY ALL
        ) USING (construction, attempt)
        WHERE coalesce(rows, 0) <> (verdict IS NOT DISTINCT FROM 'rejected')::INT
        ORDER BY construction, attempt
    """
    name = "rejected_attempts_have_one_rejection"
    return _report_attempts(connection, expected, name, failing)


def _report_attempts(
    connection: duckdb.DuckDBPyConnection, expected: DatasetExpectation, rule: str, failing: str
) -> RuleReport:
    """Report on a rule; `failing` selects construction, attempt and a text per failed attempt."""
    findings = [
        finding
        for construction, attempt, finding in connection.execute(failing).fetchall()
        if not expected.is_undrafted(construction, attempt)
    ]
    return tally(rule, number(connection, _COUNT_ATTEMPTS), findings)


def rejections_say_why(connection: duckdb.DuckDBPyConnection, _: DatasetExpectation) -> RuleReport:
    """A rejection has a reason, and a detail for each."""
    failing = """
        SELECT construction || ' attempt ' || attempt || ': ' || len(reasons) || ' reasons, '
            || len(details) || ' details'
        FROM rejections WHERE len(reasons) = 0 OR len(reasons) <> len(details)
        ORDER BY construction, attempt
    """
    return report_rows(connection, "rejections_say_why", _COUNT_REJECTIONS, failing)


def rejections_repeat_the_raw_draft(
    connection: duckdb.DuckDBPyConnection, _: DatasetExpectation
) -> RuleReport:
    """A rejection's `raw` is that of its attempt."""
    # Hashed first: DuckDB would hold every draft to join them.
    failing = """
        SELECT construction || ' attempt ' || attempt || ': raw differs from the attempt''s'
        FROM (FROM rejections SELECT construction, attempt, hash(raw) AS rejected)
        JOIN (FROM attempts SELECT construction, attempt, hash(raw) AS drafted)
        USING (construction, attempt)
        WHERE rejected <> drafted ORDER BY construction, attempt
    """
    name = "rejections_repeat_the_raw_draft"
    return report_rows(connection, name, _COUNT_REJECTIONS, failing)


def counted_words_have_an_example(
    connection: duckdb.DuckDBPyConnection, expected: DatasetExpectation
) -> RuleReport:
    """Accepted words belong to one example each, but for those of lost attempts."""
    query = """
        SELECT construction, attempt, count(*) AS rows, count(example_id) AS examples
        FROM accepted_words LEFT JOIN examples USING (construction, attempt)
        GROUP BY construction, attempt HAVING rows <> 1 OR examples <> 1 ORDER BY ALL
    """
    findings = [
        f"{construction} attempt {attempt}: {rows} rows of words, {examples} with an example"
        for construction, attempt, rows, examples in connection.execute(query).fetchall()
        if rows != 1 or not expected.is_lost(construction, attempt)
    ]
    checked = number(connection, "SELECT count(*) FROM accepted_words")
    return tally("counted_words_have_an_example", checked, findings)
