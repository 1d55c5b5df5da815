"""What needs no model: chance where it must be chance, everything where adjacency is everything."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.errors import EmbeddingError
from evaluation.embedders.baselines import BagOfWords, Bigrams, Constant, Random
from evaluation.embedders.embedder import Embedder, ImageInput, TextInput, Vectors
from evaluation.recording import Label, question_results
from evaluation.saber import Saber, Scenes
from evaluation.scoring import score_pairing

Figures = dict[tuple[str, str, int | None], float]
SIZES = range(2, 11)


def texts_of(scenes: Scenes, *, scattered: bool = False) -> list[TextInput]:
    captions = scenes.scattered if scattered else scenes.texts
    assert captions is not None
    return [TextInput(*pair) for pair in zip(scenes.ids, captions, strict=True)]


def given_texts(*texts: str) -> list[TextInput]:
    return [TextInput(f"t{number}", text) for number, text in enumerate(texts)]


def figures(saber: Saber, embedder: Embedder, *, scattered: bool = False) -> Figures:
    queries = embedder.embed_texts(texts_of(saber.queries, scattered=scattered))
    gallery = embedder.embed_texts(texts_of(saber.gallery, scattered=scattered))
    scores = score_pairing(saber, queries, gallery)
    results = question_results(Label("run", embedder.name, "t2t"), saber.questions, scores)
    return {(result.metric, result.subset, result.n): result.value for result in results}


def bigrams(saber: Saber) -> Bigrams:
    return Bigrams(saber.attributes, saber.objects)


def dense(vectors: Vectors) -> "np.typing.NDArray[np.float32]":
    assert isinstance(vectors, csr_matrix)
    return np.asarray(vectors.toarray())


def test_constant_is_chance_at_every_n(full_saber: Saber) -> None:
    found = figures(full_saber, Constant())
    for n in (*SIZES, None):
        for subset in ("all", "independent", "nested"):
            assert found["mcq_accuracy", subset, n] == 25


def test_constant_ranks_in_the_worst_order(full_saber: Saber) -> None:
    found = figures(full_saber, Constant())
    positives = np.diff(full_saber.positives.starts)
    for n in SIZES:
        assert found["map", "independent", n] == pytest.approx(100 / 7200)
        nested = positives[full_saber.questions.nested & (full_saber.questions.n == n)]
        worst = [
            np.mean([rank / (7200 - count + rank) for rank in range(1, count + 1)])
            for count in nested.tolist()
        ]
        assert found["map", "nested", n] == pytest.approx(100 * np.mean(worst))
        assert found["top_four", "independent", n] == 0
    assert found["subset_above_exact", "nested", None] == 100
    assert found["subset_above_superset", "nested", None] == 100


def test_argmax_in_the_order_of_roles_would_call_constant_perfect(full_build: Build) -> None:
    """Why ties are counted as they are: the preserving candidate is made first."""
    order = "['preserving', 'attribute_swap', 'object_swap', 'joint_swap']"
    sql = f"SELECT role FROM candidates ORDER BY question_id, list_position({order}, role)"
    with connect(full_build, ("candidates",)) as connection:
        roles = np.array(connection.execute(sql).fetchall()).reshape(-1, 4)
    chosen = np.ones(roles.shape).argmax(axis=1)
    assert (roles[np.arange(len(roles)), chosen] == "preserving").all()


def test_a_bag_of_words_is_chance(full_saber: Saber) -> None:
    found = figures(full_saber, BagOfWords())
    for subset in ("all", "independent", "nested"):
        assert found["mcq_accuracy", subset, 2] == pytest.approx(100 / 3)
        assert [found["mcq_accuracy", subset, n] for n in range(3, 11)] == [25] * 8


def test_bigrams_solve_the_templated_captions(full_saber: Saber) -> None:
    found = figures(full_saber, bigrams(full_saber))
    assert [found["mcq_accuracy", "all", n] for n in (*SIZES, None)] == [100] * 10
    assert found["map", "independent", None] == 100


def test_bigrams_are_chance_on_the_scattered_captions(full_saber: Saber) -> None:
    found = figures(full_saber, bigrams(full_saber), scattered=True)
    assert [found["mcq_accuracy", "all", n] for n in (*SIZES, None)] == [25] * 10


def test_a_bag_of_words_is_chance_on_the_scattered_captions_too(full_saber: Saber) -> None:
    found = figures(full_saber, BagOfWords(), scattered=True)
    assert [found["mcq_accuracy", "all", n] for n in range(3, 11)] == [25] * 8


def test_random_is_near_chance(full_saber: Saber) -> None:
    found = figures(full_saber, Random(0))
    assert found["mcq_accuracy", "all", None] == pytest.approx(25, abs=4)
    assert found["map", "independent", None] < 1


@given(st.lists(st.text(), max_size=5), st.integers(0, 3))
def test_random_depends_on_the_text_and_the_seed_alone(texts: list[str], seed: int) -> None:
    alone = [Random(seed).embed_texts(given_texts(text))[0] for text in texts]
    together = Random(seed).embed_texts(given_texts(*texts))
    assert [row.tolist() for row in alone] == together.tolist()
    other = Random(seed + 1).embed_texts(given_texts(*texts))
    assert not texts or not (together == other).all(axis=1).any()


def test_random_depends_on_a_picture_s_content_alone() -> None:
    first = ImageInput("s1", Path("a.png"), "00ff")
    copied, other = ImageInput("s2", Path("b.png"), "00ff"), ImageInput("s3", Path("c.png"), "11ff")
    vectors = Random(0).embed_images([first, copied, other])
    assert (vectors[0] == vectors[1]).all()
    assert (vectors[0] != vectors[2]).all()


def test_a_bag_counts_words_whatever_their_case_and_order() -> None:
    vectors = BagOfWords().embed_texts(
        given_texts("A tie-dye cube.", "CUBE, a Tie-Dye!", "a tie dye cube", "cube cube")
    )
    assert (vectors[0] != vectors[1]).nnz == 0
    assert (vectors[0] != vectors[2]).nnz > 0
    assert vectors[3].data.tolist() == [2]


def test_a_word_has_the_same_column_in_every_process(repository: Path) -> None:
    script = (
        "from evaluation.embedders.baselines import BagOfWords as B\n"
        "from evaluation.embedders.embedder import TextInput as T\n"
        "print(B().embed_texts([T('k', 'a red cube')]).indices.tolist())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=repository,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(repository)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {f"{BagOfWords().embed_texts(given_texts('A RED CUBE')).indices.tolist()}\n"}


ATTRIBUTES = ["red", "light brown", "brown", "soap-bubble"]
OBJECTS = ["fire hydrant", "fire", "cube", "Kite"]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("A red cube and a brown kite.", ["red cube", "brown kite"]),
        ("A red fire hydrant.", ["red fire hydrant"]),
        ("A red fire.", ["red fire"]),
        ("A light brown fire hydrant.", ["light brown fire hydrant"]),
        ("A soap-bubble kite, a RED Kite.", ["soap-bubble kite", "red kite"]),
        ("A cube that is red.", []),
        ("A red and brown cube.", ["brown cube"]),
        ("A red brown cube.", ["brown cube"]),
        ("It is red; cube by cube.", ["red cube"]),
        ("A red cube, a red cube.", ["red cube", "red cube"]),
        ("A light cube and a soap bubble kite.", []),
        ("", []),
    ],
)
def test_bigrams_are_an_attribute_right_before_an_object(text: str, pairs: list[str]) -> None:
    embedder = Bigrams(ATTRIBUTES, OBJECTS)
    found = dense(embedder.embed_texts(given_texts(text)))[0]
    expected = sum(dense(embedder.embed_texts(given_texts(f"a {pair}")))[0] for pair in pairs)
    assert (found == expected).all()
    assert found.sum() == len(pairs)


def test_different_pairs_have_columns_of_their_own() -> None:
    texts = [f"{attribute} {thing}" for attribute in ATTRIBUTES for thing in OBJECTS]
    vectors = dense(Bigrams(ATTRIBUTES, OBJECTS).embed_texts(given_texts(*texts)))
    assert (vectors @ vectors.T == np.eye(len(texts))).all()


def test_what_decides_the_vectors_is_in_the_identity() -> None:
    assert (
        Bigrams(["red", "blue"], ["cube"]).identity == Bigrams(["blue", "red"], ["cube"]).identity
    )
    embedders: list[Embedder] = [
        Constant(),
        Random(0),
        Random(1),
        BagOfWords(),
        Bigrams(["red"], ["cube"]),
        Bigrams(["red"], ["kite"]),
    ]
    assert len({embedder.identity for embedder in embedders}) == len(embedders)


@pytest.mark.parametrize("embedder", [Constant(), BagOfWords(), Bigrams(["red"], ["cube"])])
def test_what_reads_text_embeds_no_pictures(embedder: Embedder) -> None:
    assert embedder.modalities == {"text"}
    with pytest.raises(EmbeddingError, match="embeds text, found 1 picture"):
        embedder.embed_images([ImageInput("s1", Path("a.png"), "00")])


@pytest.mark.parametrize(
    "embedder", [Constant(), Random(0), BagOfWords(), Bigrams(["red"], ["cube"]), Bigrams([], [])]
)
def test_no_texts_have_no_rows(embedder: Embedder) -> None:
    assert embedder.embed_texts([]).shape[0] == 0
