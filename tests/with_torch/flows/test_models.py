"""A build's data trains a real small model; stages score it text to text, and image to image."""

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import fmean

import pytest
from peft import PeftModel
from PIL import Image, ImageDraw
from sentence_transformers import SentenceTransformer

from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.errors import BuildConflictError, DamagedFileError, TrainingError
from artifacts.manifest import read_manifest
from artifacts.model_settings import EvaluationSettings, TrainingSettings
from artifacts.records import Result
from artifacts.seeds import derive_seed
from artifacts.settings import BenchmarkSettings
from artifacts.weights import weights_of
from flows.progress import Silent
from flows.stages.benchmark import build_benchmark
from flows.stages.evaluation import evaluate
from flows.stages.reporting import report_path, write_report
from flows.stages.runs import begun_runs
from flows.stages.training import TrainedRun, find_trained, train_run
from tests.flows.datasets import make, small

FEW = TrainingSettings(
    max_triplets=48, batch_size=16, validation_triplets=8, checkpoint_steps=1, threads=1
)


#: Each question: its N, the answer's position, the query's text and those of the candidates.
_ASKED = """
    SELECT n, answer, query.text, a.text, b.text, c.text, d.text FROM questions
    JOIN scenes AS query ON query.scene_id = query_scene_id
""" + "".join(
    f"""
    JOIN candidates AS {name}_place
        ON {name}_place.question_id = questions.question_id AND {name}_place.position = {position}
    JOIN scenes AS {name} ON {name}.scene_id = {name}_place.scene_id
    """
    for position, name in enumerate("abcd")
)
_TRIPLETS = "SELECT query, positive, negative FROM triplets WHERE split = 'test'"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Build:
    build = Build(tmp_path_factory.mktemp("whole"), "main")
    build_benchmark(build, BenchmarkSettings(n_max=3, independent_per_n=3, chains=2), Silent())
    make(build, small(40, "pair_swap", "deferred_bind_anaphoric"))
    return build


@pytest.fixture
def build(whole: Build, tmp_path: Path) -> Build:
    shutil.copytree(whole.path, tmp_path / "main")
    return Build(tmp_path, "main")


def train(build: Build, settings: TrainingSettings = FEW, *, force: bool = False) -> TrainedRun:
    return train_run(build, settings, Silent(), force=force)


def score(build: Build, embedder: str, images: Path | None = None) -> list[Result]:
    settings = EvaluationSettings(embedder=embedder, threads=1, images=images)
    return evaluate(build, settings, Silent()).results


def accuracy(results: list[Result], metric: str = "mcq_accuracy", pairing: str = "t2t") -> float:
    wanted = (metric, pairing, "all", None)
    (value,) = (r.value for r in results if (r.metric, r.pairing, r.subset, r.n) == wanted)
    return value


def by_hand(build: Build, adapter: str | None) -> tuple[float, float]:
    """Return the accuracies on questions and on test triplets with PEFT's own loading."""
    model = SentenceTransformer(weights_of("minilm"), device="cpu")
    if adapter:
        folder = build.training / "minilm" / adapter
        PeftModel.from_pretrained(model.transformers_model, str(folder))
    with connect(build, {"questions", "candidates", "scenes", "triplets"}) as connection:
        asked = connection.execute(_ASKED).fetchall()
        triplets = connection.execute(_TRIPLETS).fetchall()
    by_n: dict[int, list[float]] = {}
    for n, right, query, *candidates in asked:
        scores = cosines(model, query, candidates)
        best = [place for place, score in enumerate(scores) if score > max(scores) - 1e-6]
        by_n.setdefault(n, []).append((right in best) / len(best))
    of_triplets = [first > second for first, second in (cosines(model, q, t) for q, *t in triplets)]
    return 100 * fmean(map(fmean, by_n.values())), 100 * fmean(of_triplets)


def cosines(model: SentenceTransformer, query: str, texts: list[str]) -> list[float]:
    first, *others = model.encode([query, *texts], normalize_embeddings=True)
    return [float(first @ other) for other in others]


class Stopping(Silent):
    """Stops a run by Ctrl-C when it has made so many steps."""

    def __init__(self, steps: int) -> None:
        self._steps = steps

    def count(self, text: str, done: int, total: int) -> None:
        if done == self._steps:
            raise KeyboardInterrupt


class Counting(Silent):
    """Remembers the steps that are told."""

    def __init__(self) -> None:
        self.counted: list[int] = []

    def count(self, text: str, done: int, total: int) -> None:
        self.counted.append(done)


def draw(folder: Path, build: Build) -> Path:
    """Draw every scene: a shape by object, its color by attribute, nearly where it always is."""
    folder.mkdir()
    with connect(build, {"scenes"}) as connection:
        rows = connection.execute("SELECT scene_id, bindings FROM scenes").fetchall()
    shapes: tuple[Callable[..., None], ...] = (
        ImageDraw.ImageDraw.ellipse,
        ImageDraw.ImageDraw.rectangle,
    )
    for scene_id, bindings in rows:
        picture = Image.new("RGB", (96, 96), "gray")
        for place, binding in enumerate(sorted(bindings, key=lambda each: each["object"])):
            rng = Random(derive_seed(0, scene_id, str(place)))
            x, y = 32 * place + rng.randrange(3), 36 + rng.randrange(3)
            color = derive_seed(0, binding["attribute"]) % 2**24
            shape = shapes[derive_seed(0, binding["object"]) % 2]
            shape(ImageDraw.Draw(picture), (x, y, x + 24, y + 24), fill=f"#{color:06x}")
        picture.save(folder / f"{scene_id}.png")
    return folder


def test_a_trained_run_is_published_and_found_again(build: Build) -> None:
    first = train(build)
    assert first.built
    names = {Path(entry.name).name for entry in read_manifest(build.manifest("training")).files}
    assert names >= {"adapter_model.safetensors", "curves.parquet", "README.md", "recipe.json"}
    again = train(build)
    assert not again.built
    assert sorted(again.curves, key=repr) == sorted(first.curves, key=repr)


class Dies(BaseException):
    """As a kill does, it asks nothing and is caught by nobody."""


@pytest.mark.parametrize("dies_in", ["write_table", "publish_run", "remove_checkpoints"])
def test_a_run_that_dies_while_it_is_published_is_not_trained_again(
    build: Build, monkeypatch: pytest.MonkeyPatch, dies_in: str
) -> None:
    def die(*_: object) -> None:
        raise Dies

    with monkeypatch.context() as patched:
        patched.setattr(f"flows.stages.training.{dies_in}", die)
        with pytest.raises(Dies):
            train(build)
    assert begun_runs(build, "training") == ["minilm"]
    told = Counting()
    train_run(build, FEW, told)
    assert told.counted == []
    assert find_trained(build, "minilm").facts["steps"] == 3
    assert begun_runs(build, "training") == []


def test_where_the_dataset_has_changed_it_is_trained_anew(build: Build) -> None:
    train(build)
    make(build, small(41, "pair_swap", "deferred_bind_anaphoric"))
    assert train(build).built
    assert not train(build).built


def test_other_settings_ask_for_another_name(build: Build) -> None:
    train(build)
    other = FEW.model_copy(update={"learning_rate": 1e-4})
    with pytest.raises(BuildConflictError, match=r"learning_rate.*--run"):
        train(build, other)
    assert train(build, other.model_copy(update={"run": "slow"})).built
    assert train(build, other, force=True).built


def test_stopped_by_ctrl_c_it_goes_on_and_comes_to_the_same(build: Build, tmp_path: Path) -> None:
    shutil.copytree(build.path, tmp_path / "other" / "main")
    other = Build(tmp_path / "other", "main")
    train(other)
    with pytest.raises(TrainingError, match="the same command goes on from step"):
        train_run(build, FEW, Stopping(2))
    assert not build.manifest("training").exists()
    train(build)
    name = "minilm/adapter/adapter_model.safetensors"
    assert (build.training / name).read_bytes() == (other.training / name).read_bytes()


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_the_trained_model_is_scored_with_and_without_lines(build: Build) -> None:
    # So fast that what was trained differs from its base, and LiNeS from both.
    train(build, FEW.model_copy(update={"learning_rate": 0.03}))
    found = {}
    for embedder, adapter in (
        ("minilm", None),
        ("trained:minilm/unscaled", "adapter"),
        ("trained:minilm", "adapter-lines"),
    ):
        results = score(build, embedder)
        found[embedder] = accuracy(results), accuracy(results, "triplet_accuracy_test")
        assert found[embedder] == pytest.approx(by_hand(build, adapter))
    assert len(set(found.values())) == 3
    page = write_report(build).read_text()
    assert "trained-minilm against minilm." in page.partition("## Before and after")[2]
    assert (report_path(build).parent / "figures" / "before_after.png").is_file()


def test_a_run_that_is_trained_anew_is_scored_anew(build: Build) -> None:
    train(build)
    settings = EvaluationSettings(embedder="trained:minilm", threads=1)
    assert evaluate(build, settings, Silent()).built
    assert not evaluate(build, settings, Silent()).built
    train(build, FEW.model_copy(update={"seed": 5}), force=True)
    assert evaluate(build, settings, Silent()).built


def test_pictures_are_scored_image_to_image_by_a_real_model(build: Build, tmp_path: Path) -> None:
    results = score(build, "efficientnet-lite0", draw(tmp_path / "pictures", build))
    assert {row.pairing for row in results} == {"i2i"}
    # The preserving candidate's picture is the query's, moved by a pixel or two.
    assert accuracy(results, pairing="i2i") > 40


def test_what_the_data_teaches_shows(tmp_path: Path) -> None:
    """Trained on words that SABER doesn't have; `make demo` trains longer and scores all of it."""
    build = Build(tmp_path, "main")
    build_benchmark(build, BenchmarkSettings(independent_per_n=8, chains=8), Silent())
    quotas = dict.fromkeys(("pair_swap", "attr_bundle", "predicative", "triple_bind_cycle"), 500)
    make(build, small(0).model_copy(update={"quotas": small(0).quotas | quotas}))
    settings = TrainingSettings(
        overlap="none", max_triplets=1_600, validation_triplets=0, threads=1
    )
    train(build, settings)
    chosen = EvaluationSettings(threads=1, triplets=0, scattered=False, batch_size=16)
    before, after = (
        accuracy(evaluate(build, chosen.model_copy(update={"embedder": each}), Silent()).results)
        for each in ("minilm", "trained:minilm/unscaled")
    )
    assert before < 50
    assert after > before + 25


def test_a_damaged_adapter_is_not_scored(build: Build) -> None:
    train(build)
    path = build.training / "minilm" / "adapter-lines" / "adapter_model.safetensors"
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(DamagedFileError, match="adapter_model"):
        score(build, "trained:minilm")
    assert train(build).built
    assert score(build, "trained:minilm")
