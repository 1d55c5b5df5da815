"""The documented settings file, generated from the settings' own descriptions and defaults."""

import json
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from flows.settings import Settings

_HEADER = """\
# Settings of the pipeline, with their defaults. `saber` reads saber.toml in the working folder, or
# the file that --settings or SABER_SETTINGS names. Flags come before environment variables
# (SABER_ROOT=builds, SABER_BENCHMARK__SEED=7), these before this file. Paths are relative to the
# working folder.
"""


def settings_toml() -> str:
    """Return a settings file that says nothing but the defaults, each with its description."""
    return _HEADER + "\n".join(_lines(Settings, ()))


def _lines(model: type[BaseModel], keys: tuple[str, ...]) -> Iterator[str]:
    tables: list[tuple[str, FieldInfo, type[BaseModel]]] = []
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            tables.append((name, field, field.annotation))
        else:
            yield f"\n# {field.description}\n{_assignment(name, field)}"
    for name, field, inner in tables:
        yield f"\n\n# {field.description}\n[{'.'.join((*keys, name))}]"
        yield from _lines(inner, (*keys, name))
    if not keys:
        yield ""


def _assignment(name: str, field: FieldInfo) -> str:
    default = field.get_default(call_default_factory=True, validated_data={})
    if default is None:
        return f'# {name} = "…"'
    return f"{name} = {_value(default)}"


def _value(default: object) -> str:
    if isinstance(default, Path):
        return json.dumps(default.as_posix())
    return json.dumps(default)
