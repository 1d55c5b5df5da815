"""Rules on splits and triplets (section B.5): set questions, answered by DuckDB from the views."""

from collections import Counter

import duckdb

from artifacts.records import Split
from artifacts.reports import RuleReport, judge
from validators.dataset.expectation import DatasetExpectation
from validators.dataset.findings import report_rows

_COUNT_EXAMPLES = "SELECT count(*) FROM examples"
#: One validation and one test example in so many of those that aren't held out.
_TENTH = 10

#: An example's attributes and objects, whatever their pairing, order and case: what no two of
#: train, validation and test may share.
WORD_SET = """(
    list_sort([lower(word) FOR word IN flatten([pair.attributes FOR pair IN pairs])]),
    list_sort([lower(pair.object) FOR pair IN pairs])
)"""


def every_example_in_one_split(
    connection: duckdb.DuckDBPyConnection, _: DatasetExpectation
) -> RuleReport:
    """`splits` names every example once and nothing else; `examples` says the same."""
    failing = """
        SELECT example_id || ': ' || coalesce(rows, 0) || ' rows in splits, '
            || coalesce(assigned, 'none') || '; in examples '
            || CASE WHEN named IS NULL THEN 'missing' ELSE coalesce(split, 'none') END
        FROM (FROM examples SELECT example_id, split, true AS named) FULL JOIN (
            SELECT example_id, count(*) AS rows, min(split) AS assigned FROM splits GROUP BY ALL
        ) USING (example_id)
        WHERE rows IS DISTINCT FROM 1 OR named IS NULL OR split IS DISTINCT FROM assigned
        ORDER BY example_id
    """
    return report_rows(connection, "every_example_in_one_split", _COUNT_EXAMPLES, failing)


def held_out_constructions_are_held_out(
    connection: duckdb.DuckDBPyConnection, expected: DatasetExpectation
) -> RuleReport:
    """Every example of a held-out construction is held out, and no other."""
    failing = """
        SELECT example_id || ': ' || split || ', a ' || construction FROM examples
        WHERE (split = 'held_out') <> list_contains($1::TEXT[], construction) ORDER BY example_id
    """
    held_out = [sorted(expected.held_out)]
    name = "held_out_constructions_are_held_out"
    return report_rows(connection, name, _COUNT_EXAMPLES, failing, held_out)


def splits_have_their_sizes(
    connection: duckdb.DuckDBPyConnection, expected: DatasetExpectation
) -> RuleReport:
    """Of what isn't held out, one tenth validates, one tenth tests, the rest trains."""
    query = """
        SELECT split, count(*) FROM examples
        WHERE NOT list_contains($1::TEXT[], construction) GROUP BY ALL
    """
    rows = connection.execute(query, [sorted(expected.held_out)]).fetchall()
    sizes: Counter[Split] = Counter(dict(rows))
    total = sizes.total()
    tenth = total // _TENTH
    wanted: dict[Split, int] = {
        "train": total - 2 * tenth, "validation": tenth, "test": tenth,
    }  # fmt: skip

    def check(split: Split) -> str | None:
        found, size = sizes[split], wanted[split]
        return None if found == size else f"{split}: {found} of {total} examples, expected {size}"

    return judge("splits_have_their_sizes", wanted, check)


def no_word_set_in_two_splits(
    connection: duckdb.DuckDBPyConnection, _: DatasetExpectation
) -> RuleReport:
    """No two of train, validation and test have an example of the same attributes and objects."""
    failing = f"""
        SELECT string_agg(example_id || ' (' || split || ')', ', ' ORDER BY example_id)
            || ': the same words'
        FROM examples WHERE split IN ('train', 'validation', 'test')
        GROUP BY {WORD_SET} HAVING count(DISTINCT split) > 1 ORDER BY min(example_id)
    """
    return report_rows(connection, "no_word_set_in_two_splits", _COUNT_EXAMPLES, failing)


def two_triplets_per_example(
    connection: duckdb.DuckDBPyConnection, _: DatasetExpectation
) -> RuleReport:
    """Every example has one triplet per negative, and no triplet lacks an example."""
    failing = """
        SELECT example_id || ': triplets ' || coalesce(kinds, 'none')
            || CASE WHEN named IS NULL THEN ', no example' ELSE '' END
        FROM (FROM examples SELECT example_id, true AS named) FULL JOIN (
            SELECT example_id, string_agg(kind, ', ' ORDER BY kind) AS kinds
            FROM triplets GROUP BY ALL
        ) USING (example_id)
        WHERE kinds IS DISTINCT FROM 'attribute, object' OR named IS NULL ORDER BY example_id
    """
    return report_rows(connection, "two_triplets_per_example", _COUNT_EXAMPLES, failing)


def triplets_repeat_their_example(
    connection: duckdb.DuckDBPyConnection, _: DatasetExpectation
) -> RuleReport:
    """A triplet has its example's query, positive, split, and the negative of its kind."""
    # Hashed first: DuckDB would hold every text to join them.
    failing = """
        WITH stored AS (
            SELECT example_id, split, hash(query, positive, negative_attribute) AS attribute,
                hash(query, positive, negative_object) AS object FROM examples
        ), given AS (
            SELECT example_id, kind, split, hash(query, positive, negative) AS texts FROM triplets
        )
        SELECT example_id || ': the ' || kind || ' triplet has other texts or another split'
        FROM given JOIN stored USING (example_id)
        WHERE given.split IS DISTINCT FROM stored.split
            OR texts <> CASE kind WHEN 'attribute' THEN attribute ELSE object END
        ORDER BY example_id, kind
    """
    checked = "SELECT count(*) FROM triplets"
    return report_rows(connection, "triplets_repeat_their_example", checked, failing)
