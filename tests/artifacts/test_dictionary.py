from pathlib import Path

import artifacts
from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.dictionary import data_dictionary, view_columns
from artifacts.records import RECORD_TYPES

PAGE = Path(artifacts.__file__).parent.parent / "docs" / "data-dictionary.md"


def test_page_is_what_the_record_types_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == data_dictionary(), (
        "docs/data-dictionary.md drifted: run `python -m artifacts.dictionary > "
        "docs/data-dictionary.md`"
    )


def test_every_column_is_described() -> None:
    for record_type in RECORD_TYPES:
        for column in view_columns(record_type):
            assert column.description, f"{record_type.view}.{column.name}"


def test_views_have_the_columns_and_types_of_the_page(finished_build: Build) -> None:
    with connect(finished_build) as connection:
        for record_type in RECORD_TYPES:
            found = connection.execute(f"DESCRIBE {record_type.view}").fetchall()
            expected = {column.name: column.sql_type for column in view_columns(record_type)}
            assert {row[0]: row[1].replace('"', "") for row in found} == expected
