"""One query that a user wrote over the views of one build.

Apart from `catalog` for speed: the process that runs the query starts while this one is still
importing, which takes each of them a quarter of a second.
"""

from typing import TYPE_CHECKING

from artifacts.builds import Build
from artifacts.sandbox import Limits, Sandbox

if TYPE_CHECKING:
    import pyarrow as pa


def query(build: Build, sql: str, limits: Limits | None = None) -> "pa.Table":
    """Return the rows of one SELECT, run in a process that can do no harm."""
    with Sandbox(limits or Limits()) as sandbox:
        from artifacts.catalog import read_catalog

        return sandbox.run(read_catalog(build), sql)
