"""The parsing stage: the parser's second opinion on every example, recorded beside the shards.

Each shard of examples gets a shard of `parses`, listed in a manifest of its own per construction
with the checksum of what was parsed, so that a run does only what is missing or outdated. The
dataset's own files and manifests stay as they are, and nothing is rejected here. Knows files and
processes; whoever calls holds the build.
"""

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path, PurePosixPath

from pydantic import JsonValue

from artifacts.builds import Build, shard_name
from artifacts.catalog import connect, list_entries
from artifacts.errors import BuildError, BuildMissingError
from artifacts.files import PARTITION_COLUMN, FileEntry
from artifacts.manifest import Manifest, fingerprint, read_manifest, write_manifest
from artifacts.records import Example, ParseCheck
from artifacts.shards import shard_state
from flows.progress import Progress
from flows.stages.lifeline import follow_parent, holding_back_signals
from flows.stages.parse_worker import (
    ParserModel,
    ParseTask,
    find_model,
    parse_shard,
)
from validators.parsing import LINK_RULES

#: Their versions show in the bytes.
_RECORDED = ("saber-factory", "pyarrow", "spacy")

_REPORT_SQL = """
    SELECT construction, count(*), sum(intended), sum(agreed), sum(len(links)),
        sum(len(list_filter(object_tags, lambda tag: tag IN ('NOUN', 'PROPN'))))
            / sum(len(object_tags)),
        sum(len(list_filter(attribute_tags, lambda tag: tag = 'ADJ'))) / sum(len(attribute_tags))
    FROM parses GROUP BY construction ORDER BY construction
"""


@dataclass(frozen=True, slots=True)
class ParseReport:
    """What the parser says of one construction."""

    construction: str
    examples: int
    #: Bindings that the examples are to express.
    intended: int
    #: How many of them the parser sees.
    agreed: int
    #: All links between core words that it sees; those beyond `agreed` were not intended.
    links: int
    #: Share of objects tagged as nouns, proper ones among them.
    object_nouns: float
    #: Share of attributes tagged as adjectives.
    attribute_adjectives: float


def parse_build(build: Build, model: str, processes: int, progress: Progress) -> list[ParseReport]:
    """Parse every shard of examples that has no opinion of this model yet, and report on all.

    Raises SettingsError where the model is missing or can't parse, DamagedFileError where a shard
    is damaged; what was finished before stays.
    """
    parser = find_model(model)
    listings = [
        _Listing(build, construction, sources, parser)
        for construction, sources in _example_shards(build).items()
    ]
    tasks = [task for listing in listings for task in listing.missing()]
    rows = sum(task.source.rows for task in tasks)
    progress.step(f"parsing {rows:,} examples in {len(tasks)} shards with {parser.identity}")
    by_construction = {listing.construction: listing for listing in listings}
    done = 0
    for task, entry in _run(tasks, processes):
        by_construction[task.construction].add(task, entry)
        done += entry.rows
        progress.count("parsing", done, rows)
    return report_parses(build)


def report_parses(build: Build) -> list[ParseReport]:
    """Report on the stored opinions, by construction; empty where nothing was parsed."""
    with connect(build, {ParseCheck.view}) as connection:
        return [ParseReport(*row) for row in connection.execute(_REPORT_SQL).fetchall()]


def parses_manifest(build: Build, construction: str) -> Path:
    """Return where the parsed shards of a construction are listed."""
    return build.stream(f"{ParseCheck.view}-{construction}")


class _Listing:
    """The parsed shards of one construction, as its manifest lists them."""

    def __init__(
        self, build: Build, construction: str, sources: list[FileEntry], model: ParserModel
    ) -> None:
        """Keep what is listed, intact, and made from these sources by this model."""
        self.construction = construction
        self._build = build
        self._model = model
        self._sources = {_parses_name(construction, source): source for source in sources}
        self._files: dict[str, FileEntry] = {}
        path = parses_manifest(build, construction)
        if not path.exists():
            return
        manifest = read_manifest(path)
        self._files = {entry.name: entry for entry in self._current(manifest)}
        if len(self._files) < len(manifest.files):
            # Unlisted before they are written anew: a reader never sees a file half way.
            self._write()

    def missing(self) -> list[ParseTask]:
        """Return what is to be parsed."""
        return [
            ParseTask(self._build.path, self.construction, source, target, self._model)
            for target, source in self._sources.items()
            if target not in self._files
        ]

    def add(self, task: ParseTask, entry: FileEntry) -> None:
        """List a shard that was parsed."""
        self._files[task.target] = entry
        self._write()

    def _current(self, manifest: Manifest) -> Iterator[FileEntry]:
        if manifest.fingerprint != fingerprint(self._settings()):
            return
        parsed = manifest.settings.get("sources")
        known = parsed if isinstance(parsed, dict) else {}
        for entry in manifest.files:
            source = self._sources.get(entry.name)
            same = source is not None and known.get(entry.name) == source.sha256
            if same and shard_state(self._build.path, entry) == "complete":
                yield entry

    def _settings(self) -> dict[str, JsonValue]:
        """What must be equal for an opinion to stand."""
        return {
            "model": self._model.identity,
            "spacy": version("spacy"),
            "link_rules": LINK_RULES,
        }

    def _write(self) -> None:
        files = [self._files[name] for name in sorted(self._files)]
        settings = self._settings()
        manifest = Manifest(
            stage="dataset",
            # Which bytes each file was made from: a shard that was built again is parsed again.
            settings={
                **settings,
                "sources": {entry.name: self._sources[entry.name].sha256 for entry in files},
            },
            fingerprint=fingerprint(settings),
            files=files,
            counts={"examples": sum(entry.rows for entry in files)},
            versions={name: version(name) for name in _RECORDED},
            complete=len(files) == len(self._sources),
        )
        write_manifest(parses_manifest(self._build, self.construction), manifest)


def _example_shards(build: Build) -> dict[str, list[FileEntry]]:
    """Return the listed shards of examples by construction."""
    shards: dict[str, list[FileEntry]] = {}
    for entry in list_entries(build):
        if entry.kind == Example.view:
            folder = PurePosixPath(entry.name).parent.name
            shards.setdefault(folder.removeprefix(f"{PARTITION_COLUMN}="), []).append(entry)
    if not shards:
        raise BuildMissingError(f"build {build.name!r} has no examples: run `saber dataset`")
    return shards


def _parses_name(construction: str, source: FileEntry) -> str:
    return shard_name(ParseCheck.view, construction, int(PurePosixPath(source.name).stem))


def _run(tasks: Sequence[ParseTask], processes: int) -> Iterator[tuple[ParseTask, FileEntry]]:
    """Yield each task with what came of it, as they finish."""
    workers = min(processes, len(tasks))
    if workers <= 1:
        yield from ((task, parse_shard(task)) for task in tasks)
        return
    context = multiprocessing.get_context("spawn")
    with _one_thread_each(), ProcessPoolExecutor(workers, context, follow_parent) as executor:
        with holding_back_signals():
            futures = {executor.submit(parse_shard, task): task for task in tasks}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BrokenProcessPool as error:
            raise BuildError(
                "a process that parses died (out of memory?): run the command again to continue, "
                "with fewer processes"
            ) from error
        finally:
            executor.shutdown(cancel_futures=True)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Have the processes that are started inside compute on one thread each.

    They read it when their libraries load, so it has to be there before they begin. More threads
    would contend for the same cores.
    """
    name = "OMP_NUM_THREADS"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
