"""The evaluation stage: what is scored of which embedder, when anew, and what is reported."""

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pydantic import ValidationError

from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.errors import (
    BuildConflictError,
    BuildMissingError,
    DamagedFileError,
    EmbeddingError,
    SettingsError,
    StoreError,
)
from artifacts.model_settings import EvaluationSettings, TrainingSettings
from artifacts.records import Result
from flows.progress import Silent
from flows.stages.benchmark import build_benchmark
from flows.stages.evaluation import asked_in, evaluate, read_outcomes, run_name
from flows.stages.reporting import compare_runs, is_current, report_path, write_report
from flows.stages.run_repair import repair_runs
from tests.flows.builds import SMALL
from tests.flows.datasets import make, small
from tests.flows.pictures import draw_pictures

BAG = EvaluationSettings(embedder="bag-of-words")
RANDOM = EvaluationSettings(embedder="random")


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


def score(build: Build, settings: EvaluationSettings, *, force: bool = False) -> list[Result]:
    return evaluate(build, settings, Silent(), force=force).results


def built(build: Build, settings: EvaluationSettings) -> bool:
    return evaluate(build, settings, Silent()).built


def mean(results: list[Result], metric: str, pairing: str = "t2t", subset: str = "all") -> float:
    (value,) = (
        row.value
        for row in results
        if (row.metric, row.pairing, row.subset, row.n) == (metric, pairing, subset, None)
    )
    return value


def scene_rows(build: Build) -> list[tuple[str, str]]:
    """Return the scenes with their bindings, in an order that doesn't matter, as one text."""
    with connect(build, {"scenes"}) as connection:
        rows = connection.execute("SELECT scene_id, bindings FROM scenes").fetchall()
    return [(scene, str(sorted(map(str, bindings)))) for scene, bindings in rows]


def write_vectors(
    path: Path, build: Build, modalities: tuple[str, ...], noise: float = 1e-3
) -> EvaluationSettings:
    """Write vectors that are nearly equal just where the bindings are; return what scores them."""
    kinds = dict.fromkeys(bindings for _, bindings in scene_rows(build))
    rng = np.random.default_rng(0)
    drawn = dict(zip(kinds, rng.normal(size=(len(kinds), 32)), strict=True))
    rows = [
        {
            "scene_id": scene,
            "modality": modality,
            "vector": (drawn[bindings] + noise * rng.normal(size=32)).tolist(),
        }
        for modality in modalities
        for scene, bindings in scene_rows(build)
    ]
    pq.write_table(pa.Table.from_pylist(rows), path)
    return EvaluationSettings(embedder=f"vectors:{path}")


def test_a_bag_of_words_is_at_chance_and_the_figures_are_in_the_view(build: Build) -> None:
    results = score(build, BAG)
    # Of the four candidates at N=2, one has another word.
    assert mean(results, "mcq_accuracy") == pytest.approx((100 / 3 + 25 + 25) / 3)
    assert mean(results, "scattered_mcq_accuracy") == pytest.approx((100 / 3 + 25 + 25) / 3)
    assert mean(results, "triplet_accuracy_test") == 50
    assert mean(results, "triplet_accuracy_deferred_bind_anaphoric") == 50
    with connect(build, {"results"}) as connection:
        (count,) = connection.execute("SELECT count(*) FROM results").fetchall()
    assert count == (len(results),)


def test_bigrams_know_the_templated_captions_and_not_the_scattered(build: Build) -> None:
    results = score(build, EvaluationSettings(embedder="bigrams"))
    assert mean(results, "mcq_accuracy") == 100
    assert mean(results, "map", subset="independent") == 100
    assert mean(results, "scattered_mcq_accuracy") == 25


def test_the_mean_of_the_outcomes_n_by_n_is_the_figure(build: Build) -> None:
    results = score(build, RANDOM)
    with connect(build, {"questions"}) as connection:
        n_of = dict(connection.execute("SELECT question_id, n FROM questions").fetchall())
    by_n: dict[int, list[float]] = {}
    for row in read_outcomes(build, "random"):
        if (row.metric, row.pairing) == ("mcq_accuracy", "t2t"):
            by_n.setdefault(n_of[row.item], []).append(row.value)
    assert mean(results, "mcq_accuracy") == pytest.approx(np.mean([*map(np.mean, by_n.values())]))


def test_a_second_run_does_nothing_and_finds_the_same(build: Build) -> None:
    first = score(build, BAG)
    assert not built(build, BAG)
    key = lambda row: (row.pairing, row.metric, row.subset, row.n or 0)  # noqa: E731
    assert sorted(score(build, BAG), key=key) == sorted(first, key=key)


def test_another_benchmark_is_scored_anew(build: Build) -> None:
    score(build, BAG)
    build_benchmark(build, SMALL.model_copy(update={"seed": 1}), Silent(), force=True)
    assert built(build, BAG)
    assert not built(build, BAG)


def test_a_longer_dataset_is_scored_anew_unless_no_triplet_is(build: Build) -> None:
    alone = EvaluationSettings(embedder="random", triplets=0)
    score(build, BAG)
    score(build, alone)
    make(build, small(11, "pair_swap", "deferred_bind_anaphoric"))
    assert built(build, BAG)
    assert not built(build, alone)


def test_other_settings_under_the_same_name_are_refused(build: Build) -> None:
    score(build, BAG)
    with pytest.raises(BuildConflictError, match="--run"):
        score(build, BAG.model_copy(update={"triplets": 3}))
    assert score(build, BAG.model_copy(update={"triplets": 3}), force=True)


def test_how_and_where_it_runs_are_no_other_settings(build: Build) -> None:
    score(build, BAG)
    assert not built(build, BAG.model_copy(update={"batch_size": 3, "threads": 1}))


def test_without_a_dataset_there_are_no_triplets(tmp_path: Path) -> None:
    build = Build(tmp_path, "main")
    build_benchmark(build, SMALL, Silent())
    assert not [row for row in score(build, BAG) if row.metric.startswith("triplet")]


def test_without_a_benchmark_there_is_nothing_to_score(tmp_path: Path) -> None:
    with pytest.raises(BuildMissingError, match="no manifest"):
        score(Build(tmp_path, "main"), BAG)


def test_stored_vectors_of_both_modalities_are_scored_in_all_pairings(
    build: Build, tmp_path: Path
) -> None:
    results = score(build, write_vectors(tmp_path / "v.parquet", build, ("text", "image")))
    for pairing in ("t2t", "t2i", "i2t", "i2i"):
        assert mean(results, "mcq_accuracy", pairing) == 100
        assert mean(results, "map", pairing, "independent") == 100
    # They are vectors of the scenes' captions and of nothing else.
    assert not [row for row in results if row.metric.startswith(("scattered", "triplet"))]


def test_stored_vectors_of_text_alone_are_scored_text_to_text(build: Build, tmp_path: Path) -> None:
    results = score(build, write_vectors(tmp_path / "v.parquet", build, ("text",)))
    assert {row.pairing for row in results} == {"t2t"}


def test_a_changed_file_of_vectors_is_scored_anew(build: Build, tmp_path: Path) -> None:
    settings = write_vectors(tmp_path / "v.parquet", build, ("text", "image"))
    score(build, settings)
    assert not built(build, settings)
    write_vectors(tmp_path / "v.parquet", build, ("text",))
    assert built(build, settings)


def test_pictures_open_the_pairings_with_images(build: Build, tmp_path: Path) -> None:
    pictures = draw_pictures(tmp_path / "p", [scene for scene, _ in scene_rows(build)])
    results = score(build, RANDOM.model_copy(update={"images": pictures}))
    assert {row.pairing for row in results} == {"t2t", "t2i", "i2t", "i2i"}
    scattered = {row.pairing for row in results if row.metric == "scattered_map"}
    assert scattered == {"t2t", "t2i", "i2t"}


def test_of_half_a_set_of_pictures_what_is_complete_is_asked(build: Build, tmp_path: Path) -> None:
    with connect(build, {"questions", "candidates"}) as connection:
        query = "SELECT query_scene_id FROM questions WHERE question_id = 'n02-i001'"
        ((scene,),) = connection.execute(query).fetchall()
        query = "SELECT scene_id FROM candidates WHERE question_id = 'n02-i001'"
        candidates = [row[0] for row in connection.execute(query).fetchall()]
    pictures = draw_pictures(tmp_path / "p", [scene, *candidates])
    settings = RANDOM.model_copy(update={"images": pictures, "pairings": ["i2i"]})
    evaluated = evaluate(build, settings, Silent())
    results = evaluated.results
    asked = {"questions": 1, "of_questions": 30, "gallery": 4, "of_gallery": 120, "pictures": 5}
    assert evaluated.record.facts["asked"] == [{"pairing": "i2i", **asked}]
    assert {row.n for row in results if row.metric == "mcq_accuracy"} == {2, None}
    assert {row.item for row in read_outcomes(build, "random") if row.pairing == "i2i"} == {
        "n02-i001"
    }


def test_a_model_of_text_records_no_picture_and_needs_none(build: Build, tmp_path: Path) -> None:
    pictures = draw_pictures(tmp_path / "p", ["nothing"])
    evaluated = evaluate(build, BAG.model_copy(update={"images": pictures}), Silent())
    (asked,) = asked_in(evaluated.record)
    assert (asked.questions, asked.of_questions, asked.pictures) == (30, 30, 0)
    assert "pictures" not in evaluated.record.inputs
    # With or without them it is the same run; and others are no reason to score it again.
    assert not built(build, BAG)
    (pictures / "another.png").write_bytes(b"x")
    assert not built(build, BAG.model_copy(update={"images": pictures}))


def test_vectors_are_not_scored_anew_for_a_dataset_that_they_don_t_read(
    build: Build, tmp_path: Path
) -> None:
    settings = write_vectors(tmp_path / "v.parquet", build, ("text", "image"))
    score(build, settings)
    make(build, small(11, "pair_swap", "deferred_bind_anaphoric"))
    assert not built(build, settings)


def test_a_dataset_that_came_later_is_scored(tmp_path: Path) -> None:
    build = Build(tmp_path, "main")
    build_benchmark(build, SMALL, Silent())
    score(build, BAG)
    make(build, small(2, "pair_swap"))
    assert built(build, BAG)
    assert not built(build, BAG)


def test_a_pairing_is_scored_once_and_their_order_is_no_other_settings(
    build: Build, tmp_path: Path
) -> None:
    pictures = draw_pictures(tmp_path / "p", [scene for scene, _ in scene_rows(build)])
    rows = score(
        build,
        EvaluationSettings(embedder="random", pairings=["i2i", "t2t", "i2i"], images=pictures),
    )
    assert len(rows) == len({(row.pairing, row.metric, row.subset, row.n) for row in rows})
    assert not built(
        build, EvaluationSettings(embedder="random", pairings=["t2t", "i2i"], images=pictures)
    )


def test_vectors_that_follow_the_bindings_alone_are_scored(build: Build, tmp_path: Path) -> None:
    """At N=2 two candidates may hold the same; nobody knows two pictures of them to differ."""
    settings = write_vectors(tmp_path / "v.parquet", build, ("image",), noise=0)
    assert mean(score(build, settings), "mcq_accuracy", "i2i") == 100


def test_settings_without_an_effect_are_not_recorded(build: Build) -> None:
    settings = BAG.model_copy(update={"revision": "abc", "instruction": "Find"})
    facts = evaluate(build, settings, Silent()).record.facts
    assert (facts["revision"], facts["instruction"]) == (None, None)
    assert not built(build, BAG)


def test_changed_pictures_are_scored_anew(build: Build, tmp_path: Path) -> None:
    scenes = [scene for scene, _ in scene_rows(build)]
    settings = RANDOM.model_copy(update={"images": draw_pictures(tmp_path / "p", scenes)})
    score(build, settings)
    assert not built(build, settings)
    (tmp_path / "p" / f"{scenes[0]}.png").write_bytes(b"another")
    assert built(build, settings)


def test_no_folder_of_pictures(build: Build, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="expected a folder of pictures, found none"):
        score(build, RANDOM.model_copy(update={"images": tmp_path / "nowhere"}))


def test_an_empty_folder_of_pictures(build: Build, tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    with pytest.raises(StoreError, match=r"named SCENE_ID and .*\.png"):
        score(build, RANDOM.model_copy(update={"images": tmp_path / "p"}))


def test_two_pictures_of_one_scene(build: Build, tmp_path: Path) -> None:
    pictures = draw_pictures(tmp_path / "p", ["one"])
    (pictures / "one.jpg").write_bytes(b"x")
    with pytest.raises(EmbeddingError, match=r"found one\.jpg and one\.png"):
        score(build, RANDOM.model_copy(update={"images": pictures}))


def test_a_pairing_that_can_t_be_is_refused(build: Build) -> None:
    with pytest.raises(SettingsError, match=r"there are no pictures: it can do t2t, not i2i"):
        score(build, RANDOM.model_copy(update={"pairings": ["i2i"]}))


def test_a_run_that_was_never_trained_is_told(build: Build) -> None:
    with pytest.raises(BuildMissingError, match=r"no training run 'x'.*`saber train`"):
        score(build, EvaluationSettings(embedder="trained:x"))


@pytest.mark.parametrize(
    ("embedder", "name"),
    [
        ("bag-of-words", "bag-of-words"),
        ("trained:demo/unscaled", "trained-demo-unscaled"),
        ("vectors:/tmp/v.parquet", "vectors-v"),
        ("st:org/model", "st-org-model"),
    ],
)
def test_the_name_of_a_run_comes_from_its_embedder(embedder: str, name: str) -> None:
    assert run_name(EvaluationSettings(embedder=embedder)) == name
    assert run_name(EvaluationSettings(embedder=embedder, run="mine")) == "mine"


def test_a_name_that_no_run_may_have_isn_t_made_from_a_file_s_either() -> None:
    with pytest.raises(SettingsError, match=r"found 'vectors-k\.replaced', made from vectors:k"):
        run_name(EvaluationSettings(embedder="vectors:k.replaced.parquet"))


def test_the_report_has_every_run_and_says_what_adjacency_does(build: Build) -> None:
    for embedder in ("bag-of-words", "bigrams", "random"):
        score(build, EvaluationSettings(embedder=embedder))
    assert write_report(build) == report_path(build)
    page = report_path(build).read_text()
    assert "| T→T | bigrams (baseline) |" in page
    assert "attribute–object bigrams answers 100 %" in page
    assert "Qwen3-VL-Embedding-8B" in page.partition("The paper's figures, for reference")[2]
    assert "Qwen3-VL-Embedding-8B" not in page.partition("The paper's figures, for reference")[0]


def test_without_a_run_there_is_nothing_to_report(build: Build) -> None:
    with pytest.raises(BuildMissingError, match="run `saber evaluate`"):
        write_report(build)


def test_two_runs_are_compared_question_by_question(build: Build) -> None:
    score(build, BAG)
    score(build, EvaluationSettings(embedder="bigrams"))
    compared = compare_runs(build, "bag-of-words", "bigrams")
    (found,) = (one for one in compared.comparisons if one.metric == "mcq_accuracy")
    assert compare_runs(build, "bag-of-words", "bigrams", 1).after == "bigrams"
    assert found.after == 100
    assert found.excludes_zero


def test_a_run_that_isn_t_there_can_t_be_compared(build: Build) -> None:
    score(build, BAG)
    with pytest.raises(BuildMissingError, match=r"no evaluation run 'bigrams'.*bag-of-words"):
        compare_runs(build, "bag-of-words", "bigrams")


def damage(path: Path) -> None:
    """Flip a bit in the middle; the size stays."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def test_runs_on_different_benchmarks_can_t_be_compared(build: Build) -> None:
    score(build, BAG)
    build_benchmark(build, SMALL.model_copy(update={"seed": 1}), Silent(), force=True)
    score(build, EvaluationSettings(embedder="bigrams"))
    with pytest.raises(SettingsError, match="scored on different benchmark"):
        compare_runs(build, "bag-of-words", "bigrams")


def test_a_run_on_an_earlier_benchmark_is_left_out_of_the_report(build: Build) -> None:
    score(build, BAG)
    build_benchmark(build, SMALL.model_copy(update={"seed": 1}), Silent(), force=True)
    score(build, EvaluationSettings(embedder="bigrams"))
    page = write_report(build).read_text()
    assert "left out: scored on earlier benchmark" in page
    assert "| bigrams | bigrams |" in page
    assert "| bag-of-words | bag-of-words |" not in page


def test_the_report_is_current_until_there_is_another_run_or_a_file_is_damaged(
    build: Build,
) -> None:
    score(build, BAG)
    assert not is_current(build)
    write_report(build)
    assert is_current(build)
    score(build, EvaluationSettings(embedder="bigrams"))
    assert not is_current(build)
    write_report(build)
    damage(build.evaluation / "report" / "figures" / "map_by_n.png")
    assert not is_current(build)


def test_pictures_given_once_are_not_dropped_in_silence(build: Build, tmp_path: Path) -> None:
    pictures = draw_pictures(tmp_path / "p", [scene for scene, _ in scene_rows(build)])
    score(build, RANDOM.model_copy(update={"images": pictures}))
    with pytest.raises(BuildConflictError, match="with_pictures: True there, False now"):
        score(build, RANDOM)


def test_a_damaged_table_is_scored_anew(build: Build) -> None:
    score(build, BAG)
    damage(build.evaluation / "bag-of-words" / "results.parquet")
    assert built(build, BAG)
    assert not built(build, BAG)


def test_another_run_s_damaged_table_is_told(build: Build) -> None:
    score(build, BAG)
    score(build, EvaluationSettings(embedder="bigrams"))
    damage(build.evaluation / "bag-of-words" / "results.parquet")
    with pytest.raises(DamagedFileError):
        write_report(build)


def test_a_damaged_report_is_repaired_and_a_damaged_run_is_named(build: Build) -> None:
    score(build, BAG)
    write_report(build)
    assert repair_runs(build) == []
    damage(build.evaluation / "report" / "report.md")
    assert [each.name for each in repair_runs(build)] == ["evaluation/report/report.md"]
    assert repair_runs(build) == []
    damage(build.evaluation / "bag-of-words" / "results.parquet")
    with pytest.raises(DamagedFileError, match="`saber evaluate --force` for the run bag-of-words"):
        repair_runs(build)


@pytest.mark.parametrize("run", ["report", "Report", "manifest.json", "a.replaced", "../x", ".x"])
def test_no_run_has_a_name_that_the_stage_needs(run: str) -> None:
    with pytest.raises(ValidationError):
        EvaluationSettings(run=run)
    with pytest.raises(ValidationError):
        TrainingSettings(run=run)


@pytest.mark.parametrize(
    "values",
    [
        {"seed": 2**32},
        {"threads": 2**31},
        {"learning_rate": float("inf")},
        {"lines_alpha": float("inf")},
        {"target_modules": ""},
        {"rank": 10**9},
    ],
)
def test_numbers_that_no_training_takes_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        TrainingSettings.model_validate(values)
    assert TrainingSettings(seed=2**32 - 1, threads=2, learning_rate=1.0)
