"""One request to a real model's server, as the writer makes it.

Knows the writer's client; not which server answers.
"""

import asyncio
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from artifacts.settings import DatasetSettings, LlmSettings
from flows.llm.build import probe_server, request_planner
from flows.llm.client import connected
from flows.llm.messages import Reply
from flows.llm.probe import Served
from flows.llm.timing import Timing
from flows.stages.dataset_words import load_words
from tests.servers.running import SABER, clean_environment
from validators.ledger import Ledger


def bare_settings(llm: Mapping[str, object]) -> DatasetSettings:
    """Return settings that a small model can be asked by, with those for the writer."""
    given = {"style": "bare", "max_tokens": 80, **llm}
    return DatasetSettings(writer="llm", llm=LlmSettings.model_validate(given))


def a_request(chosen: DatasetSettings) -> dict[str, Any]:
    """Return the body of a first request."""
    planner = request_planner(load_words(chosen), "pair_swap", chosen)
    attempt = planner.plan(0, Ledger(2)).attempt
    body: dict[str, Any] = json.loads(planner.take_payload(attempt))
    return body


def complete(chosen: DatasetSettings, body: dict[str, Any]) -> Reply:
    """Make a request."""

    async def ask() -> Reply:
        async with connected(chosen.llm) as client:
            return await client.complete(json.dumps(body).encode())

    return asyncio.run(ask())


def probe(chosen: DatasetSettings) -> Served:
    """Find out whether the server will do."""

    async def ask() -> Served:
        async with connected(chosen.llm) as client:
            return await probe_server(client, chosen, Timing())

    return asyncio.run(ask())


def build_in(
    folder: Path, url: str, model: str, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run `saber dataset` in an empty folder, with further variables of its environment."""
    env = clean_environment(folder / "home") | {"SABER_ROOT": str(folder / "builds"), **variables}
    asked = ("dataset", "--writer", "llm", "--server", url, "--model", model)
    return subprocess.run(
        (*SABER, *asked, *arguments),
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
