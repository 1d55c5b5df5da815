"""What a dataset is at the moment: its quotas, and what is under way: growth, re-judging, repair.

Knows manifests and the marks of these; nothing of how either comes about.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from artifacts.builds import Build
from artifacts.errors import BuildError, StoreError
from artifacts.files import read_file, replace_file
from artifacts.manifest import Manifest, read_manifest
from flows.stages.shard_files import STAGE

_REJUDGING = ".rejudging"
_REPAIRING = ".repairing"
_GROWING = ".growing"
_MARKED = TypeAdapter(dict[str, int])


def require_no_rejudging(build: Build) -> None:
    """Raise BuildError if a re-judging was interrupted: its shards are of two kinds."""
    if (build.dataset / _REJUDGING).exists():
        raise BuildError(
            f"re-judging of build {build.name!r} was interrupted; run `saber rejudge` again"
        )


def recorded_quotas(published: Manifest) -> dict[str, int]:
    """Return the quotas of a published dataset."""
    quotas = published.settings.get("quotas")
    if not isinstance(quotas, dict):
        return {}
    return {name: quota for name, quota in quotas.items() if isinstance(quota, int)}


@contextmanager
def marked_rejudging(build: Build) -> Iterator[dict[str, int]]:
    """Mark the dataset while its shards are replaced, and yield its quotas; none if unpublished.

    A crash leaves the mark with the quotas, so that the next run knows them.
    """
    mark, published = build.dataset / _REJUDGING, build.manifest(STAGE)
    if mark.exists():
        quotas: dict[str, int] = json.loads(read_file(mark))
    elif published.exists():
        # What is left of a repair that was done: the dataset isn't complete from here on.
        forget_repair(build)
        quotas = recorded_quotas(read_manifest(published))
    else:
        quotas = pending_repair(build) or {}
    replace_file(mark, json.dumps(quotas).encode())
    published.unlink(missing_ok=True)
    yield quotas
    mark.unlink()


def mark_repairing(build: Build, quotas: dict[str, int]) -> None:
    """Say that the dataset was complete and is on its way back to its quotas.

    Whatever breaks the repair off, a night then knows that there is one to go on with, and doesn't
    take the dataset for one that was never finished.
    """
    replace_file(build.dataset / _REPAIRING, json.dumps(quotas).encode())


def pending_repair(build: Build) -> dict[str, int] | None:
    """Return the quotas of a dataset whose repair was broken off; None where none was."""
    return None if build.manifest(STAGE).exists() else _marked(build.dataset / _REPAIRING)


def forget_repair(build: Build) -> None:
    """Say that no repair is under way."""
    _forget(build, _REPAIRING)


def mark_growing(build: Build, quotas: dict[str, int]) -> None:
    """Say how many examples are wanted, until they are there.

    The manifest of a construction that isn't begun doesn't: it has the quota of before, or isn't
    there.
    """
    replace_file(build.dataset / _GROWING, json.dumps(quotas).encode())


def growing_quotas(build: Build) -> dict[str, int]:
    """Return the quotas that an unfinished dataset is built for; empty where no mark tells them."""
    return {} if build.manifest(STAGE).exists() else _marked(build.dataset / _GROWING) or {}


def forget_growth(build: Build) -> None:
    """Say that all that was wanted is there."""
    _forget(build, _GROWING)


def _marked(mark: Path) -> dict[str, int] | None:
    """Return the quotas in a mark; None where there is none."""
    if not mark.exists():
        return None
    try:
        return _MARKED.validate_json(read_file(mark))
    except ValidationError:
        # The mark is damaged; each construction's manifest has its quota, too.
        return {}


def _forget(build: Build, mark: str) -> None:
    try:
        (build.dataset / mark).unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"cannot change {build.dataset}: {error.strerror}") from error
