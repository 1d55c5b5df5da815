"""A few rows of a dataset to look at."""

from artifacts.builds import Build
from artifacts.catalog import connect

_SQL = """
    SELECT construction, query, positive, negative_attribute, negative_object
    FROM examples
    WHERE attempt >= 7
    QUALIFY row_number() OVER (PARTITION BY construction ORDER BY attempt) = 1
    ORDER BY construction
"""


def sample_examples(build: Build, rows: int) -> list[dict[str, str]]:
    """Return one example of each of the first constructions, at most `rows`."""
    with connect(build, ("examples",)) as connection:
        found: list[dict[str, str]] = connection.sql(_SQL).to_arrow_reader().read_all().to_pylist()
    return found[:rows]
