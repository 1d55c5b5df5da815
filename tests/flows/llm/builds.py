"""Small datasets from a stub server, and what is asked of the files they leave."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from artifacts import attempt_log
from artifacts.attempt_log import LoggedDraft, read_drafts
from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.settings import DatasetSettings, LlmSettings
from flows.llm import room
from flows.progress import Progress, Silent
from flows.stages.dataset import DatasetOutcome, build_dataset
from flows.stages.dataset_check import check_dataset
from generators.constructions import CONSTRUCTIONS

#: Two constructions are enough for what concerns all.
FEW = ("pair_swap", "deferred_bind_anaphoric")


def llm_settings(
    url: str,
    quota: int,
    *,
    constructions: tuple[str, ...] = FEW,
    dataset: dict[str, object] | None = None,
    **llm: object,
) -> DatasetSettings:
    """Return settings for a stub; waits and limits are short."""
    quotas = {name: quota if name in constructions else 0 for name in CONSTRUCTIONS}
    asked = {"base_url": url, "model": "stub", "style": "given", "timeout_seconds": 20}
    return DatasetSettings(
        quotas=quotas,
        writer="llm",
        parse=False,
        processes=1,
        lag=16,
        shard_rows=10,
        llm=LlmSettings.model_validate({**asked, **llm}),
    ).model_copy(update=dataset or {})


class Steps(Silent):
    """Remembers the steps that it is to show."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    def step(self, text: str) -> None:
        self.steps.append(text)


def build(
    folder: Path, settings: DatasetSettings, progress: Progress | None = None
) -> DatasetOutcome:
    """Build, or go on."""
    return build_dataset(Build(folder, "main"), settings, progress or Silent())


def use_small_groups() -> None:
    """Close a commit group after few drafts, so that little is run for a loss to show."""
    attempt_log.GROUP_ROWS = 20


def serve_in_small_groups(*arguments: Any) -> None:
    """Be a process of engines with small commit groups."""
    use_small_groups()
    room._serve(*arguments)


def verdicts(folder: Path, construction: str = FEW[0]) -> list[str]:
    """Return the verdicts of a construction in the order of its attempts."""
    with connect(Build(folder, "main"), ["attempts"]) as connection:
        rows = connection.execute(
            "SELECT attempt, verdict FROM attempts WHERE construction = ? ORDER BY attempt",
            [construction],
        ).fetchall()
    assert [attempt for attempt, _ in rows] == list(range(len(rows)))
    return [verdict for _, verdict in rows]


def reasons(folder: Path) -> Counter[str]:
    """Return how often each rule rejected a draft."""
    with connect(Build(folder, "main"), ["rejections"]) as connection:
        rows = connection.execute("SELECT unnest(reasons) FROM rejections").fetchall()
    return Counter(reason for (reason,) in rows)


def logged(folder: Path, construction: str = FEW[0]) -> dict[int, LoggedDraft]:
    """Return the logged drafts of a construction."""
    return read_drafts(Build(folder, "main").dataset / "log" / construction)


def require_valid(folder: Path, settings: DatasetSettings) -> None:
    """Put every rule to a finished build."""
    rules, _ = check_dataset(Build(folder, "main"), settings)
    assert not [(rule.rule, rule.examples) for rule in rules if rule.failed]


def settled_files(folder: Path) -> dict[str, bytes]:
    """Return the files of settled attempts."""
    dataset = Build(folder, "main").dataset
    return {
        str(path.relative_to(dataset)): path.read_bytes()
        for path in sorted(dataset.rglob("construction=*/*.parquet"))
        if path.stem != "tail"
    }


def manifest_text(folder: Path) -> str:
    """Return all that the manifests of a build say."""
    paths = sorted(Build(folder, "main").path.rglob("*.json"))
    return json.dumps([path.read_text() for path in paths])
