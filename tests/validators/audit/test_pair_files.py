"""Pair files of every form, and what is said about those that are none."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from artifacts.errors import SettingsError, StoreError
from validators.audit import audit, read_pairs

Rows = list[dict[str, str]]

ROWS: Rows = [
    {"positive": "A red kite, an old cube.", "negative": "An old kite, a red cube.", "id": "1"},
    {"positive": "An old kite, a red cube.", "negative": "A red kite, an old cube.", "id": "2"},
    {"positive": "A wet egg\u2028by “her” lamp", "negative": "A lamp by “her” wet egg", "id": "3"},
]


def write_parquet(path: Path, rows: Rows) -> None:
    pq.write_table(pa.Table.from_pylist(rows), path)


def write_csv(path: Path, rows: Rows) -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def write_array(path: Path, rows: Rows) -> None:
    path.write_text(json.dumps(rows, indent=1), encoding="utf-8")


def write_object(path: Path, rows: Rows) -> None:
    path.write_text(json.dumps({row["id"]: row for row in rows}, indent=1), encoding="utf-8")


def write_lines(path: Path, rows: Rows) -> None:
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n\n")


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("pairs.parquet", write_parquet),
        ("pairs.csv", write_csv),
        ("pairs.json", write_array),
        ("by_id.json", write_object),
        ("lines.json", write_lines),
        ("pairs.jsonl", write_lines),
        ("PAIRS.NDJSON", write_lines),
    ],
)
def test_every_form_is_read(tmp_path: Path, name: str, write: Callable[[Path, Rows], None]) -> None:
    write(tmp_path / name, ROWS)
    pairs = read_pairs(tmp_path / name)
    assert list(pairs.positives) == [row["positive"] for row in ROWS]
    assert list(pairs.negatives) == [row["negative"] for row in ROWS]
    assert pairs.constructions is None
    # The first two have the same words.
    assert pairs.groups.tolist() == [0, 0, 1]


def test_a_lone_json_object_is_one_row(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps(ROWS[0]))
    assert len(read_pairs(path)) == 1


def test_columns_may_have_other_names(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("caption,wrong,construction,group\nA b,b A,one,x\nc d,d c,two,x\n")
    pairs = read_pairs(path, positive_column="caption", negative_column="wrong")
    assert pairs.negatives == ["b A", "d c"]
    assert pairs.constructions == ["one", "two"]
    assert pairs.groups.tolist() == [0, 0]


def test_the_words_of_the_query_make_the_group(tmp_path: Path) -> None:
    path = tmp_path / "triplets.csv"
    path.write_text(
        "query,positive,negative\n"
        "red kite and old cube,the red kite,kite the red\n"
        "old kite and red cube,an old kite,kite an old\n"
        "wet egg and dim lamp,the red kite,kite the red\n"
    )
    assert read_pairs(path).groups.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("a.csv", "", StoreError, "holds no rows"),
        ("a.csv", "positive,negative\n", StoreError, "holds no rows"),
        ("a.json", " ", StoreError, "holds no rows"),
        ("a.jsonl", "\n", StoreError, "holds no rows"),
        ("a.csv", "positive,other\na,b\n", SettingsError, "no column 'negative'; it has positive,"),
        ("a.csv", "positive,negative\na,b\nc\n", StoreError, "row 2, column 'negative'.*None"),
        ("a.csv", "positive,negative\na,  \n", StoreError, "row 1, column 'negative'"),
        ("a.csv", "positive,negative,group\na,b\n", StoreError, "row 1, column 'group'"),
        ("a.csv", 'positive,negative\n"a,b\n', StoreError, "cannot read .*a.csv: unexpected end"),
        ("a.json", "{", StoreError, "cannot read .*a.json: Expecting"),
        ("a.json", '["text"]', StoreError, "row 1: expected an object, found 'text'"),
        ("a.jsonl", '{"positive": 1, "negative": "b"}', StoreError, "'positive': .* found 1"),
        ("a.jsonl", "{}\n[", StoreError, "cannot read .*a.jsonl: Expecting"),
        ("a.parquet", "no Parquet", StoreError, "cannot read .*a.parquet: "),
        ("a.txt", "a b", SettingsError, "ending in .parquet, .csv, .json, .jsonl, .ndjson"),
    ],
)
def test_what_is_no_pair_file_is_said_in_one_line(
    tmp_path: Path, name: str, content: str, error: type[Exception], message: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(error, match=message) as caught:
        read_pairs(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_opened_are_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot read .*none.csv: No such file"):
        read_pairs(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(StoreError, match=r"cannot read .*folder.csv: Is a directory"):
        read_pairs(tmp_path / "folder.csv")
    (tmp_path / "latin.csv").write_bytes(b"positive,negative\ncaf\xe9,b\n")
    with pytest.raises(StoreError, match=r"latin.csv: byte \d+ is not UTF-8"):
        read_pairs(tmp_path / "latin.csv")


#: Data of others, beside the project where there is any; never a part of it.
SUGARCREPE = Path(__file__).parents[4] / "shared" / "data" / "sugarcrepe_swap_att.json"


@pytest.mark.skipif(not SUGARCREPE.exists(), reason="SugarCrepe's swap_att is not on this machine")
def test_sugarcrepe_gives_its_positives_away() -> None:
    pairs = read_pairs(SUGARCREPE, positive_column="caption", negative_column="negative_caption")
    report = audit(pairs)
    accuracies = {figure.name: figure.accuracy for figure in report.scorers}
    shares = {statistic.name: statistic.value for statistic in report.statistics}
    assert len(pairs) == 666
    assert accuracies["surface"] == pytest.approx(65, abs=2)
    assert accuracies["ngrams"] == pytest.approx(63, abs=2)
    assert shares["exact_permutation_share"] == pytest.approx(61.3, abs=0.3)
