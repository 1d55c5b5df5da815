"""The dataset stage: exact quotas, growth, refusals, stops, and what a writer may return."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.errors import BuildConflictError, SettingsError, StoreError
from artifacts.manifest import read_manifest
from artifacts.plans import Plan
from artifacts.settings import DatasetSettings
from flows.progress import Silent
from flows.stages.dataset import build_dataset
from generators.constructions import CONSTRUCTIONS
from tests.flows.datasets import FakeWriter, broken_rules, contents, make, small, times, use

#: A build by a process of its own: hash seed and number of processes are its own, too.
_BUILD = """
import sys
from pathlib import Path
from artifacts.builds import Build
from tests.flows.datasets import make, small
if __name__ == "__main__":
    make(Build(Path(sys.argv[1]), "there"), small(12, "pair_swap", "attr_bundle", processes=2))
"""


@pytest.fixture
def build(tmp_path: Path) -> Build:
    return Build(tmp_path, "main")


def counts(build: Build) -> dict[str, int]:
    with connect(build, ("examples",)) as connection:
        sql = "SELECT construction, count(*) FROM examples GROUP BY ALL"
        return dict(connection.execute(sql).fetchall())


def verdicts(build: Build) -> dict[str, int]:
    with connect(build, ("attempts",)) as connection:
        sql = "SELECT verdict, count(*) FROM attempts GROUP BY ALL"
        return dict(connection.execute(sql).fetchall())


def test_every_quota_is_exact_and_every_rule_holds(build: Build) -> None:
    settings = small(11, *CONSTRUCTIONS)
    outcome = make(build, settings)
    assert outcome.manifest is not None
    assert counts(build) == dict.fromkeys(CONSTRUCTIONS, 11)
    assert broken_rules(build, settings) == []


@pytest.mark.parametrize("quota", [1, 9, 10, 11, 20])
def test_quotas_around_the_size_of_a_shard_are_exact(build: Build, quota: int) -> None:
    settings = small(quota)
    make(build, settings)
    assert counts(build) == {"pair_swap": quota}
    assert broken_rules(build, settings) == []


def test_nothing_wanted_is_a_finished_dataset(build: Build) -> None:
    settings = small(0)
    assert make(build, settings).manifest is not None
    assert counts(build) == {}


def test_a_second_run_does_nothing(build: Build) -> None:
    settings = small()
    make(build, settings)
    before = times(build)
    assert not make(build, settings).built
    assert times(build) == before


def test_processes_and_hash_seeds_do_not_show_in_the_bytes(tmp_path: Path) -> None:
    here, there = Build(tmp_path, "here"), Build(tmp_path, "there")
    make(here, small(12, "pair_swap", "attr_bundle"))
    subprocess.run(
        [sys.executable, "-c", _BUILD, str(tmp_path)],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "2"},
        timeout=120,
    )
    assert contents(here) == contents(there)


def test_another_seed_gives_another_dataset(tmp_path: Path) -> None:
    one, other = Build(tmp_path, "one"), Build(tmp_path, "other")
    make(one, small(5))
    make(other, small(5, seed=1))
    name = "dataset/examples/construction=pair_swap/00000.parquet"
    assert contents(one)[name] != contents(other)[name]


def test_a_raised_quota_gives_what_it_would_have_given_at_once(tmp_path: Path) -> None:
    grown, at_once = Build(tmp_path, "grown"), Build(tmp_path, "at-once")
    for quota in (3, 10, 14, 31):
        make(grown, small(quota, "pair_swap", "predicative"))
    make(at_once, small(31, "pair_swap", "predicative"))
    assert contents(grown) == contents(at_once)


def test_one_quota_can_be_raised_alone(build: Build) -> None:
    make(build, small(12, "pair_swap", "predicative"))
    name = "dataset/examples/construction=predicative/00000.parquet"
    before = times(build)[name]
    quotas = dict.fromkeys(CONSTRUCTIONS, 0) | {"pair_swap": 15, "predicative": 12}
    make(build, small().model_copy(update={"quotas": quotas}))
    assert counts(build) == {"pair_swap": 15, "predicative": 12}
    assert times(build)[name] == before


def test_a_quota_cannot_be_lowered(build: Build) -> None:
    make(build, small(12))
    before = contents(build)
    with pytest.raises(BuildConflictError, match="can be raised, not lowered"):
        make(build, small(11))
    assert contents(build) == before


def test_the_quota_of_an_unfinished_build_cannot_fall_below_what_it_has(build: Build) -> None:
    assert make(build, small(40, budget_attempts=22)).manifest is None
    with pytest.raises(BuildConflictError, match="more than the quota of pair_swap"):
        make(build, small(12))
    assert make(build, small(25)).manifest is not None
    assert counts(build) == {"pair_swap": 25}


@pytest.mark.parametrize(
    "change", [{"seed": 1}, {"lag": 9}, {"shard_rows": 11}, {"counterbalance": False}]
)
def test_other_settings_are_refused_with_both_values(
    build: Build, change: dict[str, object]
) -> None:
    make(build, small(5))
    before = contents(build)
    ((name, value),) = change.items()
    with pytest.raises(BuildConflictError, match=rf"{name}: \w+ there, {value} now"):
        make(build, small(5, **change))
    assert contents(build) == before


def test_force_starts_anew(build: Build) -> None:
    make(build, small(12, seed=1))
    build_dataset(build, small(5), Silent(), force=True)
    other = Build(build.root, "other")
    make(other, small(5))
    assert contents(build) == contents(other)


def test_unknown_constructions_are_told(build: Build) -> None:
    with pytest.raises(SettingsError, match="found pear_swap"):
        make(build, DatasetSettings(quotas={"pear_swap": 1}))


def test_a_spent_budget_keeps_what_was_accepted_and_the_others_go_on(build: Build) -> None:
    quotas = dict.fromkeys(CONSTRUCTIONS, 0) | {"pair_swap": 40, "predicative": 8}
    settings = small().model_copy(update={"quotas": quotas, "budget_attempts": 20})
    outcome = make(build, settings)
    assert outcome.manifest is None
    stopped = {stream.construction: stream.stopped for stream in outcome.streams if stream.stopped}
    assert stopped == {"pair_swap": "the budget of 20 attempts is spent"}
    there = counts(build)
    assert (there["predicative"], there["pair_swap"] > 10) == (8, True)
    assert make(build, settings.model_copy(update={"budget_attempts": None})).manifest is not None
    whole = Build(build.root, "whole")
    make(whole, settings.model_copy(update={"budget_attempts": None}))
    assert contents(build) == contents(whole)


def test_a_writer_below_the_floor_is_stopped_with_its_reasons(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, FakeWriter(instead=lambda plan: "no JSON" if plan.attempt > 12 else None))
    outcome = make(build, small(40, acceptance_floor=0.5, acceptance_window=10))
    (stream,) = [stream for stream in outcome.streams if stream.construction == "pair_swap"]
    assert stream.stopped is not None
    assert "of the last 10 attempts were accepted, below the floor of 50.0%" in stream.stopped
    assert stream.reasons.most_common(1)[0][0] == "malformed_draft"
    assert counts(build) == {"pair_swap": stream.accepted}
    assert stream.accepted > 10


def _bad_draft(plan: Plan) -> str | None:
    return {
        1: "",
        2: "{",
        3: '{"pairs": [], "positive": "A red tunic.", "note": 1}',
        4: "half a character: \ud800",
        5: "\x00\u2028" * 10,
        6: '{"pairs": [], "positive": ""}',
        7: "x" * 100_000,
        8: '{"pairs":[{"attributes":["red"],"object":"tunic"},'
        '{"attributes":["icy"],"object":"shroud"}],"positive":"A red tunic on an icy shroud."}',
        9: '{"positive": "A caption that holds none of the words of its plan at all, sadly."}',
        10: "null",
        11: "[" * 5_000,
    }.get(plan.attempt)


def test_whatever_a_writer_returns_is_rejected_with_reasons_and_accounted_for(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, FakeWriter(instead=_bad_draft))
    settings = small(15)
    outcome = make(build, settings)
    settled = {stream.construction: stream.settled for stream in outcome.streams}["pair_swap"]
    found = verdicts(build)
    assert found["accepted"] == 15
    assert sum(found.values()) == settled
    with connect(build, ("rejections",)) as connection:
        rows = connection.execute("SELECT attempt, reasons FROM rejections").fetchall()
    assert {attempt for attempt, reasons in rows if reasons} >= set(range(1, 12))
    assert found["rejected"] == len(rows)
    assert broken_rules(build, settings) == []


def test_what_is_rejected_does_not_hinder_a_resumed_build(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = FakeWriter(repeats_itself=True, instead=_bad_draft)
    use(monkeypatch, writer)
    make(build, small(40, budget_attempts=17))
    make(build, small(25))
    assert writer.asked == list(range(len(writer.asked)))
    whole = Build(build.root, "whole")
    make(whole, small(25))
    assert contents(build) == contents(whole)


def test_a_root_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "main").mkdir()
    (tmp_path / "main" / "dataset").write_text("in the way")
    with pytest.raises(StoreError):
        make(Build(tmp_path, "main"), small(5))


def test_manifests_say_what_was_wanted_and_what_is_there(build: Build) -> None:
    make(build, small(12))
    manifest = read_manifest(build.stream("pair_swap"))
    assert manifest.counts["quota"] == manifest.counts["accepted"] == 12
    assert manifest.complete
    assert [(shard.accepted, shard.index) for shard in manifest.shards] == [(10, 0), (2, 1)]
