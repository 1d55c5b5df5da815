"""The files of one construction: its shards, its log, and the manifest that lists them.

A shard holds `shard_rows` examples and everything that the attempts up to the last of them left:
rejections, drafts, accepted words. It is written, then listed; readers see listed shards only.
Knows files; not how an attempt came to its verdict.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from artifacts.attempt_log import (
    SEGMENT_ATTEMPTS,
    LoggedDraft,
    list_segments,
    order_segment,
    read_segment,
    segment_path,
)
from artifacts.builds import Build
from artifacts.files import FileEntry, read_file, sha256_of
from artifacts.ledger_view import AcceptedWords
from artifacts.manifest import Manifest, ShardRange, fingerprint, read_manifest, write_manifest
from artifacts.parquet import read_verified, write_table
from artifacts.plans import Plan
from artifacts.records import AcceptedWordsRow, Attempt, Example, Record, Rejection
from artifacts.schema import stored_schema, to_stored_table
from flows.logs import log_event
from flows.stages.publishing import RULES, recorded_versions, rules_checksum
from flows.stages.settling import Settled, attempt_record, rejection_record, words_record

STAGE = "dataset"
LOG_KIND = "attempt_log"
_KEPT_PLANS = "kept_plans"
#: Where a construction's manifest counts what is wanted of it.
QUOTA = "quota"
#: The entry of a manifest's versions that holds what a server said of its model.
SERVED = "served_model"
#: Stands for the model of a draft that hasn't come.
UNKNOWN_MODEL = "none"
#: What a shard consists of; a kind without rows has no file.
SHARD_TYPES: tuple[type[Record], ...] = (Example, Rejection, Attempt, AcceptedWordsRow)


@dataclass(slots=True)
class ShardContent:
    """What the attempts of one shard left, in their order."""

    first: int
    examples: list[Example] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    words: list[AcceptedWordsRow] = field(default_factory=list)

    @property
    def end(self) -> int:
        """The attempt after the last one."""
        return self.first + len(self.attempts)

    def as_shard(self, index: int) -> ShardRange:
        """Return what a manifest says of it."""
        accepted, rejected = len(self.examples), len(self.rejections)
        return ShardRange(
            index=index, first=self.first, end=self.end, accepted=accepted, rejected=rejected
        )

    def add(self, settled: Settled) -> None:
        """Take in the next settled attempt."""
        self.attempts.append(attempt_record(settled.draft, settled.verdict))
        if settled.example is not None and settled.words is not None:
            self.examples.append(settled.example)
            self.words.append(words_record(settled, settled.words))
        else:
            self.rejections.append(rejection_record(settled))

    def tables(self) -> Iterable[tuple[type[Record], Sequence[Record]]]:
        """The records by type; `SHARD_TYPES` in order."""
        rows = (self.examples, self.rejections, self.attempts, self.words)
        return zip(SHARD_TYPES, rows, strict=True)


class StreamFiles:
    """One construction's folder entries and manifest, open for writing."""

    def __init__(self, build: Build, construction: str, settings: dict[str, JsonValue]) -> None:
        """Continue what the manifest lists; begin where there is none."""
        self.build = build
        self.construction = construction
        self.settings = settings
        #: Whether the quota was full when the manifest was written.
        self.complete = False
        self.shards: list[ShardRange] = []
        self._files: dict[str, FileEntry] = {}
        #: Attempts before this one keep their logged plan, whatever would be planned now.
        self.kept_plans = 0
        #: How many examples are wanted; None where nobody has said so.
        self.quota: int | None = None
        #: What the server said of the model that wrote last; None where no server did.
        self.served: str | None = None
        if self.manifest_path.exists():
            manifest = read_manifest(self.manifest_path)
            self.complete = manifest.complete
            self.shards = list(manifest.shards)
            self._files = {entry.name: entry for entry in manifest.files}
            self.kept_plans = manifest.counts.get(_KEPT_PLANS, 0)
            self.quota = manifest.counts.get(QUOTA)
            self.served = manifest.versions.get(SERVED)

    @property
    def manifest_path(self) -> Path:
        """The construction's manifest."""
        return self.build.stream(self.construction)

    @property
    def log_folder(self) -> Path:
        """The construction's attempt log."""
        return self.build.dataset / "log" / self.construction

    @property
    def accepted(self) -> int:
        """Examples in the listed shards."""
        return sum(shard.accepted for shard in self.shards if not shard.lost)

    @property
    def settled(self) -> int:
        """Attempts in the listed shards, the lost ones among them."""
        return self.shards[-1].end if self.shards else 0

    def drop_short_shard(self, shard_rows: int) -> None:
        """Unlist a last shard that isn't full: it grows when the quota does."""
        if self.shards and not self.shards[-1].lost and self.shards[-1].accepted < shard_rows:
            self._unlist(self.shards.pop().index)

    def drop_tail(self) -> None:
        """Unlist the attempts without a verdict: they are about to get one."""
        self.unlist(self.tail_name)

    def write_tail(
        self, plans: Mapping[int, Plan], arrived: Mapping[int, LoggedDraft], *, is_full: bool
    ) -> None:
        """Write the attempts that were asked for and have no verdict; none, no file."""
        rows = [
            attempt_record(arrived[attempt], "surplus" if is_full else "pending")
            if attempt in arrived
            else attempt_record(LoggedDraft(plan, "", UNKNOWN_MODEL), "pending")
            for attempt, plan in sorted(plans.items())
        ]
        self.drop_tail()
        if rows:
            table = to_stored_table(Attempt, rows)
            self.relist(write_table(self.build.path, self.tail_name, Attempt.view, table))

    @property
    def tail_name(self) -> str:
        """Name of the file of attempts without a verdict."""
        return f"{STAGE}/{Attempt.view}/construction={self.construction}/tail.parquet"

    def relist(self, entry: FileEntry) -> None:
        """List a file as it is now."""
        self._files[entry.name] = entry

    def unlist(self, name: str) -> None:
        """List a file no longer."""
        self._files.pop(name, None)

    def drop_behind(self, kept: int) -> None:
        """Unlist all but the first `kept` shards; the log stays."""
        self.shards = self.shards[:kept]
        names = {self.file_name(each, s.index) for each in SHARD_TYPES for s in self.shards}
        self._files = {name: entry for name, entry in self._files.items() if name in names}

    def keep_logged_plans(self) -> None:
        """Keep the plans of all drafts logged so far: their ledger is about to change."""
        for segment in list_segments(self.log_folder):
            logged = read_segment(segment_path(self.log_folder, segment))
            ends = [draft.plan.attempt + 1 for draft in logged]
            self.kept_plans = max(self.kept_plans, *ends, 0)

    def let_go(self, position: int) -> None:
        """Unlist the rows of a shard; its attempts aren't made again, and its words still count."""
        shard = self.shards[position]
        for record_type in (Example, Rejection, Attempt):
            self.unlist(self.file_name(record_type, shard.index))
        self.shards[position] = shard.model_copy(update={"lost": True, "undrafted": False})

    def history(self) -> dict[int, AcceptedWords]:
        """Return the accepted words by attempt; raises DamagedFileError if a file is damaged."""
        words: dict[int, AcceptedWords] = {}
        for entry in self.entries(AcceptedWordsRow):
            words |= self.history_of(entry.name)
        return words

    def history_of(self, name: str) -> dict[int, AcceptedWords]:
        """Return the accepted words by attempt that one listed file holds."""
        table = read_verified(self.build.path, self._files[name], stored_schema(AcceptedWordsRow))
        return {
            row["attempt"]: AcceptedWords(tuple(row["attributes"]), tuple(row["objects"]))
            for row in table.to_pylist()
        }

    def entry(self, name: str) -> FileEntry | None:
        """Return what is listed of a file, if it is."""
        return self._files.get(name)

    def entries(self, record_type: type[Record]) -> list[FileEntry]:
        """Return the listed files of a kind, in the order of their shards."""
        kind = record_type.view
        return [self._files[name] for name in sorted(self._files) if self._files[name].kind == kind]

    def all_entries(self) -> list[FileEntry]:
        """Return every listed file, by name."""
        return [self._files[name] for name in sorted(self._files)]

    def publish(self, content: ShardContent, *, complete: bool) -> None:
        """Write a shard and list it."""
        index = self.shards[-1].index + 1 if self.shards else 0
        self._files |= {entry.name: entry for entry in self.write_shard(index, content)}
        self.shards.append(content.as_shard(index))
        self.write_manifest(complete=complete)
        log_event(
            "shard written",
            self.build.name,
            construction=self.construction,
            shard=index,
            attempts=range(content.first, content.end),
            accepted=len(content.examples),
            rejected=len(content.rejections),
        )

    def replace_shard(self, position: int, content: ShardContent) -> None:
        """Write what the attempts of a listed shard give now in its place."""
        index = self.shards[position].index
        self._unlist(index)
        self._files |= {entry.name: entry for entry in self.write_shard(index, content)}
        self.shards[position] = content.as_shard(index)

    def write_shard(self, index: int, content: ShardContent) -> list[FileEntry]:
        """Write the files of a shard; those without rows are left out."""
        return [
            write_table(
                self.build.path,
                self.file_name(record_type, index),
                record_type.view,
                to_stored_table(record_type, rows),
            )
            for record_type, rows in content.tables()
            if rows
        ]

    def file_name(self, record_type: type[Record], index: int) -> str:
        """Return the name of a shard's file below the build."""
        return f"{STAGE}/{record_type.view}/construction={self.construction}/{index:05}.parquet"

    def write_manifest(self, *, complete: bool) -> None:
        """List the shards, and the segments of the log to which nothing will be added."""
        self._list_segments(complete=complete)
        counts = Counter(accepted=self.accepted, settled=self.settled)
        if self.kept_plans:
            counts[_KEPT_PLANS] = self.kept_plans
        if self.quota is not None:
            counts[QUOTA] = self.quota
        counts["rejected"] = sum(shard.rejected for shard in self.shards if not shard.lost)
        manifest = Manifest(
            stage=STAGE,
            settings=self.settings,
            fingerprint=fingerprint(self.settings),
            files=self.all_entries(),
            shards=self.shards,
            counts=dict(sorted(counts.items())),
            versions=self._versions(),
            complete=complete,
        )
        write_manifest(self.manifest_path, manifest)

    def _versions(self) -> dict[str, str]:
        versions = {**recorded_versions(), RULES: rules_checksum()}
        return versions if self.served is None else {**versions, SERVED: self.served}

    def _list_segments(self, *, complete: bool) -> None:
        """List the segments that are closed: all of their attempts settled, or the build complete.

        A segment is put in order when it is listed, so that its bytes do not tell in which groups
        its drafts arrived.
        """
        for segment in list_segments(self.log_folder):
            path = segment_path(self.log_folder, segment)
            name = path.relative_to(self.build.path).as_posix()
            if not complete and (segment + 1) * SEGMENT_ATTEMPTS > self.settled:
                self._files.pop(name, None)
            elif name not in self._files:
                order_segment(path)
                content = read_file(path)
                self._files[name] = FileEntry(name, LOG_KIND, 0, len(content), sha256_of(content))

    def _unlist(self, index: int) -> None:
        for record_type in SHARD_TYPES:
            self._files.pop(self.file_name(record_type, index), None)
