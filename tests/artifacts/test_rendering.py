import csv
import io
import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.errors import QueryError
from artifacts.rendering import Format, render, write_result


@pytest.fixture(scope="module")
def result() -> pa.Table:
    return pa.table(
        {
            "name": ["cube", "kite, red", None],
            "count": [1, None, 3],
            "share": [0.5, float("nan"), float("inf")],
            "parts": [["a", "b"], [], None],
            "pair": [{"attribute": "red", "object": "cube"}, None, None],
        }
    )


def test_json_is_one_array_of_objects(result: pa.Table) -> None:
    assert json.loads(render(result, "json")) == [
        {
            "name": "cube",
            "count": 1,
            "share": 0.5,
            "parts": ["a", "b"],
            "pair": {"attribute": "red", "object": "cube"},
        },
        {"name": "kite, red", "count": None, "share": None, "parts": [], "pair": None},
        {"name": None, "count": 3, "share": None, "parts": None, "pair": None},
    ]


def test_csv_holds_lists_and_structs_as_json(result: pa.Table) -> None:
    assert list(csv.reader(io.StringIO(render(result, "csv")))) == [
        ["name", "count", "share", "parts", "pair"],
        ["cube", "1", "0.5", '["a", "b"]', '{"attribute": "red", "object": "cube"}'],
        ["kite, red", "", "nan", "[]", ""],
        ["", "3", "inf", "", ""],
    ]


def test_table_is_plain_text_away_from_a_terminal(result: pa.Table) -> None:
    assert render(result.select(["name", "count", "share"]), "table").splitlines() == [
        "name       count  share",
        "---------  -----  -----",
        "cube       1      0.5",
        "kite, red  NULL   nan",
        "NULL       3      inf",
    ]


def test_nothing_is_cut_short() -> None:
    long = "word " * 500
    for format in ("table", "csv", "json"):
        assert long in render(pa.table({"text": [long] * 3000, "n": [1] * 3000}), format)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_terminal_shows_every_letter_and_obeys_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()
    write_result(pa.table({"t": ["[red]x[/red] \x1b[31m" + "y" * 60]}), "table", stream)
    shown = "".join(line.strip("│ ") for line in stream.getvalue().splitlines())
    assert "[red]x[/red]" in shown
    assert "\\x1b[31m" in shown
    assert shown.count("y") == 60


def test_line_breaks_do_not_break_a_table() -> None:
    assert render(pa.table({"t": ["a\nb"]}), "table").splitlines()[2] == "a\\nb"


@pytest.mark.parametrize(
    ("format", "text"), [("json", "[]\n"), ("csv", "a\n"), ("table", "a\n-\n")]
)
def test_no_rows(format: Format, text: str) -> None:
    assert render(pa.table({"a": pa.array([], pa.int64())}), format) == text


def test_repeated_column_names_lose_nothing() -> None:
    table = pa.table([[1], [2], [3]], names=["a", "b", "a"])
    assert json.loads(render(table, "json")) == [{"a": 1, "b": 2, "a_2": 3}]


def test_every_type_of_duckdb_can_be_shown(finished_build: Build) -> None:
    with connect(finished_build, {"scenes"}) as connection:
        table = connection.sql("FROM test_all_types()").to_arrow_table()
    for name in table.column_names:
        rows = json.loads(render(table.select([name]), "json"))
        assert rows[2] == {name: None}
        assert render(table.select([name]), "csv")


def test_sums_and_dates_read_as_one_expects(finished_build: Build) -> None:
    sql = """
        SELECT sum(bindings_kept) AS s, DATE '2020-01-02' AS d, MAP {'a': 1} AS m,
            TIMESTAMP_NS '2020-01-02 03:04:05.123456789' AS t, 1.5::DECIMAL(4, 2) AS f
        FROM candidates
    """
    with connect(finished_build, {"candidates"}) as connection:
        (row,) = json.loads(render(connection.sql(sql).to_arrow_table(), "json"))
    assert row == {
        "s": 2,
        "d": "2020-01-02",
        "m": {"a": 1},
        "t": "2020-01-02 03:04:05.123456789",
        "f": 1.5,
    }


def test_what_cannot_be_shown_is_told() -> None:
    twins = pa.StructArray.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(QueryError, match="cannot be shown"):
        render(pa.table({"x": twins}), "json")


@given(st.lists(st.tuples(st.text(), st.floats(allow_nan=False, allow_infinity=False))))
def test_json_round_trips(rows: list[tuple[str, float]]) -> None:
    table = pa.table({"a": [row[0] for row in rows], "b": [row[1] for row in rows]})
    expected = [{"a": row[0], "b": row[1]} for row in rows]
    assert json.loads(render(table, "json")) == (expected if table.num_rows else [])
