"""Changed rules: refused by a build, applied by a re-judging that asks no writer."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.errors import BuildConflictError, BuildError, BuildMissingError
from artifacts.plans import Violation
from artifacts.settings import DatasetSettings
from flows.progress import Silent
from flows.stages import publishing
from flows.stages.build_repair import repair_build
from flows.stages.dataset import build_dataset
from flows.stages.rejudging import Rejudged, rejudge_dataset
from flows.stages.shard_files import StreamFiles
from tests.flows.datasets import FakeWriter, broken_rules, contents, make, small, use
from validators import judge
from validators.evidence import Evidence
from vocab.prompts import load_prompts

SETTINGS = small(24, "pair_swap", "predicative")
LOG = "dataset/log/pair_swap/00000.jsonl.zst"
_CHECKING = ("dataset", "shard_files", "build_repair")


def no_third(evidence: Evidence) -> Iterator[Violation]:
    """A rule that nobody needs: rejects every third attempt."""
    if evidence.example.plan.attempt % 3 == 0:
        yield Violation("no_third", "a third attempt")


def change_rules(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(judge, "WORD_RULES", (*judge.WORD_RULES, no_third))
    for module in _CHECKING:
        patched.setattr(f"flows.stages.{module}.rules_checksum", lambda: "other rules")


@pytest.fixture
def build(tmp_path: Path) -> Build:
    build = Build(tmp_path, "main")
    make(build, SETTINGS)
    return build


@pytest.fixture
def changed(build: Build, monkeypatch: pytest.MonkeyPatch) -> FakeWriter:
    """The rules have changed since the build; returns a writer that may not be asked."""
    change_rules(monkeypatch)
    writer = FakeWriter(repeats_itself=True)
    use(monkeypatch, writer)
    return writer


def rejudge(build: Build, settings: DatasetSettings = SETTINGS) -> list[Rejudged]:
    return rejudge_dataset(build, settings, Silent())


def attempts(build: Build, reason: str) -> set[int]:
    sql = "SELECT attempt FROM rejections WHERE list_contains(reasons, ?)"
    with connect(build, ("rejections",)) as connection:
        return {attempt for (attempt,) in connection.execute(sql, [reason]).fetchall()}


def test_rules_that_changed_are_refused(build: Build, changed: FakeWriter) -> None:
    before = contents(build)
    for settings in (SETTINGS, small(30, "pair_swap", "predicative")):
        with pytest.raises(BuildConflictError, match="apply these to it with `saber rejudge`"):
            make(build, settings)
    with pytest.raises(BuildConflictError, match="before repairing it"):
        repair_build(build, SETTINGS, Silent())
    assert contents(build) == before
    assert changed.asked == []


def test_changed_rules_are_applied_without_one_new_draft(build: Build, changed: FakeWriter) -> None:
    before = {name: content for name, content in contents(build).items() if "/log/" in name}
    (first, second) = [stream for stream in rejudge(build) if stream.accepted_before]
    assert changed.asked == []
    assert attempts(build, "no_third") == set(range(0, max(first.settled, second.settled), 3))
    assert (first.accepted_before, first.accepted) == (24, first.settled - first.settled // 3)
    assert {n: c for n, c in contents(build).items() if "/log/" in n} == before
    assert not build.manifest("dataset").exists()


def test_a_build_fills_what_changed_rules_left_short(build: Build, changed: FakeWriter) -> None:
    settled = {each.construction: each.settled for each in rejudge(build)}
    make(build, SETTINGS)
    assert min(changed.asked) >= min(settled[name] for name in ("pair_swap", "predicative"))
    assert len(changed.asked) < 40
    with connect(build, ("examples",)) as connection:
        sql = "SELECT count(*) FROM examples GROUP BY construction"
        assert connection.execute(sql).fetchall() == [(24,), (24,)]
    assert attempts(build, "no_third")
    assert broken_rules(build, SETTINGS) == []


def test_the_same_rules_give_the_same_rows(build: Build) -> None:
    before = contents(build)
    rejudge(build)
    after = contents(build)
    same = [name for name in before if not name.endswith(".json")]
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    assert broken_rules(build, SETTINGS) == []


def test_going_back_to_the_rules_gives_back_the_rows(build: Build) -> None:
    before = contents(build)
    with pytest.MonkeyPatch.context() as patched:
        change_rules(patched)
        rejudge(build)
    rejudge(build)
    after = contents(build)
    kept = [name for name in before if "/examples/" in name]
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    assert not make(build, SETTINGS).built


def test_rules_that_admit_more_do_not_exceed_the_quota(tmp_path: Path) -> None:
    build = Build(tmp_path, "main")
    with pytest.MonkeyPatch.context() as patched:
        change_rules(patched)
        make(build, SETTINGS)
    assert {each.accepted for each in rejudge(build)} == {0, 24}
    assert broken_rules(build, SETTINGS) == []


def test_nor_do_they_in_an_unfinished_build(tmp_path: Path) -> None:
    build = Build(tmp_path, "main")
    with pytest.MonkeyPatch.context() as patched:
        change_rules(patched)
        make(build, SETTINGS.model_copy(update={"budget_attempts": 33}))
    rejudged = [each for each in rejudge(build) if each.accepted_before]
    assert [each.accepted for each in rejudged] == [24, 24]
    assert make(build, SETTINGS).manifest is not None


def crash_at(call: int, monkeypatch: pytest.MonkeyPatch, work: Callable[[], object]) -> None:
    """Do some work that ends before it writes a construction's manifest for the nth time."""
    calls = iter(range(1, 1_000))
    publish = StreamFiles.write_manifest

    def crash(files: StreamFiles, *, complete: bool) -> None:
        if next(calls) == call:
            raise KeyboardInterrupt
        publish(files, complete=complete)

    with monkeypatch.context() as patched:
        patched.setattr(StreamFiles, "write_manifest", crash)
        with pytest.raises(KeyboardInterrupt):
            work()


@pytest.mark.parametrize("call", range(1, 9))
def test_an_interrupted_rejudging_is_noticed_and_can_be_repeated(
    build: Build, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    change_rules(monkeypatch)
    crash_at(call, monkeypatch, lambda: rejudge(build))
    for work in (make, lambda b, s: repair_build(b, s, Silent()), broken_rules):
        with pytest.raises(BuildError, match="run `saber rejudge` again"):
            work(build, SETTINGS)
    rejudge(build)
    make(build, SETTINGS)
    assert broken_rules(build, SETTINGS) == []


def test_drafts_that_only_a_shard_copies_are_judged_too(build: Build, changed: FakeWriter) -> None:
    log = contents(build)[LOG]
    (build.path / LOG).unlink()
    rejudged = {each.construction: each for each in rejudge(build)}
    assert rejudged["pair_swap"].settled >= 24
    assert contents(build)[LOG] == log
    assert changed.asked == []


def test_nothing_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BuildMissingError, match="nothing to re-judge"):
        rejudge(Build(tmp_path, "main"))


def test_a_new_label_of_a_prompt_is_another_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """A draft must not repeat it; what else a prompt says decides nothing."""
    prompts = load_prompts()
    for lines, same in (("Spot: $setting", False), ("Length: from $low to $high words", True)):
        given = prompts.given.model_copy(update={"user": (*prompts.given.user, lines)})
        changed = prompts.model_copy(update={"given": given})
        monkeypatch.setattr(publishing, "load_prompts", lambda changed=changed: changed)
        checksum = publishing.rules_checksum.__wrapped__()
        assert (checksum == publishing.rules_checksum()) == same


# ---- what can't be judged again ----


@pytest.fixture
def model(build: Build, monkeypatch: pytest.MonkeyPatch) -> FakeWriter:
    """The dataset was written by a model that never gives a draft twice."""
    writer = FakeWriter()
    use(monkeypatch, writer)
    build_dataset(build, SETTINGS, Silent(), force=True)
    writer.asked.clear()
    return writer


def lose(build: Build, *views: str, shard: int = 0) -> None:
    (build.path / LOG).unlink()
    for view in views:
        (build.path / f"dataset/{view}/construction=pair_swap/{shard:05}.parquet").unlink()


def examples(build: Build) -> dict[str, bytes]:
    return {name: content for name, content in contents(build).items() if "/examples/" in name}


@pytest.mark.parametrize("shard", [0, 1])
@pytest.mark.parametrize("repaired", [True, False])
def test_rows_whose_drafts_are_gone_stay_and_so_does_what_lies_behind(
    build: Build, model: FakeWriter, shard: int, *, repaired: bool
) -> None:
    before = examples(build)
    lose(build, "attempts", shard=shard)
    if repaired:
        repair_build(build, SETTINGS, Silent())
    assert {each.accepted for each in rejudge(build)} == {0, 24}
    assert examples(build) == before
    assert not make(build, SETTINGS).built
    assert model.asked == []
    assert repair_build(build, SETTINGS, Silent()) == []
    assert broken_rules(build, SETTINGS) == []


def test_a_shard_that_is_gone_costs_no_row_behind_it(build: Build, model: FakeWriter) -> None:
    lose(build, "attempts", "examples")
    repair_build(build, SETTINGS, Silent())
    before, asked = examples(build), len(model.asked)
    rejudge(build)
    assert examples(build) == before
    assert not make(build, SETTINGS).built
    assert len(model.asked) == asked
    assert broken_rules(build, SETTINGS) == []


@pytest.mark.parametrize("views", [("accepted_words",), ("examples",), ("rejections",)])
def test_damage_that_no_repair_has_seen_costs_no_more_than_its_shard(
    build: Build, model: FakeWriter, views: tuple[str, ...]
) -> None:
    has_rejections = "rejections" not in views or (
        (build.path / "dataset/rejections/construction=pair_swap/00000.parquet").exists()
    )
    lose(build, "attempts", *(views if has_rejections else ()))
    rejudged = {each.construction: each.accepted for each in rejudge(build)}
    assert rejudged["pair_swap"] == (14 if views == ("examples",) else 24)
    make(build, SETTINGS)
    assert broken_rules(build, SETTINGS) == []
    assert repair_build(build, SETTINGS, Silent()) == []


def test_other_rules_are_applied_around_it(
    build: Build, model: FakeWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose(build, "attempts", shard=1)
    repair_build(build, SETTINGS, Silent())
    change_rules(monkeypatch)
    rejudged = {each.construction: each for each in rejudge(build)}
    assert model.asked == []
    # Its rows break the new rule, which only its drafts could have told one by one.
    assert rejudged["pair_swap"].accepted < 14
    assert min(attempts(build, "no_third")) == 0
    make(build, SETTINGS)
    assert broken_rules(build, SETTINGS) == []
    assert repair_build(build, SETTINGS, Silent()) == []


@pytest.mark.parametrize("call", range(1, 10))
def test_an_interruption_costs_none_of_it(
    build: Build, model: FakeWriter, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    before = examples(build)
    lose(build, "attempts", shard=1)
    repair_build(build, SETTINGS, Silent())
    crash_at(call, monkeypatch, lambda: rejudge(build))
    rejudge(build)
    assert examples(build) == before
    assert not make(build, SETTINGS).built
    assert model.asked == []


def test_rows_for_which_there_is_no_room_any_more_leave_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = Build(tmp_path, "main")
    use(monkeypatch, FakeWriter())
    with pytest.MonkeyPatch.context() as patched:
        change_rules(patched)
        make(build, SETTINGS)
        lose(build, "attempts", shard=2)
        repair_build(build, SETTINGS, Silent())
    rejudged = {each.construction: each for each in rejudge(build)}
    assert rejudged["pair_swap"].accepted == 24
    assert make(build, SETTINGS).manifest is not None
    assert broken_rules(build, SETTINGS) == []
