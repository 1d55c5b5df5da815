"""What a dataset is at the moment: its quotas, and whether a re-judging is under way.

Knows manifests and the mark of a re-judging; nothing of how either comes about.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from artifacts.builds import Build
from artifacts.errors import BuildError
from artifacts.files import read_file, replace_file
from artifacts.manifest import Manifest, read_manifest
from flows.stages.shard_files import STAGE


def require_no_rejudging(build: Build) -> None:
    """Raise BuildError if a re-judging was interrupted: its shards are of two kinds."""
    if (build.dataset / _MARK).exists():
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
    mark, published = build.dataset / _MARK, build.manifest(STAGE)
    if mark.exists():
        quotas: dict[str, int] = json.loads(read_file(mark))
    else:
        quotas = recorded_quotas(read_manifest(published)) if published.exists() else {}
        replace_file(mark, json.dumps(quotas).encode())
    published.unlink(missing_ok=True)
    yield quotas
    mark.unlink()


_MARK = ".rejudging"
