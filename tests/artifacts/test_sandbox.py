import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from artifacts.builds import Build
from artifacts.catalog import read_catalog
from artifacts.errors import QueryError
from artifacts.query import query
from artifacts.query_process import bind, open_closed
from artifacts.sandbox import Limits, Sandbox


@pytest.fixture(autouse=True)
def nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, finished_build: Build
) -> Iterator[None]:
    """Run every query in an empty folder and over a build, and find both as they were."""
    monkeypatch.chdir(tmp_path)
    before = contents(finished_build.path)
    yield
    assert list(tmp_path.iterdir()) == []
    assert contents(finished_build.path) == before


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refusal(build: Build, sql: str, limits: Limits | None = None) -> str:
    with pytest.raises(QueryError) as caught:
        query(build, sql, limits)
    message = str(caught.value)
    assert message
    assert "\n" not in message
    return message


def refusal_before_reading(build: Build, sql: str) -> str:
    """Return what the query process says to `sql` before it reads a row, without a process."""
    with open_closed(Limits()) as connection, pytest.raises(QueryError) as caught:
        bind(connection, read_catalog(build), sql)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("sql", "count"),
    [
        ("SELECT * FROM scenes", 5),
        ("select 1;", 1),
        ("WITH a AS (SELECT scene_id FROM scenes) FROM a", 5),
        ("FROM triplets", 18),
        ("VALUES (1), (2)", 2),
        ("DESCRIBE examples", None),
        ("SHOW TABLES", None),
        ("SUMMARIZE scenes", None),
        ("TABLE splits", 9),
        ("SELECT ';'';' AS \"a;b\" -- c; COPY", 1),
        ("FROM (PIVOT scenes ON flip IN (true, false) USING count(*) GROUP BY text)", 1),
        ("SELECT * FROM questions JOIN candidates USING (question_id)", 1),
    ],
)
def test_reading_works(finished_build: Build, sql: str, count: int | None) -> None:
    found = query(finished_build, sql).num_rows
    assert found == count if count is not None else found > 0


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("", "no statement"),
        (";", "no statement"),
        ("-- only a comment", "no statement"),
        ("/* only */ /* comments */", "no statement"),
        ("SELECT 1; SELECT 2", "SELECT and SELECT"),
        ("SELECT 1; COPY scenes TO 'x'", "SELECT and COPY"),
        ("COPY scenes TO 'x.csv'", "COPY"),
        ("COPY (SELECT 1) TO 'x.parquet'", "COPY"),
        ("EXPORT DATABASE 'x'", "EXPORT"),
        ("ATTACH 'x.db'", "ATTACH"),
        ("ATTACH ':memory:' AS more", "ATTACH"),
        ("DETACH memory", "DETACH"),
        ("INSTALL httpfs", "LOAD"),
        ("LOAD httpfs", "LOAD"),
        ("SET threads = 1", "SET"),
        ("SET VARIABLE x = 1", "SET"),
        ("SET lock_configuration = false", "SET"),
        ("RESET lock_configuration", "SET"),
        ("PRAGMA enable_profiling", "PRAGMA"),
        ("CREATE TABLE t AS SELECT 1", "CREATE"),
        ("CREATE OR REPLACE TEMP VIEW scenes AS SELECT 1", "CREATE"),
        ("CREATE MACRO f() AS 1", "CREATE"),
        ("DROP VIEW scenes", "DROP"),
        ("INSERT INTO scenes VALUES (1)", "INSERT"),
        ("UPDATE scenes SET flip = true", "UPDATE"),
        ("DELETE FROM scenes", "DELETE"),
        ("CALL range(3)", "CALL"),
        ("PREPARE p AS SELECT 1", "PREPARE"),
        ("BEGIN", "TRANSACTION"),
        ("VACUUM", "VACUUM"),
        ("EXPLAIN ANALYZE COPY (SELECT 1) TO 'x'", "EXPLAIN"),
    ],
)
def test_all_but_one_select_is_refused(finished_build: Build, sql: str, found: str) -> None:
    assert f"found {found}; only reading is possible here" in refusal_before_reading(
        finished_build, sql
    )


@pytest.mark.parametrize(
    "sql",
    [
        "WITH a AS (COPY (SELECT 1) TO 'x') FROM a",
        "WITH a AS MATERIALIZED (COPY scenes TO 'x.parquet') FROM a",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('/proc/self/environ')",
        "SELECT * FROM read_json('/etc/passwd')",
        "SELECT * FROM read_parquet('/etc/*')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM parquet_metadata('/etc/passwd')",
        "SELECT * FROM 'https://example.com/a.parquet'",
        "SELECT * FROM read_csv('https://example.com/a.csv')",
        "SELECT * FROM read_csv('s3://bucket/a.csv')",
    ],
)
def test_files_and_network_are_closed(finished_build: Build, sql: str) -> None:
    assert "Permission Error: Cannot access" in refusal_before_reading(finished_build, sql)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELEC 1", "Parser Error: syntax error"),
        ("SELECT 'open", "Parser Error"),
        ("SELECT nope FROM scenes", 'Referenced column "nope" not found'),
        ("SELECT * FROM scene", 'Did you mean "scenes"'),
        ("SELECT * FROM '/etc/passwd'", "does not exist"),
        ('SELECT * FROM "/etc/passwd"', "does not exist"),
        # Variables of the process that a replacement scan would find.
        ("SELECT * FROM catalog", "does not exist"),
        ("SELECT * FROM connection", "does not exist"),
        ("SELECT getenv('HOME')", "does not exist"),
        ("SELECT * FROM pandas_scan(1)", "Binder Error"),
        ("SELECT * FROM arrow_scan(1, 2, 3)", "Binder Error"),
        ("FROM query('SELECT 1; SELECT 2')", "Expected a single SELECT"),
        ("FROM query('COPY (SELECT 1) TO ''x''')", "Expected a single SELECT"),
        ("FROM enable_logging(storage = 'file', storage_path = 'x')", "locked"),
        ("WITH a AS (INSERT INTO scenes VALUES (1) RETURNING *) FROM a", "Catalog Error"),
        ("SELECT ?", "Values were not provided"),
    ],
)
def test_mistakes_and_tricks_are_told_in_one_line(
    finished_build: Build, sql: str, said: str
) -> None:
    assert said in refusal_before_reading(finished_build, sql)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("COPY (SELECT 1) TO 'x'", "found COPY"),
        ("WITH a AS (COPY (SELECT 1) TO 'x') FROM a", "Permission Error"),
        ("FROM sniff_csv('/etc/passwd')", "Permission Error"),
        ("FROM duckdb_secrets()", "Permission Error"),
        ("SELECT repeat('a', 3000000000)", "needs more memory"),
        ("SELECT generate_series(1, 100000000)::VARCHAR", "needs more memory"),
        ("SELECT list(i) FROM range(1000000000) t (i)", "needs more memory"),
        ("SELECT error('on purpose')", "on purpose"),
        # The rows before the bad one have left DuckDB by then.
        (
            "SELECT CASE WHEN i < 900000 THEN 1 ELSE error('late') END FROM range(1000000) t (i)",
            "late",
        ),
    ],
)
def test_the_process_reports_what_goes_wrong(finished_build: Build, sql: str, said: str) -> None:
    assert said in refusal(finished_build, sql)


def test_endless_query_is_killed(finished_build: Build) -> None:
    sql = "WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t) SELECT count(*) FROM t"
    said = refusal(finished_build, sql, Limits(timeout_seconds=0.5))
    assert said.startswith("the query ran longer than 0.5 s and was stopped")


def test_too_little_memory_to_begin_is_told(finished_build: Build) -> None:
    assert refusal(finished_build, "SELECT 1", Limits(address_space_bytes=1 << 20))


def test_large_result_is_whole(finished_build: Build) -> None:
    result = query(finished_build, "SELECT i, repeat('x', 20) AS s FROM range(2000000) t (i)")
    assert result.num_rows == 2_000_000
    assert result.column("i")[1_999_999].as_py() == 1_999_999


def test_modules_of_the_current_folder_are_not_imported(
    finished_build: Build, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("here")
    (folder / "json.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(folder)
    assert query(finished_build, "SELECT 1 AS one").to_pylist() == [{"one": 1}]


def test_process_that_dies_is_told(finished_build: Build) -> None:
    with Sandbox(Limits()) as sandbox:
        sandbox.process.kill()
        with pytest.raises(QueryError, match="ended by SIGKILL"):
            sandbox.run(read_catalog(finished_build), "SELECT 1")


_ENDLESS = """
import sys
from pathlib import Path
from artifacts.builds import Build
from artifacts.catalog import read_catalog
from artifacts.sandbox import Limits, Sandbox
with Sandbox(Limits()) as sandbox:
    print(sandbox.process.pid, flush=True)
    sandbox.run(
        read_catalog(Build(Path(sys.argv[1]), sys.argv[2])),
        "WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t) SELECT count(*) FROM t",
    )
"""


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_query_ends_with_the_one_who_asked(finished_build: Build, ending: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _ENDLESS, str(finished_build.root), finished_build.name],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as asker:
        assert asker.stdout is not None
        child = int(asker.stdout.readline())
        watch = os.pidfd_open(child)
        asker.send_signal(ending)
        ended, _, _ = select.select([watch], [], [], 10)
        os.close(watch)
    assert ended
