"""What several tests of this folder do to builds."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from artifacts.builds import Build
from artifacts.manifest import read_manifest, write_manifest
from artifacts.parquet import read_verified, write_table
from artifacts.records import Question, Scene
from artifacts.schema import stored_schema
from artifacts.settings import BenchmarkSettings

#: Small enough for a tenth of a second, with every kind of question.
SMALL = BenchmarkSettings(n_max=4, independent_per_n=5, chains=5)
SMALL_TOML = "[benchmark]\nn_max = 4\nindependent_per_n = 5\nchains = 5\n"


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below `folder` by its path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def write_words(folder: Path, objects: int, attributes: int) -> Path:
    """Write a user's own vocabulary."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"thing{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(objects)]
    (folder / "objects.toml").write_text(f"objects = {json.dumps(names)}\n")
    (folder / "attributes.toml").write_text(
        "".join(
            f'[[attribute]]\nname = "look{chr(97 + number)}"\ncategory = "c"\n'
            'type = "standalone"\n\n'
            for number in range(attributes)
        )
    )
    return folder


def edit_and_sign(
    build: Build, record_type: type[Question] | type[Scene], edit: Callable[[pa.Table], pa.Table]
) -> None:
    """Change a table of the benchmark and its manifest with it: only a rule can notice."""
    manifest = read_manifest(build.manifest("benchmark"))
    (old,) = (entry for entry in manifest.files if entry.kind == record_type.view)
    table = edit(read_verified(build.path, old, stored_schema(record_type)))
    new = write_table(build.path, old.name, old.kind, table)
    files = [new if entry == old else entry for entry in manifest.files]
    write_manifest(build.manifest("benchmark"), manifest.model_copy(update={"files": files}))


def with_column(table: pa.Table, name: str, values: list[object]) -> pa.Table:
    """Return `table` with other values in one column."""
    field = table.schema.field(name)
    return table.set_column(
        table.schema.get_field_index(name), field, pa.array(values, type=field.type)
    )


def move_answers(table: pa.Table) -> pa.Table:
    """Return questions that claim another candidate to be the correct one."""
    answers = table.column("answer").to_pylist()
    return with_column(table, "answer", [((answer or 0) + 1) % 4 for answer in answers])
