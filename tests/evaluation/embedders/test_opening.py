"""A specification opens its embedder, or says what there is."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from artifacts.errors import EmbeddingError, ModelMissingError, SettingsError
from artifacts.model_settings import EvaluationSettings
from evaluation.embedders.adapters import Adapter, trained_name
from evaluation.embedders.baselines import Bigrams
from evaluation.embedders.cache import Cached
from evaluation.embedders.openai_endpoint import EndpointEmbedder
from evaluation.embedders.opening import open_embedder, require_revision_taken
from tests.evaluation.embedders.doubles import images, texts


def settings(embedder: str, *, cache: bool = True) -> EvaluationSettings:
    return EvaluationSettings(embedder=embedder, cache=cache)


@pytest.mark.parametrize("name", ["constant", "random", "bag-of-words"])
def test_baselines_are_opened_and_never_cached(name: str, tmp_path: Path) -> None:
    embedder = open_embedder(settings(name), cache=tmp_path)
    assert embedder.name == name
    assert embedder.embed_texts(texts("a red cube", "a blue cube")).shape[0] == 2
    assert list(tmp_path.iterdir()) == []


def test_the_seed_is_the_random_embedder_s() -> None:
    first = open_embedder(EvaluationSettings(embedder="random", seed=1))
    second = open_embedder(EvaluationSettings(embedder="random", seed=2))
    assert first.identity != second.identity


def test_bigrams_are_made_from_the_caller_s_words() -> None:
    embedder = open_embedder(settings("bigrams"), bigrams=lambda: Bigrams(["red"], ["cube"]))
    assert embedder.embed_texts(texts("a red cube")).sum() == 1
    with pytest.raises(SettingsError, match="bigrams needs a build"):
        open_embedder(settings("bigrams"))


def test_stored_vectors_are_opened(tmp_path: Path) -> None:
    file = tmp_path / "vectors.parquet"
    rows = {"scene_id": ["scene-0"], "modality": ["text"], "vector": [[1.0, 2.0]]}
    pq.write_table(pa.table(rows), file)
    embedder = open_embedder(settings(f"vectors:{file}"), cache=tmp_path / "cache")
    assert embedder.modalities == {"text"}
    assert embedder.embed_texts(texts("a")).shape == (1, 2)
    assert not (tmp_path / "cache").exists()
    with pytest.raises(EmbeddingError, match=r"missing\.parquet: expected a Parquet file"):
        open_embedder(settings(f"vectors:{tmp_path / 'missing.parquet'}"))


@pytest.mark.parametrize("cache", [True, False])
def test_a_model_is_cached_unless_the_settings_say_not(tmp_path: Path, cache: bool) -> None:
    embedder = open_embedder(settings("openai:a/b", cache=cache), cache=tmp_path)
    inner = embedder._embedder  # type: ignore[attr-defined]
    assert isinstance(inner, Cached if cache else EndpointEmbedder)
    assert embedder.name == "openai:a/b"


@pytest.mark.parametrize(
    ("spec", "near"),
    [
        ("bag-of-word", "near 'bag-of-words'"),
        ("mini-lm", "near 'minilm'"),
        ("open_clip:ViT-B-32/openai", "near 'open-clip:'"),
        ("train:mine", "near 'trained:'"),
        ("minilm:x", "near 'minilm'"),
        ("xyzzy", "there is no embedder 'xyzzy'; there are constant, random"),
    ],
)
def test_an_unknown_one_is_answered_with_those_there_are(spec: str, near: str) -> None:
    with pytest.raises(SettingsError, match=near) as raised:
        open_embedder(settings(spec))
    assert "openai: (the model's name)" in str(raised.value)


@pytest.mark.parametrize("spec", ["st", "st:"])
def test_one_without_what_it_opens_is_told_what_it_needs(spec: str) -> None:
    with pytest.raises(
        SettingsError, match=r"expected a sentence-transformers model, .* after st:"
    ):
        open_embedder(settings(spec))


@pytest.mark.parametrize(
    ("spec", "is_scaled"), [("trained:mine", True), ("trained:mine/unscaled", False)]
)
def test_a_trained_run_is_the_caller_s_to_find(spec: str, is_scaled: bool, tmp_path: Path) -> None:
    asked = []

    def find(run: str, scaled: bool) -> Adapter:
        asked.append((run, scaled))
        return Adapter("minilm", None, tmp_path / "nothing", None)

    with pytest.raises(ModelMissingError, match=r"adapter_config\.json, adapter_model\.safet"):
        open_embedder(settings(spec), adapter_of=find)
    assert asked == [("mine", is_scaled)]


def test_what_a_trained_run_s_name_may_be() -> None:
    with pytest.raises(SettingsError, match=r"RUN or RUN/unscaled .*, found 'trained:a/b'"):
        open_embedder(settings("trained:a/b"))
    with pytest.raises(SettingsError, match="needs trained runs"):
        open_embedder(settings("trained:a"))


@pytest.mark.parametrize(
    ("spec", "extra"),
    [
        ("minilm", "train"),
        ("st:anyone/anything", "train"),
        ("efficientnet-lite0", "train"),
        ("open-clip:ViT-B-32/openai", "clip"),
        ("openai:any", "llm"),
    ],
)
def test_without_its_packages_it_says_how_to_install_them(
    monkeypatch: pytest.MonkeyPatch, spec: str, extra: str
) -> None:
    monkeypatch.setattr("artifacts.weights.find_spec", lambda _: None)
    with pytest.raises(ModelMissingError, match=rf"not installed here; .*`{extra}`"):
        open_embedder(settings(spec))


def test_heavy_packages_are_imported_only_by_what_needs_them() -> None:
    code = (
        "import sys, evaluation.embedders.opening as o;"
        "from artifacts.model_settings import EvaluationSettings as S;"
        "o.open_embedder(S(embedder='bag-of-words'));"
        "print(*{'torch', 'transformers', 'sentence_transformers', 'openai', 'PIL', 'open_clip'}"
        " & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.split() == []


@pytest.mark.parametrize("known", [False, True])
def test_stored_vectors_may_repeat_where_no_picture_is_known_to_differ(
    tmp_path: Path, known: bool
) -> None:
    file = tmp_path / "vectors.parquet"
    names = [f"scene-{number}" for number in range(3)]
    vectors = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    rows = {"scene_id": names, "modality": ["image"] * 3, "vector": vectors}
    pq.write_table(pa.table(rows), file)
    chosen = EvaluationSettings(embedder=f"vectors:{file}", images=tmp_path if known else None)
    asked = images("a", "b", "c")
    if known:
        with pytest.raises(EmbeddingError, match="has one vector for the pictures of scene-0"):
            open_embedder(chosen).embed_images(asked)
    else:
        assert open_embedder(chosen).embed_images(asked).shape == (3, 2)


@pytest.mark.parametrize(
    ("spec", "revision", "instruction"),
    [
        ("bag-of-words", None, None),
        ("random", None, None),
        ("openai:any", "abc", "Find "),
    ],
)
def test_an_embedder_says_what_it_uses_of_the_settings(
    spec: str, revision: str | None, instruction: str | None
) -> None:
    chosen = EvaluationSettings(embedder=spec, revision="abc", instruction="Find ")
    embedder = open_embedder(chosen)
    assert (embedder.revision, embedder.instruction) == (revision, instruction)


@pytest.mark.parametrize(
    "spec",
    ["bag-of-words", "minilm", "efficientnet-lite0", "vectors:v", "open-clip:A/b", "trained:x"],
)
def test_a_revision_of_what_has_none_is_refused(spec: str, tmp_path: Path) -> None:
    for each in (spec, f"st:{tmp_path}"):
        chosen = EvaluationSettings(embedder=each, revision="abc")
        with pytest.raises(SettingsError, match=f"revision is 'abc', but {each} has no revision"):
            require_revision_taken(chosen)
        require_revision_taken(chosen.model_copy(update={"revision": None}))


@pytest.mark.parametrize("spec", ["st:org/model", "openai:any"])
def test_a_revision_says_which_weights_a_name_stands_for(spec: str) -> None:
    require_revision_taken(EvaluationSettings(embedder=spec, revision="abc"))


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ("trained:mine", ("mine", True)),
        ("trained:mine/unscaled", ("mine", False)),
        ("trained:mine/scaled", None),
        ("trained:", None),
        ("minilm", None),
    ],
)
def test_a_specification_names_a_run_and_which_of_its_adapters(
    spec: str, named: tuple[str, bool] | None
) -> None:
    assert trained_name(spec) == named
