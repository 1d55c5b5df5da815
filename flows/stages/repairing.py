"""Repair of one construction: what is missing or damaged is made again, the rest untouched.

Drafts come from the attempt log, from the shards that copy it, or, where the writer repeats itself,
from the writer. A shard is a pure function of the rules and its drafts, so a file made again has
the checksum that the manifest lists; one that hasn't was altered together with its manifest and is
replaced too. Where a shard and its drafts are both gone, it leaves the build; its words stay in the
ledger, and the build goes on under new attempts.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from artifacts.attempt_log import (
    SEGMENT_ATTEMPTS,
    LoggedDraft,
    list_segments,
    read_segment,
    segment_path,
    write_segment,
)
from artifacts.files import FileEntry, read_file, sha256_of
from artifacts.ledger_view import AcceptedWords
from artifacts.manifest import ShardRange
from artifacts.parquet import parquet_bytes, read_verified, write_table
from artifacts.plan_json import plan_from_json
from artifacts.plans import Writer
from artifacts.records import AcceptedWordsRow, Attempt, Example, Record, Rejection
from artifacts.schema import stored_schema, to_stored_table
from artifacts.settings import DatasetSettings
from artifacts.shards import shard_state
from flows.stages.dataset_words import (
    WORDS_CHECKSUM,
    load_words,
    make_writer,
    words_checksum,
)
from flows.stages.replaying import Settle, settle_with
from flows.stages.shard_files import LOG_KIND, SHARD_TYPES, ShardContent, StreamFiles
from flows.stages.stream import Stream
from generators.constructions import CONSTRUCTIONS
from validators.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Repair:
    """What was found wrong with one file, and what was done about it."""

    name: str
    #: missing, short, corrupt, or failed: whole, but not what the log gives.
    state: str
    #: restored; or lost, where nothing is left to make it from.
    action: str


class StreamRepair:
    """The repair of one construction's files."""

    def __init__(self, files: StreamFiles, settings: DatasetSettings) -> None:
        """Look at every listed file."""
        self._files = files
        self._settings = settings
        self._construction = CONSTRUCTIONS[files.construction]
        self._words = load_words(settings)
        self._writer: Writer = make_writer(settings)
        self._has_its_words = files.settings[WORDS_CHECKSUM] == words_checksum(settings)
        self._states = {
            entry.name: shard_state(files.build.path, entry) for entry in files.all_entries()
        }
        self._history: dict[int, AcceptedWords] = {}
        self.repairs: list[Repair] = []

    def run(self) -> list[Repair]:
        """Repair every shard in the order of attempts, then the log; return what was done."""
        drafts = self._gather_drafts()
        verdict = settle_with(
            self._construction, self._words.plan_words.bank.family_of, self._writer.name
        )
        for position, shard in enumerate(self._files.shards):
            if not shard.lost:
                self._repair_shard(position, shard, drafts, verdict)
        for entry in self._files.all_entries():
            if entry.kind == LOG_KIND and self._states[entry.name] != "complete":
                self._restore_segment(entry, drafts)
        if self.repairs:
            self._files.write_manifest(complete=not any(s.lost for s in self._files.shards))
        return self.repairs

    def _gather_drafts(self) -> dict[int, LoggedDraft]:
        """Return every draft that can be read, from the log or from shards that copy it."""
        drafts = {draft.plan.attempt: draft for draft in self._copied_drafts()}
        folder = self._files.log_folder
        for segment in list_segments(folder):
            readable = {d.plan.attempt: d for d in read_segment(segment_path(folder, segment))}
            drafts.update(readable)
        return drafts

    def _copied_drafts(self) -> Iterator[LoggedDraft]:
        """Yield the drafts that undamaged shards hold a copy of."""
        for entry in self._files.entries(Attempt):
            if self._states[entry.name] == "complete":
                table = read_verified(self._files.build.path, entry, stored_schema(Attempt))
                yield from (_draft(row) for row in table.to_pylist())

    def _restore_segment(self, entry: FileEntry, drafts: dict[int, LoggedDraft]) -> None:
        path = self._files.build.path / entry.name
        first = int(path.name.split(".")[0]) * SEGMENT_ATTEMPTS
        held = [drafts[n] for n in range(first, first + SEGMENT_ATTEMPTS) if n in drafts]
        write_segment(path, held)
        content = read_file(path)
        self._files.relist(FileEntry(entry.name, LOG_KIND, 0, len(content), sha256_of(content)))
        self.repairs.append(Repair(entry.name, self._states[entry.name], "restored"))

    def _repair_shard(
        self, position: int, shard: ShardRange, drafts: dict[int, LoggedDraft], verdict: Settle
    ) -> None:
        content = self._derive(shard, drafts, verdict)
        if content is None:
            self._keep_or_lose(position, shard)
            return
        for words in content.words:
            self._history[words.attempt] = AcceptedWords(
                tuple(words.attributes), tuple(words.objects)
            )
        for record_type, rows in content.tables():
            if rows:
                self._compare(record_type, rows, shard.index)

    def _derive(
        self, shard: ShardRange, drafts: dict[int, LoggedDraft], verdict: Settle
    ) -> ShardContent | None:
        """Return what the shard's drafts give; None where one is gone for good."""
        construction = self._construction
        ledger = Ledger(construction.objects * construction.attributes_per_object)
        planner = self._words.planner(construction, self._settings)
        stream = Stream(planner, ledger, self._settings.lag)
        stream.resume(self._history, shard.first)
        content = ShardContent(shard.first)
        for attempt in range(shard.first, shard.end):
            draft = drafts.get(attempt) or self._write_again(stream, attempt)
            if draft is None:
                return None
            drafts[attempt] = draft
            settled = verdict(draft, ledger)
            stream.record(settled.words)
            content.add(settled)
        return content

    def _write_again(self, stream: Stream, attempt: int) -> LoggedDraft | None:
        replanned = attempt >= self._files.kept_plans and bool(stream.waiting)
        if not (replanned and self._writer.repeats_itself and self._has_its_words):
            return None
        plan = stream.waiting[0]
        return LoggedDraft(plan, self._writer.write(plan), self._writer.model)

    def _compare(self, record_type: type[Record], rows: Sequence[Record], index: int) -> None:
        """Write a file of a shard unless it is what the log gives, byte for byte."""
        name = self._files.file_name(record_type, index)
        table = to_stored_table(record_type, rows)
        listed = self._files.entry(name)
        intact = listed is not None and self._states[name] == "complete"
        if intact and listed is not None and listed.sha256 == sha256_of(parquet_bytes(table)):
            return
        state = "failed" if intact else self._states.get(name, "missing")
        self._files.relist(write_table(self._files.build.path, name, record_type.view, table))
        self.repairs.append(Repair(name, state, "restored"))

    def _keep_or_lose(self, position: int, shard: ShardRange) -> None:
        """A draft of the shard is gone: keep its rows if they are whole, or let it go."""
        names = {kind: self._files.file_name(kind, shard.index) for kind in SHARD_TYPES}
        damaged: set[type[Record]] = {k for k, name in names.items() if self._is_damaged(name)}
        if AcceptedWordsRow not in damaged:
            self._history.update(self._files.history_of(names[AcceptedWordsRow]))
        kept = damaged <= {Attempt}
        gone = damaged if kept else damaged.union((Example, Rejection, Attempt))
        for name in [names[kind] for kind in SHARD_TYPES if kind in gone]:
            if self._files.entry(name) is not None:
                self._files.unlist(name)
                self.repairs.append(Repair(name, self._states[name], "lost"))
        state = {"undrafted": True} if kept else {"lost": True}
        self._files.shards[position] = shard.model_copy(update=state)

    def _is_damaged(self, name: str) -> bool:
        return self._states.get(name, "complete") != "complete"


def _draft(row: dict[str, object]) -> LoggedDraft:
    """Return the draft that a row of `attempts` copies."""
    return LoggedDraft(
        plan=plan_from_json(json.loads(str(row["plan"]))),
        raw=str(row["raw"]),
        model=str(row["model"]),
        tokens_in=_number(row["tokens_in"]),
        tokens_out=_number(row["tokens_out"]),
        request=None if row["request"] is None else str(row["request"]),
    )


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None
