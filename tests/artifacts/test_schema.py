import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from artifacts.errors import DamagedFileError, StoreError
from artifacts.parquet import parquet_bytes
from artifacts.records import RECORD_TYPES, Attempt, Example, Question, Record, Scene
from artifacts.schema import arrow_schema, from_table, is_partitioned, stored_schema, to_table
from tests.artifacts.rows import records, scene


@pytest.mark.parametrize("record_type", RECORD_TYPES, ids=lambda kind: kind.view)
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_records_survive_parquet(record_type: type[Record], data: st.DataObject) -> None:
    rows = data.draw(st.lists(records(record_type), max_size=4))
    table = to_table(record_type, rows)  # type: ignore[arg-type]
    stored = pq.read_table(pa.BufferReader(parquet_bytes(table)))
    assert stored.schema == arrow_schema(record_type)
    assert from_table(record_type, stored) == rows


def test_column_is_called_by_its_alias() -> None:
    assert "register" in arrow_schema(Example).names
    assert "writing_register" not in arrow_schema(Example).names


def test_only_optional_fields_are_nullable() -> None:
    schema = arrow_schema(Example)
    nullable = {field.name for field in schema if field.nullable}
    assert nullable == {"time", "weather", "kept_pair", "swapped_slot", "described_first"}
    assert schema.field("families").type.value_field.nullable
    assert not schema.field("remarks").type.value_field.nullable


def test_hive_column_is_in_the_path_and_not_in_the_file() -> None:
    assert "construction" not in stored_schema(Example).names
    assert stored_schema(Scene) == arrow_schema(Scene)
    assert is_partitioned(Attempt)
    assert not is_partitioned(Scene)


def test_value_that_no_column_holds_is_named() -> None:
    row = Question(
        question_id="q", n=2**63, subset="nested", chain_id="c", query_scene_id="s", answer=0
    )
    with pytest.raises(StoreError, match="column n: a value does not fit int64"):
        to_table(Question, [row])


def test_row_that_breaks_its_record_type_is_named() -> None:
    table = to_table(Scene, [scene(0)])
    bad = table.set_column(0, table.schema.field("scene_id"), pa.array([""]))
    with pytest.raises(DamagedFileError, match="scenes, row 0, scene_id"):
        from_table(Scene, bad)


_PRINT_DIGEST = """
import hashlib
from artifacts.parquet import parquet_bytes
from artifacts.records import Scene
from artifacts.schema import to_table
from tests.artifacts.rows import scene
table = to_table(Scene, [scene(number) for number in range(2000)])
print(hashlib.sha256(parquet_bytes(table)).hexdigest())
"""


def test_bytes_do_not_depend_on_the_hash_seed() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", _PRINT_DIGEST],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(digests) == 1


def test_bytes_do_not_depend_on_chunks_or_metadata() -> None:
    table = to_table(Scene, [scene(number) for number in range(10)])
    chunked = pa.concat_tables([table.slice(0, 3), table.slice(3)])
    named = table.replace_schema_metadata({"written by": "somebody"})
    assert parquet_bytes(table) == parquet_bytes(chunked) == parquet_bytes(named)
