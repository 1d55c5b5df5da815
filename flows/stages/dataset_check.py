"""The check of a finished dataset: checksums of every listed file, then every rule on its rows."""

from collections.abc import Callable

import pyarrow as pa

from artifacts.builds import Build, shard_name
from artifacts.catalog import connect, list_entries
from artifacts.errors import BuildMissingError
from artifacts.files import require_checksum
from artifacts.manifest import Manifest, ShardRange, read_manifest
from artifacts.records import Example
from artifacts.reports import RuleReport
from artifacts.settings import DatasetSettings
from flows.stages.dataset_state import recorded_quotas, require_no_rejudging
from flows.stages.dataset_words import load_words
from flows.stages.kept_words import settings_of_build
from flows.stages.shard_files import STAGE
from flows.stages.unfinished import require_dataset
from generators.constructions import CONSTRUCTIONS
from generators.splits import HELD_OUT
from validators.dataset import (
    ConstructionStatistics,
    DatasetExpectation,
    dataset_statistics,
    failing_attempts,
    validate_dataset,
)

_VIEWS = ("examples", "rejections", "attempts", "triplets", "splits", "accepted_words")


def check_dataset(
    build: Build, settings: DatasetSettings
) -> tuple[list[RuleReport], list[ConstructionStatistics]]:
    """Judge a finished dataset from its files; `settings` names its words.

    Raises BuildMissingError if it isn't finished, DamagedFileError if a file isn't what it was.
    """
    require_no_rejudging(build)
    require_dataset(build)
    manifest = read_manifest(build.manifest(STAGE))
    for entry in list_entries(build):
        if entry.name.startswith(f"{STAGE}/"):
            require_checksum(build.path, entry)
    expected = _expectation(build, manifest, settings)
    with connect(build, _VIEWS) as connection:
        return validate_dataset(connection, expected), dataset_statistics(connection)


def failing_shards(build: Build, settings: DatasetSettings) -> set[str]:
    """Return the names of the shards of examples in which one breaks a rule by itself."""
    expected = _expectation(build, read_manifest(build.manifest(STAGE)), settings)
    with connect(build, _VIEWS) as connection:
        failing = list(failing_attempts(connection, expected))
    shards = {name: read_manifest(build.stream(name)).shards for name in expected.quotas}
    return {
        shard_name(Example.view, construction, shard.index)
        for construction, attempt in failing
        for shard in shards[construction]
        if shard.first <= attempt < shard.end
    }


def _expectation(build: Build, manifest: Manifest, settings: DatasetSettings) -> DatasetExpectation:
    chosen = settings_of_build(build, manifest.settings, settings)
    return DatasetExpectation(
        quotas=recorded_quotas(manifest),
        counterbalance=chosen.counterbalance,
        held_out=HELD_OUT,
        families=load_words(chosen).plan_words.bank.family_of,
        lost=_attempts_where(build, lambda shard: shard.lost),
        undrafted=_attempts_where(build, lambda shard: shard.undrafted),
    )


def read_examples(build: Build, columns: str) -> pa.Table:
    """Return columns of the finished examples, in the order of construction and attempt."""
    if not build.manifest(STAGE).exists():
        raise BuildMissingError(
            f"no finished dataset in {build.path}; run `saber dataset` to build or continue it"
        )
    with connect(build, ("examples",)) as connection:
        rows = connection.sql(f"SELECT {columns} FROM examples ORDER BY construction, attempt")
        table: pa.Table = rows.to_arrow_reader().read_all()
        return table


def _attempts_where(
    build: Build, applies: Callable[[ShardRange], bool]
) -> dict[str, tuple[range, ...]]:
    """Return construction → attempts of the shards that something applies to."""
    return {
        name: tuple(
            range(shard.first, shard.end)
            for shard in read_manifest(build.stream(name)).shards
            if applies(shard)
        )
        for name in CONSTRUCTIONS
        if build.stream(name).exists()
    }
