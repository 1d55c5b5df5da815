"""A build's report: which runs are held against each other, what is left out of it and why."""

import shutil
from pathlib import Path

import pytest

from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.errors import SettingsError
from artifacts.model_settings import EvaluationSettings
from evaluation.embedders.baselines import Random
from flows.progress import Silent
from flows.stages.benchmark import build_benchmark
from flows.stages.evaluation import EvaluatedRun, evaluate
from flows.stages.held_against import pair_with_bases
from flows.stages.reporting import compare_runs, report_path, write_report
from flows.stages.run_repair import repair_runs
from flows.stages.runs import RunRecord, publish_run, unfinished_folder
from tests.flows.builds import SMALL
from tests.flows.datasets import make, small
from tests.flows.pictures import draw_pictures


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Build:
    build = Build(tmp_path_factory.mktemp("whole"), "main")
    build_benchmark(build, SMALL, Silent())
    make(build, small(10, "pair_swap", "deferred_bind_anaphoric"))
    return build


@pytest.fixture
def build(whole: Build, tmp_path: Path) -> Build:
    shutil.copytree(whole.path, tmp_path / "main")
    return Build(tmp_path, "main")


class StandIn(Random):
    """A model that was opened with some settings; its vectors are drawn."""

    def __init__(self, settings: EvaluationSettings) -> None:
        super().__init__(len(settings.embedder))
        self.name = settings.embedder
        self.revision = settings.revision
        self.instruction = settings.instruction


@pytest.fixture(autouse=True)
def _without_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a real model scores is tested where torch is sure to be there."""
    monkeypatch.setattr(
        "flows.stages.evaluation._open", lambda _build, settings, _saber: StandIn(settings)
    )


def publish_trained(build: Build, run: str, base: str = "minilm") -> None:
    """Publish a training run whose adapter nobody reads."""
    (unfinished_folder(build, "training", run) / "adapter").write_text(run)
    facts: dict[str, str | None] = {"base": base, "revision": None, "prompt": None}
    record = RunRecord(settings={}, inputs={"model": None}, facts={**facts})
    publish_run(build, "training", run, record, {})


def score(build: Build, embedder: str, **settings: object) -> EvaluatedRun:
    values = {"embedder": embedder, "triplets": 4, **settings}
    return evaluate(build, EvaluationSettings.model_validate(values), Silent())


def before_and_after(build: Build) -> str:
    page = write_report(build).read_text()
    _, _, found = page.partition("## Before and after")
    return found.partition("\n## ")[0]


def scene_ids(build: Build, where: str = "true") -> list[str]:
    with connect(build, {"scenes"}) as connection:
        rows = connection.sql(f"SELECT scene_id FROM scenes WHERE {where}").fetchall()
    return [scene_id for (scene_id,) in rows]


# ---- a comparison that is only partly possible ----


def test_runs_on_other_triplets_are_compared_by_their_questions(build: Build) -> None:
    publish_trained(build, "x")
    score(build, "minilm")
    score(build, "trained:x", triplets=6)
    told = before_and_after(build)
    assert "trained-x against minilm" in told
    assert r"| mcq\_accuracy T→T |" in told
    assert "Not compared, since the two were asked different triplets: triplet" in told
    with pytest.raises(SettingsError, match="scored the same items"):
        compare_runs(build, "minilm", "trained-x")


def test_a_report_of_such_runs_can_be_repaired(build: Build) -> None:
    publish_trained(build, "x")
    score(build, "minilm")
    score(build, "trained:x", triplets=6)
    write_report(build)
    report_path(build).write_text("damaged")
    assert [each.name for each in repair_runs(build)] == ["evaluation/report/report.md"]


def test_runs_on_other_pictures_are_compared_by_their_texts(build: Build, tmp_path: Path) -> None:
    publish_trained(build, "x")
    scenes = scene_ids(build)
    score(build, "minilm", images=draw_pictures(tmp_path / "one", scenes))
    others = draw_pictures(tmp_path / "other", scenes)
    (others / f"{scenes[0]}.png").write_bytes(b"another")
    score(build, "trained:x", images=others)
    told = before_and_after(build)
    assert r"| mcq\_accuracy T→T |" in told
    assert "T→I |" not in told
    assert "since the two were shown different pictures: map i2i" in told


def test_runs_with_nothing_to_compare_are_told(build: Build, tmp_path: Path) -> None:
    publish_trained(build, "x")
    score(build, "minilm", triplets=0, pairings=["t2t"])
    pictures = draw_pictures(tmp_path / "p", scene_ids(build))
    score(build, "trained:x", triplets=0, pairings=["i2i"], images=pictures)
    told = before_and_after(build)
    assert "trained-x and minilm have nothing to compare." in told
    assert "since only one of the two has it: map i2i" in told


# ---- which base ----


def test_the_base_is_the_one_with_the_instruction_of_the_trained_model(build: Build) -> None:
    publish_trained(build, "x")
    score(build, "minilm")
    score(build, "minilm", run="told", instruction="Zzz")
    score(build, "trained:x")
    assert "trained-x against minilm." in before_and_after(build)
    score(build, "trained:x", run="instructed", instruction="Zzz")
    told = before_and_after(build)
    assert "instructed against told." in told
    assert "trained-x against minilm." in told


@pytest.mark.parametrize(
    ("base", "settings", "reason"),
    [
        ("minilm", {"instruction": "Zzz"}, "minilm has instruction 'Zzz' where"),
        ("org/m", {"revision": "abc"}, "st-org-m has revision 'abc' where"),
    ],
)
def test_a_base_that_was_another_model_is_left_out_with_the_reason(
    build: Build, base: str, settings: dict[str, object], reason: str
) -> None:
    publish_trained(build, "x", base)
    score(build, base if base == "minilm" else f"st:{base}", **settings)
    score(build, "trained:x")
    told = before_and_after(build)
    expected = f"trained-x isn't held against its base: {reason} the trained model has none."
    assert expected in told
    assert "bootstrap" not in told


def test_a_base_that_wasn_t_scored_is_named(build: Build) -> None:
    publish_trained(build, "x")
    score(build, "trained:x")
    assert "its base: minilm wasn't scored" in before_and_after(build)


def test_of_several_runs_of_the_base_the_most_alike_is_taken(build: Build) -> None:
    publish_trained(build, "x")
    score(build, "minilm", run="a", triplets=0)
    score(build, "minilm", run="b")
    score(build, "minilm", run="c", scattered=False)
    score(build, "trained:x")
    assert "trained-x against b." in before_and_after(build)


def test_every_trained_model_has_its_own_comparison(build: Build) -> None:
    publish_trained(build, "x")
    publish_trained(build, "y")
    for embedder in ("minilm", "trained:x", "trained:y", "trained:y/unscaled"):
        score(build, embedder)
    told = before_and_after(build)
    assert "trained-x against minilm." in told
    assert "trained-y against minilm." in told
    assert "unscaled" not in told


def test_a_base_whose_files_have_changed_is_another_model() -> None:
    def scored(embedder: str, model: str) -> RunRecord:
        facts = {"revision": None, "instruction": None}
        return RunRecord(settings={"embedder": embedder}, inputs={"model": model}, facts={**facts})

    trained = {"x": RunRecord(settings={}, inputs={}, facts={"base": "/m"})}
    runs = {"base": scored("st:/m", "1"), "after": scored("trained:x", "1")}
    assert pair_with_bases(runs, trained) == ([("base", "after")], {})
    runs["base"] = scored("st:/m", "2")
    assert pair_with_bases(runs, trained) == ([], {"after": "base has other files in its folder"})


# ---- what is gone ----


@pytest.mark.parametrize("whole_stage", [True, False])
def test_without_its_training_a_run_is_left_out_and_the_others_are_told(
    build: Build, whole_stage: bool
) -> None:
    publish_trained(build, "x")
    score(build, "trained:x")
    score(build, "bag-of-words")
    shutil.rmtree(build.training)
    if not whole_stage:
        publish_trained(build, "y")
    page = write_report(build).read_text()
    assert "**trained-x**: left out: scored on adapters that the build lacks now" in page
    assert "| bag-of-words | bag-of-words |" in page


def test_without_its_benchmark_no_run_is_told(build: Build) -> None:
    score(build, "bag-of-words")
    shutil.rmtree(build.benchmark)
    page = write_report(build).read_text()
    assert "**bag-of-words**: left out: scored on benchmark that the build lacks now" in page


def test_a_run_of_the_first_version_is_left_out_until_it_is_scored_again(build: Build) -> None:
    done = score(build, "bag-of-words")
    earlier = done.record.model_copy(update={"facts": {"model": "bag-of-words", "questions": 30}})
    folder = unfinished_folder(build, "evaluation", "bag-of-words")
    shutil.copytree(build.evaluation / "bag-of-words", folder, dirs_exist_ok=True)
    tables = {"results.parquet": "results", "outcomes.parquet": "outcomes"}
    publish_run(build, "evaluation", "bag-of-words", earlier, tables)
    assert "left out: recorded by an earlier version" in write_report(build).read_text()
    assert score(build, "bag-of-words").built
    assert "left out" not in write_report(build).read_text()


# ---- what is told of a run ----


def test_a_run_over_some_of_the_pictures_is_marked(build: Build, tmp_path: Path) -> None:
    pictures = draw_pictures(tmp_path / "p", scene_ids(build, "scene_id LIKE 'n02-i001%'"))
    score(build, "random", images=pictures)
    page = write_report(build).read_text()
    assert "- **random**: questions: 1 of 30; gallery: 4 of 120; pictures: 4 (t2i), 1 (i2t)" in page
    assert "random, 1 of 30 questions (baseline) |" in page
    assert "isn't ranked" in page


def test_settings_without_an_effect_are_not_told(build: Build, tmp_path: Path) -> None:
    pictures = draw_pictures(tmp_path / "p", scene_ids(build))
    score(build, "minilm", instruction="Find", pairings=["t2t"], images=pictures)
    page = write_report(build).read_text()
    assert "- **minilm**: questions: 30; gallery: 120; pictures: none; instruction: Find\n" in page
