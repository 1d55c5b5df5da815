"""The other side of `sandbox`: the process that runs one query and ends.

Reads a pickled request from standard input; writes rows as an Arrow stream to standard output, or
one line of JSON that says what went wrong to standard error. Knows nothing of builds or manifests.
"""

import json
import os
import pickle
import resource
import sys
import threading

import duckdb
import pyarrow as pa

from artifacts.errors import QueryError, SaberError
from artifacts.relations import CLOSED_CONFIG, Catalog, register, require_contents, table_names
from artifacts.sandbox import Limits, Request

_BATCH_ROWS = 10_000

#: A report has to fit into a pipe that nobody reads before the rows are through.
_MESSAGE_CHARACTERS = 2000


def main(lifeline: int) -> None:
    """Answer the one request on standard input."""
    threading.Thread(target=_end_with_parent, args=(lifeline,), daemon=True).start()
    request: Request = pickle.load(sys.stdin.buffer)
    try:
        _answer(request)
        status = 0
    except SaberError as error:
        _report(type(error).__name__, str(error))
        status = 1
    except (MemoryError, duckdb.OutOfMemoryException):
        _report("QueryError", _needs_memory(request.limits))
        status = 1
    # At once: what DuckDB would tidy up goes with the process.
    os._exit(status)


def open_closed(limits: Limits) -> duckdb.DuckDBPyConnection:
    """Return an empty DuckDB that is shut off from files and network."""
    memory = f"{limits.memory_megabytes}MB"
    return duckdb.connect(
        config={**CLOSED_CONFIG, "memory_limit": memory, "threads": limits.threads}
    )


def bind(
    connection: duckdb.DuckDBPyConnection, catalog: Catalog, sql: str
) -> duckdb.DuckDBPyRelation:
    """Return what `sql` reads from the views of `catalog`, or refuse it; nothing is read yet."""
    try:
        select = _only_select(connection, sql)
        register(connection, catalog, table_names(select))
        connection.execute("SET lock_configuration = true")
        return connection.sql(select)
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error as error:
        raise QueryError(_one_line(error)) from error


def _answer(request: Request) -> None:
    _limit_process(request.limits)
    with open_closed(request.limits) as connection:
        relation = bind(connection, request.catalog, request.sql)
        try:
            _stream(relation)
        except duckdb.OutOfMemoryException:
            raise
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            # Rows that cannot be read have a cause that the user can act on: name it.
            require_contents(request.catalog, table_names(request.sql))
            raise QueryError(_one_line(error)) from error


def _limit_process(limits: Limits) -> None:
    _lower(resource.RLIMIT_AS, limits.address_space_bytes)
    _lower(resource.RLIMIT_FSIZE, 0)
    _lower(resource.RLIMIT_CORE, 0)


def _lower(kind: int, limit: int) -> None:
    """Set a limit of this process for good, unless it is lower already."""
    _, hard = resource.getrlimit(kind)
    lower = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(kind, (lower, lower))


def _only_select(connection: duckdb.DuckDBPyConnection, sql: str) -> str:
    statements = connection.extract_statements(sql)
    kinds = [statement.type.name for statement in statements]
    if kinds != ["SELECT"]:
        raise QueryError(
            "expected one SELECT (or WITH, FROM, VALUES, DESCRIBE, SHOW, SUMMARIZE), found "
            f"{' and '.join(kinds) or 'no statement'}; only reading is possible here"
        )
    return statements[0].query


def _stream(relation: duckdb.DuckDBPyRelation) -> None:
    reader = relation.to_arrow_reader(_BATCH_ROWS)
    with (
        os.fdopen(sys.stdout.fileno(), "wb") as output,
        pa.ipc.new_stream(output, reader.schema) as writer,
    ):
        for batch in reader:
            writer.write_batch(batch)


def _one_line(error: Exception) -> str:
    """Return what DuckDB says, without the picture of where in the query."""
    said = str(error).split("\n\nLINE ")[0].split("\nLINE ")[0]
    return " ".join(said.split())[:_MESSAGE_CHARACTERS]


def _needs_memory(limits: Limits) -> str:
    return f"the query needs more memory than its {limits.memory_megabytes} MB; ask for less"


def _report(kind: str, message: str) -> None:
    sys.stderr.write(json.dumps({"error": kind, "message": message}) + "\n")
    sys.stderr.flush()


def _end_with_parent(lifeline: int) -> None:
    os.read(lifeline, 1)
    os._exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]))
