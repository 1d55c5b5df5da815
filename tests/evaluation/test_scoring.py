"""One pairing scored as a whole, against everything computed one by one."""

from dataclasses import fields, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from artifacts.errors import EmbeddingError
from evaluation import cosine
from evaluation.ragged import Ragged, ragged
from evaluation.saber import Saber, Scenes
from evaluation.scoring import QuestionScores, score_pairing
from tests.evaluation.references import cosines, slow_average_precision, slow_credit

Floats = NDArray[np.float32]


def drawn(saber: Saber, seed: int, dimensions: int = 6) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    sizes = (len(saber.queries.ids), len(saber.gallery.ids))
    queries, gallery = (rng.standard_normal((size, dimensions), dtype=np.float32) for size in sizes)
    return queries, gallery


def adversarial(saber: Saber) -> tuple[Floats, Floats]:
    """Return vectors of which each query's farthest are its positives, by a hair."""
    queries, gallery = drawn(saber, 3)
    queries[:] = queries[0]
    gallery[:] = queries[0]
    gallery[saber.positives.items, 0] += np.float32(1e-3)
    return queries, gallery


def coarse(saber: Saber) -> tuple[Floats, Floats]:
    """Return vectors that are tied with many others."""
    queries, gallery = (np.sign(vectors[:, :2]) for vectors in drawn(saber, 4))
    return queries, gallery


def reversed_bindings(saber: Saber) -> tuple[Floats, Floats]:
    """Return vectors of which each query's best are those that don't answer it."""
    rows = np.eye(len(saber.queries.ids), dtype=np.float32)
    gallery = np.ones((len(saber.gallery.ids), len(rows)), dtype=np.float32)
    gallery[saber.positives.items, saber.positives.row_of_items()] = -1
    return rows, gallery


VECTORS = {
    "random": lambda saber: drawn(saber, 1),
    "constant": lambda saber: tuple(np.ones_like(one) for one in drawn(saber, 1)),
    "coarse": coarse,
    "adversarial": adversarial,
    "reversed": reversed_bindings,
}


def slow_scores(saber: Saber, queries: Floats, gallery: Floats) -> QuestionScores:
    lines = []
    questions = saber.questions
    for query, exactly in enumerate(cosines(queries, gallery)):
        scores = [round(score, 10) for score in exactly]
        presented = questions.candidates[query].tolist()
        exact = presented[questions.answer[query]]
        below, above = saber.subsets.row(query).tolist(), saber.supersets.row(query).tolist()
        others = [score for item, score in enumerate(scores) if item not in presented]
        nested = questions.nested[query]
        lines.append(
            (
                slow_credit([exactly[item] for item in presented], questions.answer[query]),
                slow_average_precision(scores, set(saber.positives.row(query).tolist())),
                slow_share(scores, below, [exact]) if nested else np.nan,
                slow_share(scores, below, above) if nested else np.nan,
                np.nan if nested else max(others) < min(scores[item] for item in presented),
            )
        )
    return QuestionScores(*np.array(lines, dtype=np.float64).T)


def slow_share(scores: list[float], wrong: list[int], right: list[int]) -> float:
    pairs = [scores[one] >= scores[other] for one in wrong for other in right]
    return sum(pairs) / len(pairs) if pairs else np.nan


def assert_equal(found: QuestionScores, expected: QuestionScores, tolerance: float = 1e-9) -> None:
    for field in fields(QuestionScores):
        np.testing.assert_allclose(
            getattr(found, field.name),
            getattr(expected, field.name),
            rtol=0,
            atol=tolerance,
            err_msg=field.name,
        )


@pytest.mark.parametrize("name", VECTORS)
def test_every_score_is_the_one_computed_by_itself(name: str, small_saber: Saber) -> None:
    vectors = VECTORS[name](small_saber)
    assert_equal(score_pairing(small_saber, *vectors), slow_scores(small_saber, *vectors))


@pytest.mark.parametrize("name", ["random", "coarse"])
def test_with_many_positives_too(name: str, small_saber: Saber) -> None:
    rng = np.random.default_rng(5)
    size = len(small_saber.gallery.ids)
    mask = rng.random((len(small_saber.queries.ids), size)) < 0.5
    mask[np.arange(len(mask)), small_saber.questions.exact] = True
    asked, found = np.nonzero(mask)
    crowded = replace(small_saber, positives=ragged(asked, found, len(mask)))
    vectors = VECTORS[name](small_saber)
    assert_equal(score_pairing(crowded, *vectors), slow_scores(crowded, *vectors))


@pytest.mark.parametrize("name", VECTORS)
def test_blocks_change_nothing(
    name: str, small_saber: Saber, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = VECTORS[name](small_saber)
    whole = score_pairing(small_saber, *vectors)
    monkeypatch.setattr(cosine, "_BLOCK_SCORES", 3 * len(small_saber.gallery.ids))
    assert_equal(score_pairing(small_saber, *vectors), whole, tolerance=0)


def shuffled(saber: Saber, order: NDArray[np.int64]) -> Saber:
    """Return the benchmark with the gallery in another order."""
    places = np.argsort(order)

    def moved(pairs: Ragged) -> Ragged:
        return ragged(pairs.row_of_items(), places[pairs.items], len(pairs))

    ids = tuple(saber.gallery.ids[item] for item in order)
    texts = tuple(saber.gallery.texts[item] for item in order)
    return replace(
        saber,
        questions=replace(saber.questions, candidates=places[saber.questions.candidates]),
        gallery=Scenes(ids, texts, None),
        positives=moved(saber.positives),
        subsets=moved(saber.subsets),
        supersets=moved(saber.supersets),
    )


@pytest.mark.parametrize("name", VECTORS)
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_gallery_changes_nothing(name: str, seed: int, small_saber: Saber) -> None:
    queries, gallery = VECTORS[name](small_saber)
    order = np.random.default_rng(seed).permutation(len(gallery))
    found = score_pairing(shuffled(small_saber, order), queries, gallery[order])
    assert_equal(found, score_pairing(small_saber, queries, gallery))


@pytest.mark.parametrize("name", VECTORS)
def test_the_length_of_vectors_changes_nothing(name: str, small_saber: Saber) -> None:
    queries, gallery = VECTORS[name](small_saber)
    rng = np.random.default_rng(6)
    longer, shorter = (
        (vectors * 2.0 ** rng.integers(-20, 20, (len(vectors), 1))).astype(np.float32)
        for vectors in (queries, gallery)
    )
    assert_equal(
        score_pairing(small_saber, longer, shorter), score_pairing(small_saber, queries, gallery)
    )


def test_the_worst_and_the_best_embedder(small_saber: Saber) -> None:
    queries, gallery = reversed_bindings(small_saber)
    worst = score_pairing(small_saber, queries, gallery)
    best = score_pairing(small_saber, queries, -gallery)
    assert not worst.mcq_accuracy.any()
    assert np.nanmean(worst.subset_above_superset) == np.nanmean(worst.subset_above_exact) == 1
    assert best.mcq_accuracy.all()
    np.testing.assert_array_equal(best.map, 1)
    assert np.nanmax(best.subset_above_superset) == np.nanmax(best.subset_above_exact) == 0


def test_containment_is_asked_of_nested_questions_only(small_saber: Saber) -> None:
    scores = score_pairing(small_saber, *drawn(small_saber, 1))
    nested = small_saber.questions.nested
    assert np.isnan(scores.top_four).tolist() == nested.tolist()
    assert np.isnan(scores.subset_above_exact[~nested]).all()
    asked = nested & (np.diff(small_saber.subsets.starts) > 0)
    assert np.isnan(scores.subset_above_exact).tolist() == (~asked).tolist()


def test_another_number_of_vectors_is_refused(small_saber: Saber) -> None:
    queries, gallery = drawn(small_saber, 1)
    with pytest.raises(EmbeddingError, match=r"vectors of queries, found"):
        score_pairing(small_saber, queries[1:], gallery)
    with pytest.raises(EmbeddingError, match=r"vectors of the gallery, found"):
        score_pairing(small_saber, queries, gallery[1:])
