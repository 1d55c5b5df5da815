"""Repair of one construction: what is missing or damaged is made again, the rest untouched.

Drafts come from the attempt log, from the shards that copy it, or, where the writer repeats itself,
from the writer. A shard is a pure function of the rules and its drafts, so a file made again has
the checksum that the manifest lists; one that hasn't was altered together with its manifest and is
replaced too. Where a shard and its drafts are both gone, it leaves the build; its words stay in the
ledger, and the build goes on under new attempts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from artifacts.attempt_log import LoggedDraft
from artifacts.files import FileEntry, sha256_of
from artifacts.ledger_view import AcceptedWords
from artifacts.manifest import ShardRange
from artifacts.parquet import parquet_bytes, read_verified, write_table
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
from flows.stages.log_repair import open_sources, restore_log
from flows.stages.replaying import settle_with
from flows.stages.settling import words_of_examples
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
        self._sources = open_sources(files)
        self._settle = settle_with(
            self._construction, self._words.plan_words.bank.family_of, self._writer.name
        )
        #: Accepted words by attempt up to the shard that is looked at, and the ledger they give.
        self._history: dict[int, AcceptedWords] = {}
        self._ledger = self._begin_ledger()
        #: Whether words are gone, so that a verdict may not be what it was.
        self._has_gap = False
        #: Names that should be listed.
        self._names: set[str] = set()
        self.repairs: list[Repair] = []

    def run(self) -> list[Repair]:
        """Repair every shard in the order of attempts, then the log; return what was done."""
        listing = self._listing()
        for position, shard in enumerate(self._files.shards):
            self._repair_shard(position, shard)
        self.repairs += [
            Repair(name, state, "restored")
            for name, state in restore_log(self._files, self._sources)
        ]
        self._repair_tail()
        self._forget_strangers()
        if self.repairs or listing != self._listing():
            self._files.write_manifest(complete=self._files.accepted == self._files.quota)
        return self.repairs

    def keep_undrafted(self) -> int:
        """Put every draft that is left into the log, and keep the shards that lack one as they are.

        For judging anew. Returns how many shards there are up to the last one that must stay.
        """
        restored = restore_log(self._files, self._sources, self._sources.end)
        self.repairs += [Repair(name, state, "restored") for name, state in restored]
        reach = 0
        for position, shard in enumerate(self._files.shards):
            names = self._names_in(shard)
            if shard.lost:
                self._remember(shard, names[AcceptedWordsRow])
            elif len(self._sources.between(shard.first, shard.end)) < shard.end - shard.first:
                self._keep_or_lose(position, shard, names)
            else:
                self._files.shards[position] = shard.model_copy(update={"undrafted": False})
                continue
            reach = position + 1
        return reach

    def _names_in(self, shard: ShardRange) -> dict[type[Record], str]:
        return {kind: self._files.file_name(kind, shard.index) for kind in SHARD_TYPES}

    def _listing(self) -> tuple[list[ShardRange], list[FileEntry]]:
        return list(self._files.shards), self._files.all_entries()

    def _begin_ledger(self) -> Ledger:
        construction = self._construction
        return Ledger(construction.objects * construction.attributes_per_object)

    def _repair_shard(self, position: int, shard: ShardRange) -> None:
        names = self._names_in(shard)
        self._names.update(names.values())
        is_whole = all(self._is_on_disk(name) for name in names.values() if self._listed(name))
        if shard.lost or (self._has_gap and is_whole):
            self._remember(shard, names[AcceptedWordsRow])
            return
        content = self._derive(shard)
        if content is None:
            self._keep_or_lose(position, shard, names)
            return
        for words in content.words:
            pair = AcceptedWords(tuple(words.attributes), tuple(words.objects))
            self._history[words.attempt] = pair
        for record_type, rows in content.tables():
            self._compare(record_type, rows, shard.index)
        self._files.shards[position] = content.as_shard(shard.index)

    def _derive(self, shard: ShardRange) -> ShardContent | None:
        """Return what the shard's drafts give; None where one is gone for good."""
        drafts = self._sources.between(shard.first, shard.end)
        content = ShardContent(shard.first)
        stream: Stream | None = None
        for attempt in range(shard.first, shard.end):
            draft = drafts.get(attempt)
            if draft is None:
                stream = stream or self._plan_again(attempt, content)
                draft = self._write_again(stream, attempt)
            if draft is None:
                self._ledger = self._begin_ledger()
                self._record(*self._history.values())
                return None
            settled = self._settle(draft, self._ledger)
            if settled.words is not None:
                self._record(settled.words)
            if stream is not None:
                stream.record(settled.words)
            content.add(settled)
        return content

    def _record(self, *history: AcceptedWords) -> None:
        for words in history:
            self._ledger.record(words)

    def _plan_again(self, attempt: int, content: ShardContent) -> Stream:
        """Return the stream as it was before an attempt, `content` being what its shard has."""
        planner = self._words.planner(self._construction, self._settings)
        stream = Stream(planner, self._begin_ledger(), self._settings.lag)
        recent = {
            row.attempt: AcceptedWords(tuple(row.attributes), tuple(row.objects))
            for row in content.words
        }
        stream.resume(self._history | recent, attempt)
        return stream

    def _write_again(self, stream: Stream, attempt: int) -> LoggedDraft | None:
        replanned = attempt >= self._files.kept_plans and bool(stream.waiting)
        repeats = self._writer.repeats_itself and self._has_its_words and not self._has_gap
        if not (replanned and repeats):
            return None
        plan = stream.waiting[0]
        draft = LoggedDraft(plan, self._writer.write(plan), self._writer.model)
        self._sources.add(draft)
        return draft

    def _compare(self, record_type: type[Record], rows: Sequence[Record], index: int) -> None:
        """Write a file of a shard unless it is what the log gives."""
        name = self._files.file_name(record_type, index)
        if not rows:
            self._names.discard(name)
            return
        table = to_stored_table(record_type, rows)
        listed = self._files.entry(name)
        if listed is not None and self._is_on_disk(name):
            if listed.sha256 == sha256_of(parquet_bytes(table)):
                return
            # Another version of the library writes other bytes for the same rows.
            stored = read_verified(self._files.build.path, listed, stored_schema(record_type))
            if stored.equals(table):
                return
        state = "failed" if self._is_on_disk(name) else self._states.get(name, "missing")
        self._files.relist(write_table(self._files.build.path, name, record_type.view, table))
        self.repairs.append(Repair(name, state, "restored"))

    def _keep_or_lose(
        self, position: int, shard: ShardRange, names: dict[type[Record], str]
    ) -> None:
        """A draft of the shard is gone: keep its rows if they are whole, or let it go."""
        self._restore_words(names, shard.index)
        damaged: set[type[Record]] = {
            kind
            for kind, name in names.items()
            if self._listed(name) and not self._is_on_disk(name)
        }
        self._remember(shard, names[AcceptedWordsRow])
        kept = damaged <= {Attempt}
        gone = damaged if kept else damaged.union((Example, Rejection, Attempt))
        for name in [names[kind] for kind in SHARD_TYPES if kind in gone]:
            if self._listed(name):
                self._let_go(name)
        state = {"undrafted": True} if kept else {"lost": True}
        self._files.shards[position] = shard.model_copy(update=state)
        # The drafts that are left were planned from a ledger that may not come again.
        self._files.keep_logged_plans()

    def _restore_words(self, names: dict[type[Record], str], index: int) -> None:
        """Make the words of examples that are whole anew from these."""
        examples, words = names[Example], self._files.entry(names[AcceptedWordsRow])
        listed = self._files.entry(examples)
        if listed is None or not self._is_on_disk(examples):
            return
        if words is None or not self._is_on_disk(words.name):
            table = read_verified(self._files.build.path, listed, stored_schema(Example))
            rows = words_of_examples(self._files.construction, table)
            self._compare(AcceptedWordsRow, rows, index)
            self._states[names[AcceptedWordsRow]] = "complete"

    def _remember(self, shard: ShardRange, name: str) -> None:
        """Count the words of a shard whose verdicts stand, as far as they are left."""
        if self._listed(name) and self._is_on_disk(name):
            words = self._files.history_of(name)
            self._history |= words
            self._record(*words.values())
        elif shard.accepted:
            self._has_gap = True
            if self._listed(name):
                self._let_go(name)

    def _let_go(self, name: str) -> None:
        self._files.unlist(name)
        self.repairs.append(Repair(name, self._states[name], "lost"))

    def _repair_tail(self) -> None:
        """Restore the attempts without a verdict from what is logged of them."""
        listed = self._files.entry(self._files.tail_name)
        if listed is None:
            return
        self._names.add(listed.name)
        if self._is_on_disk(listed.name):
            return
        first = self._files.settled
        drafts = self._sources.between(first, first + max(self._settings.lag, 1))
        stream = self._plan_again(first, ShardContent(first))
        plans = {plan.attempt: plan for plan in list(stream.waiting)[: listed.rows]}
        plans |= {attempt: draft.plan for attempt, draft in drafts.items() if attempt in plans}
        self._files.write_tail(plans, drafts, is_full=self._files.accepted == self._files.quota)
        self.repairs.append(Repair(listed.name, self._states[listed.name], "restored"))

    def _forget_strangers(self) -> None:
        """Unlist what belongs to no shard: a manifest that lists it was edited."""
        for entry in self._files.all_entries():
            if entry.kind != LOG_KIND and entry.name not in self._names:
                self._files.unlist(entry.name)

    def _listed(self, name: str) -> bool:
        return self._files.entry(name) is not None

    def _is_on_disk(self, name: str) -> bool:
        """Whether a file is as listed; validation may have marked its rows as failed."""
        return self._states.get(name) in ("complete", "failed")
