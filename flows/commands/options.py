"""Options that several commands share, and how they become settings."""

from pathlib import Path
from typing import Annotated

import typer

from artifacts.builds import Build
from flows.settings import Settings, load_settings

RootOption = Annotated[
    Path | None,
    typer.Option(help="Folder in which builds live. [env: SABER_ROOT; default: artifacts/data]"),
]
BuildOption = Annotated[
    str | None,
    typer.Option(help="Name of the build. [env: SABER_BUILD; default: main]"),
]
SettingsOption = Annotated[
    Path | None,
    typer.Option(
        "--settings",
        help="TOML file with settings. [env: SABER_SETTINGS; default: saber.toml if it's there]",
    ),
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Replace what the build holds, whatever its settings.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", help="No progress on stderr.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
SeedOption = Annotated[
    int | None, typer.Option(help="Seed of every draw; another seed gives another build.")
]


def settings_of(
    file: Path | None = None,
    root: Path | None = None,
    build: str | None = None,
    **stages: dict[str, object],
) -> Settings:
    """Read the settings with these flags on top; a flag that wasn't given is None."""
    flags: dict[str, object] = {"root": root, "build": build}
    for stage, values in stages.items():
        given = {key: value for key, value in values.items() if value is not None}
        flags[stage] = given or None
    return load_settings(file, {key: value for key, value in flags.items() if value is not None})


def build_of(settings: Settings) -> Build:
    """Return the build that the settings name."""
    return Build(settings.root, settings.build)
