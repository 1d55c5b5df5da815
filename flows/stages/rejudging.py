"""Re-judging: changed rules applied to the stored plans and drafts, without one new draft.

What is accepted afterwards may be more or less than before; surplus stays in the log, a shortage
is filled by continuing the build.
"""

from dataclasses import dataclass

from artifacts.builds import Build
from artifacts.errors import BuildMissingError
from artifacts.manifest import read_manifest
from artifacts.settings import DatasetSettings
from flows.progress import Progress
from flows.stages.dataset import publish
from flows.stages.dataset_state import marked_rejudging
from flows.stages.dataset_words import load_words, make_writer
from flows.stages.kept_words import settings_of_build
from flows.stages.log_repair import open_sources, restore_log
from flows.stages.replaying import rejudged_shards, settle_with
from flows.stages.shard_files import StreamFiles
from generators.constructions import CONSTRUCTIONS
from validators.ledger import Ledger


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
    streams = sorted(build.streams.glob("*.json"))
    names = [path.stem for path in streams if path.stem in CONSTRUCTIONS]
    if not names:
        raise BuildMissingError(
            f"no dataset in {build.path}: nothing to re-judge; run `saber dataset`"
        )
    with marked_rejudging(build) as quotas:
        rejudged = [_rejudge(build, name, quotas, settings, progress) for name in names]
    _publish_if_full(build, settings)
    return rejudged


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
) -> Rejudged:
    manifest = read_manifest(build.stream(name))
    settings = settings_of_build(build, manifest.settings, settings)
    files = StreamFiles(build, name, manifest.settings)
    before = files.accepted
    construction = CONSTRUCTIONS[name]
    bank = load_words(settings).plan_words.bank
    verdict = settle_with(construction, bank.family_of, make_writer(settings).name)
    ledger = Ledger(construction.objects * construction.attributes_per_object)
    sources = open_sources(files)
    # Before it is listed anew as it is: a draft that only a shard copies would be gone.
    list(restore_log(files, sources))
    files.drop_all()
    files.keep_logged_plans()
    quota = quotas.get(name, files.quota)
    for content in rejudged_shards(sources.in_order(), verdict, ledger, quota, settings.shard_rows):
        files.publish(content, complete=False)
        progress.count(name, files.accepted, before)
    left = sources.between(files.settled, sources.end)
    unjudged = {
        attempt: draft.plan
        for position, (attempt, draft) in enumerate(left.items())
        if attempt == files.settled + position
    }
    files.write_tail(unjudged, left, is_full=files.accepted == quota)
    files.write_manifest(complete=files.accepted == quota)
    return Rejudged(name, before, files.accepted, files.settled)
