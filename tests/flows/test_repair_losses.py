"""What a writer gave that never gives it again: kept while anything holds it, else replaced."""

import fcntl
import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest

from artifacts.attempt_log import AttemptLog, read_drafts
from artifacts.builds import Build
from artifacts.errors import DamagedFileError, GenerationError, ServerFailedError
from artifacts.manifest import read_manifest
from artifacts.plans import Plan
from artifacts.settings import DatasetSettings
from flows.progress import Silent
from flows.stages.build_repair import repair_build
from flows.stages.dataset import build_dataset, publish
from flows.stages.nightly import StageNight, watch_build
from flows.stages.rejudging import rejudge_dataset
from flows.stages.repairing import Repair
from flows.stages.shard_files import StreamFiles
from tests.flows.damages import DAMAGES
from tests.flows.datasets import FakeWriter, broken_rules, contents, make, small, times, use

SETTINGS = small(14, "pair_swap", "attr_bundle", shard_rows=5)
LOG = "dataset/log/{}/00000.jsonl.zst"


def repair(build: Build) -> list[Repair]:
    return repair_build(build, SETTINGS, Silent())


@dataclass
class Model:
    """A build whose writer never gives a draft twice."""

    build: Build
    writer: FakeWriter

    def examples(self, construction: str = "pair_swap") -> dict[str, bytes]:
        folder = self.build.dataset / "examples" / f"construction={construction}"
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}

    def remove(self, *names: str) -> None:
        for name in names:
            (self.build.path / name).unlink()

    def repair(self) -> list[Repair]:
        self.writer.asked.clear()
        return repair(self.build)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    writer = FakeWriter()
    use(monkeypatch, writer)
    build = Build(tmp_path, "model")
    make(build, SETTINGS)
    return Model(build, writer)


def shard_of(view: str, index: int) -> str:
    return f"dataset/{view}/construction=pair_swap/{index:05}.parquet"


def test_a_draft_that_is_kept_anywhere_is_not_asked_for(model: Model) -> None:
    before = contents(model.build)
    model.remove(LOG.format("pair_swap"), shard_of("examples", 0), shard_of("accepted_words", 1))
    model.repair()
    assert model.writer.asked == []
    assert contents(model.build) == before
    model.remove(shard_of("examples", 0), shard_of("attempts", 0), shard_of("accepted_words", 0))
    model.repair()
    assert model.writer.asked == []
    assert contents(model.build) == before


@pytest.mark.parametrize("with_words", [False, True])
@pytest.mark.parametrize("index", [0, 1, 2])
def test_a_shard_that_is_gone_with_its_drafts_is_replaced_under_new_attempts(
    model: Model, index: int, *, with_words: bool
) -> None:
    before = model.examples()
    last = read_manifest(model.build.stream("pair_swap")).shards[-1].end
    model.remove(LOG.format("pair_swap"), shard_of("examples", index), shard_of("attempts", index))
    if with_words:
        model.remove(shard_of("accepted_words", index))
    repairs = model.repair()
    assert Repair(shard_of("examples", index), "missing", "lost") in repairs
    assert min(model.writer.asked) >= last
    assert broken_rules(model.build, SETTINGS) == []
    for name, content in model.examples().items():
        if name != f"{index:05}.parquet" and name in before and name != "00002.parquet":
            assert content == before[name]
    assert repair(model.build) == []


def test_drafts_alone_that_are_gone_cost_no_row(model: Model) -> None:
    before = model.examples()
    model.remove(LOG.format("pair_swap"), shard_of("attempts", 0), shard_of("attempts", 1))
    model.repair()
    assert model.examples() == before
    assert model.writer.asked == []
    assert broken_rules(model.build, SETTINGS) == []
    assert repair(model.build) == []


@pytest.mark.parametrize("night", range(7))
def test_seven_nights_of_damage_to_what_a_model_wrote(model: Model, night: int) -> None:
    rng = Random(night)
    for _ in range(3):
        names = [name for name in contents(model.build) if not name.endswith(".json")]
        for name in rng.sample(sorted(names), 1 + 2 * night):
            rng.choice(DAMAGES)(model.build.path / name, rng)
        model.repair()
        assert broken_rules(model.build, SETTINGS) == []
        assert repair(model.build) == []


# ---- a repair that breaks off ----


def down(plan: Plan) -> str | None:
    raise ServerFailedError("the server is down")


def up(plan: Plan) -> str | None:
    return None


def watch(build: Build, settings: DatasetSettings = SETTINGS) -> StageNight:
    (night,) = watch_build(build, settings, Silent())
    return night


def lose_a_shard(model: Model) -> None:
    model.remove(LOG.format("pair_swap"), shard_of("examples", 0), shard_of("attempts", 0))


def test_a_repair_that_breaks_off_is_gone_on_with(model: Model) -> None:
    lose_a_shard(model)
    model.writer.instead = down
    for _ in range(2):
        night = watch(model.build)
        assert (night.outcome, night.why) == ("failed", "the server is down")
        with pytest.raises(ServerFailedError):
            model.repair()
        assert not model.build.manifest("dataset").exists()
    model.writer.instead = up
    assert watch(model.build).outcome == "repaired"
    assert broken_rules(model.build, SETTINGS) == []
    assert len(read_manifest(model.build.stream("pair_swap")).shards) == 4
    assert watch(model.build).outcome == "whole"
    assert model.repair() == []


def test_so_it_is_by_hand_and_where_a_manifest_is_lost_meanwhile(model: Model) -> None:
    lose_a_shard(model)
    model.writer.instead = down
    with pytest.raises(ServerFailedError):
        model.repair()
    model.build.stream("attr_bundle").unlink()
    model.writer.instead = up
    assert Repair("dataset/manifest.json", "missing", "restored") in model.repair()
    assert broken_rules(model.build, SETTINGS) == []


def test_of_too_little_left_to_tell_the_quotas_no_row_leaves(model: Model) -> None:
    lose_a_shard(model)
    model.writer.instead = down
    with pytest.raises(ServerFailedError):
        model.repair()
    mark = model.build.dataset / ".repairing"
    mark.write_text("{")
    with pytest.raises(ServerFailedError):
        model.repair()
    mark.write_text("{")
    model.build.stream("attr_bundle").unlink()
    with pytest.raises(DamagedFileError, match="how many examples of attr_bundle"):
        model.repair()
    model.writer.instead = up
    make(model.build, SETTINGS)
    assert broken_rules(model.build, SETTINGS) == []
    assert model.repair() == []


def test_a_shortage_is_told_by_the_command_and_the_night(model: Model) -> None:
    lose_a_shard(model)
    few = SETTINGS.model_copy(update={"budget_attempts": 15})
    told = r"pair_swap at \d+ of 14: the budget of 15 attempts is spent"
    with pytest.raises(GenerationError, match=told):
        repair_build(model.build, few, Silent())
    night = watch(model.build, few)
    assert night.outcome == "failed"
    assert re.search(told, night.why)
    make(model.build, SETTINGS)
    assert watch(model.build).outcome == "whole"
    assert not (model.build.dataset / ".repairing").exists()


def test_whoever_asks_for_another_size_ends_the_repair(model: Model) -> None:
    lose_a_shard(model)
    few = SETTINGS.model_copy(update={"budget_attempts": 15})
    with pytest.raises(GenerationError):
        repair_build(model.build, few, Silent())
    larger = small(30, "pair_swap", "attr_bundle", shard_rows=5, budget_attempts=20)
    assert make(model.build, larger).manifest is None
    assert watch(model.build).outcome == "skipped"


def test_other_rules_meanwhile_leave_the_repair_to_be_done(model: Model) -> None:
    lose_a_shard(model)
    model.writer.instead = down
    with pytest.raises(ServerFailedError):
        model.repair()
    rejudge_dataset(model.build, SETTINGS, Silent())
    assert watch(model.build).outcome == "failed"
    model.writer.instead = up
    assert watch(model.build).outcome == "repaired"


# ---- a manifest that is lost ----


def test_attempts_without_a_verdict_outlive_their_manifest(model: Model) -> None:
    build = model.build
    files = StreamFiles(build, "pair_swap", read_manifest(build.stream("pair_swap")).settings)
    last = read_drafts(files.log_folder)[files.settled - 1]
    after = [replace(last.plan, attempt=files.settled + number) for number in range(3)]
    # The first was asked for in vain; the others came when the quota was full.
    log = AttemptLog(files.log_folder)
    for plan in after[1:]:
        log.append(replace(last, plan=plan))
    log.flush()
    files.unlist(LOG.format("pair_swap"))
    arrived = {plan.attempt: replace(last, plan=plan) for plan in after[1:]}
    files.write_tail({plan.attempt: plan for plan in after}, arrived, is_full=True)
    files.write_manifest(complete=True)
    publish(build, SETTINGS, files.settings)
    before = {name: content for name, content in contents(build).items() if "streams" not in name}
    build.stream("pair_swap").unlink()
    model.repair()
    assert {name: contents(build)[name] for name in before} == before
    listed = [entry.name for entry in read_manifest(build.stream("pair_swap")).files]
    assert "dataset/attempts/construction=pair_swap/tail.parquet" in listed
    assert broken_rules(build, SETTINGS) == []


def test_rebuilding_a_manifest_may_be_broken_off(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.build.stream("pair_swap").unlink()
    write, calls = StreamFiles.write_manifest, iter(range(1, 100))

    def crash(files: StreamFiles, *, complete: bool) -> None:
        write(files, complete=complete)
        if next(calls) == 2:
            raise KeyboardInterrupt

    before = model.examples()
    with monkeypatch.context() as patched:
        patched.setattr(StreamFiles, "write_manifest", crash)
        with pytest.raises(KeyboardInterrupt):
            model.repair()
    # Another model answers now, so that nothing but the kept plans makes the logged drafts fit.
    model.writer.model = "fake-2"
    model.repair()
    assert model.writer.asked == []
    assert model.examples() == before
    assert broken_rules(model.build, SETTINGS) == []


@pytest.mark.parametrize("gone", [("attempts",), ("attempts", "examples")])
@pytest.mark.parametrize("index", [0, 1])
def test_rows_whose_drafts_are_gone_outlive_their_manifest(
    model: Model, index: int, gone: tuple[str, ...]
) -> None:
    model.remove(LOG.format("pair_swap"), *(shard_of(view, index) for view in gone))
    model.repair()
    before = model.examples()
    shards = read_manifest(model.build.stream("pair_swap")).shards
    model.build.stream("pair_swap").unlink()
    model.repair()
    assert model.writer.asked == []
    assert model.examples() == before
    assert broken_rules(model.build, SETTINGS) == []
    again = read_manifest(model.build.stream("pair_swap")).shards
    assert [(s.first, s.end, s.lost) for s in again] == [(s.first, s.end, s.lost) for s in shards]
    assert repair(model.build) == []


# ---- what a run that was killed left ----


@pytest.mark.parametrize("work", ["repair", "rejudge", "force"])
def test_a_process_that_still_writes_is_waited_for(model: Model, work: str) -> None:
    works: dict[str, Callable[[], object]] = {
        "repair": model.repair,
        "rejudge": lambda: rejudge_dataset(model.build, SETTINGS, Silent()),
        "force": lambda: build_dataset(model.build, SETTINGS, Silent(), force=True),
    }
    before = times(model.build)
    orphan = os.open(model.build.streams / ".pair_swap.lock", os.O_RDWR)
    fcntl.flock(orphan, fcntl.LOCK_EX)
    with ThreadPoolExecutor(1) as pool:
        try:
            working = pool.submit(works[work])
            assert wait([working], timeout=0.5).not_done
            assert times(model.build) == before
        finally:
            os.close(orphan)
        working.result(timeout=60)
    assert broken_rules(model.build, SETTINGS) == []
