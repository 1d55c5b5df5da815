"""Where settings come from: flags, then `SABER_…` variables, then one TOML file, then defaults.

Turns every invalid value into a `SettingsError` that names its place. Knows nothing of builds.
"""

import json
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError, field_validator
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)
from pydantic_settings.exceptions import SettingsError as UnreadableVariableError

from artifacts.errors import SettingsError
from artifacts.model_settings import EvaluationSettings, PipelineSettings, TrainingSettings
from artifacts.settings import BenchmarkSettings, DatasetSettings, ServeSettings

PREFIX = "SABER_"
#: Names the settings file; not a setting itself.
FILE_VARIABLE = "SABER_SETTINGS"
#: Hold the key of a model's server: read where it is used, so that no setting ever holds it.
KEY_VARIABLE = "SABER_LLM_KEY"
_KEY_VARIABLES = frozenset({KEY_VARIABLE, "SABER_EMBEDDING_KEY"})
DEFAULT_FILE = Path("saber.toml")

#: A TOML table, or the like given by flags.
Table = Mapping[str, object]


class Settings(BaseSettings):
    """All settings of the pipeline."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True
    )

    root: Path = Field(Path("artifacts/data"), description="Folder in which builds live.")
    build: str = Field("main", description="Name of the build that commands work on.")
    benchmark: BenchmarkSettings = Field(
        default_factory=BenchmarkSettings, description="SABER, the benchmark."
    )
    dataset: DatasetSettings = Field(
        default_factory=DatasetSettings, description="The binding text dataset."
    )
    training: TrainingSettings = Field(
        default_factory=TrainingSettings, description="The finetuning of an embedder."
    )
    evaluation: EvaluationSettings = Field(
        default_factory=EvaluationSettings, description="The scoring of an embedder."
    )
    pipeline: PipelineSettings = Field(
        default_factory=PipelineSettings, description="The whole of it: `saber run`."
    )
    serve: ServeSettings = Field(
        default_factory=ServeSettings, description="What runs unattended, and when: `saber serve`."
    )

    @field_validator("root")
    @classmethod
    def _is_local(cls, root: Path) -> Path:
        """A path takes any address for a folder of that name, here."""
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", str(root)):
            raise ValueError(
                f"expected a folder of this machine, found the address {root}: mount what is "
                "there, or copy builds to it"
            )
        return root


@dataclass(frozen=True, slots=True)
class _Sources:
    """What was given where, to tell the user where an invalid value stands."""

    file: Path | None
    content: Table
    flags: Table

    def place_of(self, keys: tuple[str, ...]) -> str:
        """Return "saber.toml: benchmark.seed", or the variable or flag that wins over it."""
        dotted = ".".join(keys)
        if _holds_value(self.flags, keys):
            return f"command line: {dotted}"
        variable = _variable_of(keys)
        if variable:
            return f"environment variable {variable}: {dotted}"
        return f"{self.file}: {dotted}" if _holds(self.content, keys) else dotted


def load_settings(file: Path | None = None, flags: Table | None = None) -> Settings:
    """Read the settings; `flags` holds nested values given on the command line.

    Raises SettingsError for a missing or malformed file, an unknown key or an invalid value.
    """
    path = _settings_file(file)
    sources = _Sources(path, _read_toml(path) if path else {}, flags or {})
    _refuse_values_for_tables(sources)
    _refuse_unknown_variables()

    class _Layered(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            given = InitSettingsSource(settings_cls, dict(sources.flags))
            return given, env_settings, InitSettingsSource(settings_cls, dict(sources.content))

    try:
        settings = _Layered()
    except ValidationError as error:
        found = "; ".join(_explain(details, sources) for details in error.errors())
        raise SettingsError(found) from error
    except UnreadableVariableError as error:
        raise SettingsError(
            f"environment variables {PREFIX}…: {error}: {error.__cause__}; write a table as JSON, "
            f"or set its keys one by one ({PREFIX}BENCHMARK__SEED=7)"
        ) from error
    _refuse_unknown_constructions(settings, sources)
    return settings


def _settings_file(file: Path | None) -> Path | None:
    """Return the file to read: the one asked for must exist, the default one may."""
    named = file or (Path(os.environ[FILE_VARIABLE]) if os.environ.get(FILE_VARIABLE) else None)
    if named is None:
        return DEFAULT_FILE if DEFAULT_FILE.is_file() else None
    if not named.is_file():
        raise SettingsError(f"{named}: expected a settings file, found none; check the path")
    return named


def _read_toml(path: Path) -> Table:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: expected TOML, found {error}") from error
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from error


def _refuse_values_for_tables(sources: _Sources) -> None:
    """A flag for one key of a table would otherwise hide that the file has no such table."""
    for name, field in Settings.model_fields.items():
        found = sources.content.get(name, {})
        is_stage = isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
        if is_stage and not isinstance(found, Mapping):
            raise SettingsError(f"{sources.file}: {name}: expected a table, found {found!r}")


def _refuse_unknown_variables() -> None:
    """A misspelt variable would otherwise be passed over in silence."""
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    for name in os.environ:
        head = name.upper().split("__", 1)[0]
        if head.startswith(PREFIX) and head not in known | {FILE_VARIABLE} | _KEY_VARIABLES:
            raise SettingsError(
                f"environment variable {name}: expected one of {', '.join(sorted(known))} "
                f"(with __ before a nested key) or {FILE_VARIABLE}; correct or unset it"
            )


def _refuse_unknown_constructions(settings: Settings, sources: _Sources) -> None:
    """Raise SettingsError for a quota of what doesn't exist: settings can't know constructions."""
    if not settings.dataset.quotas:
        return
    # Here, since most commands need none of them.
    from generators.constructions import CONSTRUCTIONS

    for name in settings.dataset.quotas.keys() - CONSTRUCTIONS.keys():
        raise SettingsError(
            f"{sources.place_of(('dataset', 'quotas', name))}: expected a construction out of "
            f"{', '.join(CONSTRUCTIONS)}, found {name!r}{_suggestion(name, CONSTRUCTIONS)}; "
            "correct the name"
        )


def _explain(details: ErrorDetails, sources: _Sources) -> str:
    # The number of a value in a list would say nothing to who gave it by a flag.
    keys = tuple(key for key in details["loc"] if isinstance(key, str))
    message = details["msg"].removeprefix("Value error, ")
    if details["type"] == "extra_forbidden":
        told = f"unknown setting{_suggestion(keys[-1], _names_beside(keys))}"
        return f"{sources.place_of(keys)}: {told}; see saber.toml for those there are"
    message = message[0].lower() + message[1:]
    if details["type"] == "value_error":
        return f"{sources.place_of(keys)}: {message}"
    return f"{sources.place_of(keys)}: {message}, found {details['input']!r}"


def _suggestion(name: str, known: Iterable[str]) -> str:
    """Return " (did you mean 'seed'?)" where a known name is close; nothing where none is."""
    close = get_close_matches(name, list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _names_beside(keys: tuple[str, ...]) -> Iterable[str]:
    """Return the settings of the table that `keys` leads into."""
    table: type[BaseModel] = Settings
    for key in keys[:-1]:
        kind = table.model_fields[key].annotation
        if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
            return ()
        table = kind
    return table.model_fields


def _variable_of(keys: tuple[str, ...]) -> str | None:
    """Return the variable that sets `keys`, by itself or as part of a table written as JSON."""
    for length in range(len(keys), 0, -1):
        wanted = PREFIX + "__".join(keys[:length]).upper()
        for name, value in os.environ.items():
            if name.upper() == wanted and (
                length == len(keys) or _holds_json(value, keys[length:])
            ):
                return name
    return None


def _holds_json(text: str, keys: tuple[str, ...]) -> bool:
    try:
        return _holds(json.loads(text), keys)
    except ValueError:
        return False


def _holds_value(table: Table, keys: tuple[str, ...]) -> bool:
    """Whether a value is there that isn't itself a table: a table may come from several places."""
    return _holds(table, keys) and not _holds(table, keys, of=Mapping)


def _holds(table: object, keys: tuple[str, ...], of: type = object) -> bool:
    inner = table
    for key in keys:
        if not isinstance(inner, Mapping) or key not in inner:
            return False
        inner = inner[key]
    return isinstance(inner, of)
