"""How many examples a dataset is to have, told from whatever is left to tell it.

A finished dataset's manifest says so; an unfinished one's marks and its constructions' manifests
do; where the former is lost, the splits name every example. Knows none of the settings of a run.
"""

from collections import Counter
from collections.abc import Mapping

import pyarrow as pa
import pyarrow.parquet as pq

from artifacts.builds import Build
from artifacts.errors import DamagedFileError
from artifacts.manifest import Manifest
from artifacts.records import SplitMember
from artifacts.schema import stored_schema
from flows.stages.dataset_state import growing_quotas, pending_repair, recorded_quotas
from flows.stages.shard_files import QUOTA, STAGE
from flows.stages.unfinished import readable_manifest, try_manifest
from generators.constructions import CONSTRUCTIONS

SPLITS_NAME = f"{STAGE}/splits.parquet"


def begun_quotas(build: Build) -> dict[str, int]:
    """Return the quotas that a dataset was begun with or grows to; none where nothing is in it."""
    begun = any(build.stream(name).exists() for name in CONSTRUCTIONS)
    return told_quotas(build) if begun else {}


def told_quotas(build: Build) -> dict[str, int]:
    """Return the quotas of a dataset, finished or not, as far as anything in the build tells."""
    published = try_manifest(build.manifest(STAGE))
    if published:
        return recorded_quotas(published)
    found = {name: readable_manifest(build, name) for name in CONSTRUCTIONS}
    told = {name: m.counts[QUOTA] for name, m in found.items() if m and QUOTA in m.counts}
    return {**(pending_repair(build) or {}), **told, **growing_quotas(build)}


def quotas_to_restore(
    build: Build, published: Manifest | None, streams: Mapping[str, Manifest | None]
) -> dict[str, int]:
    """Return the quotas of a dataset that was complete; none of one that wasn't.

    `streams` are the constructions that were begun, None where a manifest can't be used. Raises
    DamagedFileError where nothing tells one of the quotas.
    """
    readable = {name: manifest for name, manifest in streams.items() if manifest}
    full = {name: m.counts["accepted"] for name, m in readable.items() if m.complete}
    pending = pending_repair(build)
    told = recorded_quotas(published) if published else pending or {}
    if published is None and pending is None:
        if not _was_complete(build, full, streams):
            return {}
        told = _counted_in_splits(build)
    wanted = {name: m.counts[QUOTA] for name, m in readable.items() if QUOTA in m.counts}
    known = told | wanted | full
    unknown = [name for name in streams if name not in known]
    if unknown:
        # None can be guessed: of too small a one, rows that are there would leave.
        raise DamagedFileError(
            f"nothing tells how many examples of {', '.join(unknown)} {build.dataset} held: "
            "`saber dataset` with the settings that it was made with goes on with it"
        )
    return dict.fromkeys(CONSTRUCTIONS, 0) | known


def _was_complete(
    build: Build, full: Mapping[str, int], streams: Mapping[str, Manifest | None]
) -> bool:
    """Whether a dataset without its manifest had all that was wanted.

    Where it was to grow, the mark of that tells; else constructions whose manifests are lost were
    complete if the splits, which are made last, name just what the others have.
    """
    growing = growing_quotas(build)
    if growing:
        return all(full.get(name, -1) >= quota for name, quota in growing.items())
    if len(full) == len(streams):
        return True
    counted = _counted_in_splits(build)
    lost = {name for name, manifest in streams.items() if manifest is None}
    known = {name: count for name, count in counted.items() if name not in lost}
    return full.keys() | lost == streams.keys() and known == {n: c for n, c in full.items() if c}


def _counted_in_splits(build: Build) -> dict[str, int]:
    """Return how many examples of each construction have a split; none where nothing tells."""
    try:
        # Its checksum is lost with the manifest that listed it.
        table = pq.read_table(build.path / SPLITS_NAME, schema=stored_schema(SplitMember))
        names = [str(name) for name in table["example_id"].to_pylist()]
    except (pa.ArrowException, OSError, ValueError):
        return {}
    return dict(Counter(name.rpartition("-")[0] for name in names))
