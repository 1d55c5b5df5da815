"""A construction whose manifest can't be used, listed anew from its log.

What the dataset's manifest lists of it tells which shards there were: those whose drafts are gone
keep their rows, unless the writer gives them again.
"""

from collections.abc import Iterator
from pathlib import PurePosixPath

from artifacts.files import PARTITION_COLUMN, FileEntry
from artifacts.manifest import Manifest, ShardRange
from artifacts.parquet import read_verified
from artifacts.records import AcceptedWordsRow, Example, Record, Rejection
from artifacts.schema import stored_schema
from artifacts.settings import DatasetSettings
from artifacts.shards import shard_state, shard_states
from flows.stages.dataset_words import make_writer
from flows.stages.relisting import Relisting, asked_plans
from flows.stages.repairing import Repair, StreamRepair
from flows.stages.shard_files import SHARD_TYPES, StreamFiles


def rebuild(
    files: StreamFiles, settings: DatasetSettings, published: Manifest | None
) -> Iterator[Repair]:
    """Make the list of a construction anew; `files` has none, but knows the quota."""
    build = files.build
    listed = entries_of(files.construction, published)
    for entry in listed:
        files.relist(entry)
    asked = asked_plans(build, files.entry(files.tail_name))
    states = zip(listed, shard_states(build.path, listed), strict=True)
    damaged = {e.name: state for e, state in states if state not in ("complete", "failed")}
    if not make_writer(settings).repeats_itself:
        # Before the first shard: a crash must not cost the drafts of those behind it.
        files.keep_logged_plans()
        files.shards = _listed_shards(files)
    repair = StreamRepair(files, settings)
    reach = repair.keep_undrafted()
    list(Relisting(files, settings).run(reach, asked))
    done = {each.name: each for each in repair.repairs}
    restored = {name: Repair(name, state, "restored") for name, state in damaged.items()}
    yield from (restored | done).values()


def _listed_shards(files: StreamFiles) -> list[ShardRange]:
    """Return the shards that the listed files make up, as far as these tell."""
    shards: list[ShardRange] = []
    for index in range(_end_of_indexes(files)):
        first = shards[-1].end if shards else 0
        # Every attempt of a shard is an example or a rejection.
        accepted, rejected = _rows(files, Example, index), _rows(files, Rejection, index)
        is_lost = not accepted + rejected
        end = _first_attempt(files, index + 1) if is_lost else first + accepted + rejected
        if end is None:
            break
        if is_lost:
            accepted = _rows(files, AcceptedWordsRow, index) or end - first
        shards.append(
            ShardRange(
                index=index,
                first=first,
                end=end,
                accepted=accepted,
                rejected=rejected,
                lost=is_lost,
            )
        )
    return shards


def _end_of_indexes(files: StreamFiles) -> int:
    stems = (PurePosixPath(e.name).stem for kind in SHARD_TYPES for e in files.entries(kind))
    return max((int(stem) + 1 for stem in stems if stem.isdecimal()), default=0)


def _rows(files: StreamFiles, kind: type[Record], index: int) -> int:
    entry = files.entry(files.file_name(kind, index))
    return entry.rows if entry else 0


def _first_attempt(files: StreamFiles, index: int) -> int | None:
    """Return where a shard begins; None where its files don't tell."""
    firsts = []
    for kind in (Example, Rejection):
        entry = files.entry(files.file_name(kind, index))
        if entry is None:
            continue
        if shard_state(files.build.path, entry) not in ("complete", "failed"):
            return None
        table = read_verified(files.build.path, entry, stored_schema(kind))
        firsts.append(table["attempt"][0].as_py())
    return min(firsts, default=None)


def entries_of(construction: str, manifest: Manifest | None) -> list[FileEntry]:
    """Return the files of a construction that a manifest lists."""
    folders = {construction, f"{PARTITION_COLUMN}={construction}"}
    listed = manifest.files if manifest else []
    return [entry for entry in listed if not folders.isdisjoint(entry.name.split("/"))]
