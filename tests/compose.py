"""docker-compose.yml as tests read it: variables filled in as Docker Compose does."""

import re
from pathlib import Path
from typing import Any

import yaml

PROJECT = Path(__file__).parents[1]
_VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


def compose_text() -> str:
    return (PROJECT / "docker-compose.yml").read_text(encoding="utf-8")


def variables() -> dict[str, str | None]:
    """Return every variable with its default; None where it has to be set."""
    found = _VARIABLE.findall(compose_text())
    return {name: default if kind == "-" else None for name, kind, default in found}


def services(**given: str) -> dict[str, Any]:
    """Return the services, with variables as given or by default."""

    def fill(match: re.Match[str]) -> str:
        name, kind, default = match.groups()
        if name in given:
            return given[name]
        assert kind == "-", f"{name} has to be set"
        return str(default)

    return dict(yaml.safe_load(_VARIABLE.sub(fill, compose_text()))["services"])
