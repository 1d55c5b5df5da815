"""Re-judging: changed rules applied to the stored plans and drafts, without one new draft.

What is accepted afterwards may be more or less than before; surplus stays in the log, a shortage
is filled by continuing the build.
"""

from dataclasses import dataclass

from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.errors import BuildMissingError
from artifacts.manifest import read_manifest
from artifacts.settings import DatasetSettings
from flows.progress import Progress
from flows.stages.dataset import publish
from flows.stages.dataset_state import marked_rejudging
from flows.stages.dataset_words import load_words
from flows.stages.kept_words import settings_of_build
from flows.stages.relisting import Relisting, asked_plans
from flows.stages.repairing import StreamRepair
from flows.stages.shard_files import StreamFiles
from flows.stages.stream_run import await_writers
from generators.constructions import CONSTRUCTIONS
from generators.splits import HELD_OUT
from validators.dataset import DatasetExpectation, failing_attempts


@dataclass(frozen=True, slots=True)
class Rejudged:
    """A construction before and after."""

    construction: str
    accepted_before: int
    accepted: int
    settled: int


def rejudge_dataset(build: Build, settings: DatasetSettings, progress: Progress) -> list[Rejudged]:
    """Judge every logged draft anew, construction by construction, up to the build's quotas.

    Raises BuildMissingError where there is no dataset.
    """
    names = sorted({path.stem for path in build.streams.glob("*.json")} & CONSTRUCTIONS.keys())
    if not names:
        raise BuildMissingError(
            f"no dataset in {build.path}: nothing to re-judge; run `saber dataset`"
        )
    await_writers(build)
    with marked_rejudging(build) as quotas:
        before = {name: read_manifest(build.stream(name)).counts["accepted"] for name in names}
        streams = [_rejudge(build, name, quotas, settings, progress) for name in names]
        for files in streams:
            _let_go_of_failing(files, settings)
    _publish_if_full(build, settings)
    return [
        Rejudged(files.construction, before[files.construction], files.accepted, files.settled)
        for files in streams
    ]


def _publish_if_full(build: Build, settings: DatasetSettings) -> None:
    """Publish again where no quota is short."""
    paths = [build.stream(name) for name in CONSTRUCTIONS]
    manifests = [read_manifest(path) for path in paths if path.exists()]
    if len(manifests) == len(paths) and all(manifest.complete for manifest in manifests):
        accepted = (manifest.counts["accepted"] for manifest in manifests)
        recorded = manifests[0].settings
        chosen = settings_of_build(build, recorded, settings)
        quotas = dict(zip(CONSTRUCTIONS, accepted, strict=True))
        publish(build, chosen.model_copy(update={"quota": None, "quotas": quotas}), recorded)


def _rejudge(
    build: Build,
    name: str,
    quotas: dict[str, int],
    settings: DatasetSettings,
    progress: Progress,
) -> StreamFiles:
    manifest = read_manifest(build.stream(name))
    settings = settings_of_build(build, manifest.settings, settings)
    files = StreamFiles(build, name, manifest.settings)
    asked = asked_plans(build, files.entry(files.tail_name))
    before = files.accepted
    files.quota = quotas.get(name, files.quota)
    reach = StreamRepair(files, settings).keep_undrafted()
    files.keep_logged_plans()
    for accepted in Relisting(files, settings).run(reach, asked):
        progress.count(name, accepted, before)
    return files


def _let_go_of_failing(files: StreamFiles, settings: DatasetSettings) -> None:
    """Let go of shards that couldn't be judged without their drafts, and hold what is refused now.

    By their rows: nothing would ever make such a shard pass, or give its place to another.
    """
    undrafted = [shard for shard in files.shards if shard.undrafted and not shard.lost]
    if not undrafted:
        return
    failing = _failing_attempts(files, settings)
    for position, shard in enumerate(files.shards):
        if shard in undrafted and not failing.isdisjoint(range(shard.first, shard.end)):
            files.let_go(position)
    files.write_manifest(complete=files.accepted == files.quota)


def _failing_attempts(files: StreamFiles, settings: DatasetSettings) -> set[int]:
    chosen, name = settings_of_build(files.build, files.settings, settings), files.construction
    expected = DatasetExpectation(
        quotas={name: files.accepted},
        counterbalance=chosen.counterbalance,
        held_out=HELD_OUT,
        families=load_words(chosen).plan_words.bank.family_of,
        undrafted={name: tuple(range(s.first, s.end) for s in files.shards if s.undrafted)},
    )
    with connect(files.build, ("examples", "attempts", "accepted_words")) as connection:
        return {attempt for _, attempt in failing_attempts(connection, expected)}
