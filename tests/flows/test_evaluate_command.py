"""`saber evaluate` and `saber compare`: what they refuse before scoring, and what they print."""

import json
from pathlib import Path

import pytest

from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.errors import SettingsError
from artifacts.model_settings import EvaluationSettings
from flows.commands.evaluate import compare, evaluate
from flows.progress import Silent
from flows.stages import evaluation
from flows.stages.benchmark import build_benchmark
from flows.stages.dataset import build_dataset, unpublish
from tests.flows.builds import SMALL
from tests.flows.nights import DATASET
from tests.flows.pictures import draw_pictures


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    monkeypatch.chdir(tmp_path)
    build = Build(tmp_path, "main")
    build_benchmark(build, SMALL, Silent())
    return build


def score(build: Build, embedder: str) -> None:
    evaluation.evaluate(build, EvaluationSettings(embedder=embedder), Silent())


def test_a_comparison_in_json_has_the_difference_and_whether_it_is_chance(
    build: Build, capsys: pytest.CaptureFixture[str]
) -> None:
    score(build, "bag-of-words")
    score(build, "bigrams")
    compare("bag-of-words", "bigrams", root=build.root, json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["left_out"] == []
    (found,) = (one for one in told["comparisons"] if one["metric"] == "mcq_accuracy")
    assert found["difference"] == found["after"] - found["before"] > 0
    assert found["excludes_zero"] is True
    assert found["low"] <= found["difference"] <= found["high"]


def test_a_revision_that_the_embedder_has_not_is_refused(build: Build, tmp_path: Path) -> None:
    (tmp_path / "revised.toml").write_text('[evaluation]\nrevision = "abc"\n')
    with pytest.raises(SettingsError, match="revision is 'abc', but bag-of-words has no revision"):
        evaluate("bag-of-words", root=build.root, settings=tmp_path / "revised.toml")
    assert not build.evaluation.exists()


@pytest.mark.usefixtures("prefect_server")
def test_a_run_over_some_of_the_pictures_is_told_so(
    build: Build, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with connect(build, {"scenes"}) as connection:
        query = "SELECT scene_id FROM scenes WHERE scene_id LIKE 'n02-i001%'"
        rows = connection.sql(query).fetchall()
    pictures = draw_pictures(tmp_path / "p", [scene_id for (scene_id,) in rows])
    evaluate("random", images=pictures, root=build.root, quiet=True)
    assert "random, means over every N; 1 of 30 questions\n" in capsys.readouterr().out


@pytest.mark.usefixtures("prefect_server")
def test_triplets_that_an_unfinished_dataset_takes_away_are_told(
    build: Build, capsys: pytest.CaptureFixture[str]
) -> None:
    build_dataset(build, DATASET, Silent())
    evaluate("bag-of-words", root=build.root, quiet=True)
    assert "no triplets" not in capsys.readouterr().out
    unpublish(build)
    build.stream("pair_swap").unlink()
    why = "dataset unfinished: 6 of 7 constructions are complete; `saber dataset` goes on with it"
    evaluate("bag-of-words", root=build.root, quiet=True)
    told = capsys.readouterr().out.splitlines()
    assert f"no triplets were scored, as they were before: {why}" in told
    evaluate("bag-of-words", root=build.root, quiet=True, json=True)
    assert json.loads(capsys.readouterr().out)["left_out"] == f"no triplets were scored: {why}"


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({}, "no triplets were scored: there is no dataset; `saber dataset` builds one"),
        ({"triplets": 0}, ""),
    ],
)
def test_triplets_that_nobody_asked_for_are_not_missing(
    build: Build, asked: dict[str, int], why: str
) -> None:
    settings = EvaluationSettings.model_validate({"embedder": "bag-of-words", **asked})
    assert evaluation.evaluate(build, settings, Silent()).left_out == why
