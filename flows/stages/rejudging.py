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
from flows.stages.replaying import logged_drafts, rejudged_shards, settle_with
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
    if quotas and all(stream.accepted == quotas[stream.construction] for stream in rejudged):
        recorded = read_manifest(build.stream(names[0])).settings
        chosen = settings_of_build(build, recorded, settings)
        publish(build, chosen.model_copy(update={"quota": None, "quotas": quotas}), recorded)
    return rejudged


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
    files.drop_all()
    files.keep_logged_plans()
    quota = quotas.get(name)
    drafts = logged_drafts(files.log_folder)
    for content in rejudged_shards(drafts, verdict, ledger, quota, settings.shard_rows):
        files.publish(content, complete=False)
        progress.count(name, files.accepted, before)
    files.write_manifest(complete=files.accepted == quota)
    return Rejudged(name, before, files.accepted, files.settled)
