"""What a construction lists, made anew from its attempt log: judged by other rules, or unlisted.

A shard whose drafts are gone can't be judged anew. Its rows stay where they are and its words
count, so up to the last such shard every shard keeps its place and its attempts; behind it they are
cut anew. Attempts without a verdict go to the tail: none that was planned is left out.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import count, takewhile

from artifacts.attempt_log import SEGMENT_ATTEMPTS, LoggedDraft
from artifacts.builds import Build
from artifacts.files import FileEntry
from artifacts.parquet import read_verified
from artifacts.plan_json import plan_from_json
from artifacts.plans import Plan
from artifacts.records import AcceptedWordsRow, Attempt
from artifacts.schema import stored_schema
from artifacts.settings import DatasetSettings
from artifacts.shards import shard_state
from flows.stages.dataset_words import load_words, make_writer
from flows.stages.draft_sources import DraftSources
from flows.stages.replaying import rejudged_shards, settle_with
from flows.stages.shard_files import ShardContent, StreamFiles
from generators.constructions import CONSTRUCTIONS
from validators.ledger import Ledger


class Relisting:
    """One construction whose shards are made anew."""

    def __init__(self, files: StreamFiles, settings: DatasetSettings) -> None:
        """Begin with an empty ledger; the log must hold every draft that is left."""
        construction = CONSTRUCTIONS[files.construction]
        bank = load_words(settings).plan_words.bank
        self._files = files
        self._shard_rows = settings.shard_rows
        self._settle = settle_with(construction, bank.family_of, make_writer(settings).name)
        self._ledger = Ledger(construction.objects * construction.attributes_per_object)
        # Not from the shards that copy them: these are about to be replaced.
        self._drafts = DraftSources(files.build.path, files.log_folder, [])

    def run(self, reach: int, asked: Mapping[int, Plan]) -> Iterator[int]:
        """Make every shard anew; yields, after each, how many examples were accepted up to it.

        The first `reach` shards keep their place. `asked` are the plans of attempts that were asked
        for, as far as they had no verdict.
        """
        files = self._files
        files.drop_behind(reach)
        for position in range(reach):
            if self._room(position) == 0:
                files.drop_behind(position)
                break
            self._go_over(position)
            yield self._accepted(position + 1)
        for content in self._judged(files.settled, self._drafts.end, self._shard_rows):
            files.publish(content, complete=False)
            yield files.accepted
        self._list_tail(asked)
        files.write_manifest(complete=files.accepted == files.quota)

    def _go_over(self, position: int) -> None:
        """Judge a shard in its place; one that can't be stays, and its words count."""
        shard, room = self._files.shards[position], self._room(position)
        if shard.undrafted and room is not None and shard.accepted > room:
            # Other rules admit more of what came before, and half of its rows can't leave.
            self._files.let_go(position)
            shard = self._files.shards[position]
        if shard.lost or shard.undrafted:
            self._remember(shard.index)
            return
        for content in self._judged(shard.first, shard.end, None, position):
            self._files.replace_shard(position, content)
            if content.end < shard.end:
                self._files.drop_behind(position + 1)
        self._files.write_manifest(complete=False)

    def _judged(
        self, first: int, end: int, shard_rows: int | None, position: int | None = None
    ) -> Iterator[ShardContent]:
        drafts, room = self._between(first, end), self._room(position)
        return rejudged_shards(drafts, first, self._settle, self._ledger, room, shard_rows)

    def _between(self, first: int, end: int) -> Iterator[LoggedDraft]:
        for start in range(first - first % SEGMENT_ATTEMPTS, end, SEGMENT_ATTEMPTS):
            until = min(start + SEGMENT_ATTEMPTS, end)
            yield from self._drafts.between(max(start, first), until).values()

    def _room(self, position: int | None = None) -> int | None:
        """Return how many more examples are wanted behind the first shards; None: any number."""
        quota = self._files.quota
        return None if quota is None else quota - self._accepted(position)

    def _accepted(self, position: int | None = None) -> int:
        shards = self._files.shards[:position]
        return sum(shard.accepted for shard in shards if not shard.lost)

    def _remember(self, index: int) -> None:
        words = self._files.file_name(AcceptedWordsRow, index)
        if self._files.entry(words):
            for accepted in self._files.history_of(words).values():
                self._ledger.record(accepted)

    def _list_tail(self, asked: Mapping[int, Plan]) -> None:
        files, first = self._files, self._files.settled
        arrived = self._drafts.between(first, max(first, self._drafts.end))
        planned = {**asked, **{attempt: draft.plan for attempt, draft in arrived.items()}}
        left = {attempt: planned[attempt] for attempt in takewhile(planned.get, count(first))}
        files.write_tail(left, arrived, is_full=files.accepted == files.quota)


def asked_plans(build: Build, tail: FileEntry | None) -> dict[int, Plan]:
    """Return attempt → plan of the attempts in a listed tail; none where it isn't whole."""
    if tail is None or shard_state(build.path, tail) != "complete":
        return {}
    rows = read_verified(build.path, tail, stored_schema(Attempt)).select(["attempt", "plan"])
    return {row["attempt"]: plan_from_json(json.loads(row["plan"])) for row in rows.to_pylist()}
