"""Results and outcomes of what was scored."""

import numpy as np
import pytest

from artifacts.records import Result
from evaluation.recording import (
    SCATTERED,
    Label,
    question_outcomes,
    question_results,
    triplet_outcomes,
    triplet_results,
)
from evaluation.saber import Questions
from evaluation.scoring import QuestionScores

LABEL = Label("run 1", "model 1", "t2i")
NAN = float("nan")
QUESTIONS = Questions(
    ids=("i2", "i3", "c2", "c3", "d3"),
    n=np.array([2, 3, 2, 3, 3]),
    nested=np.array([False, False, True, True, True]),
    candidates=np.zeros((5, 4), dtype=np.int64),
    answer=np.zeros(5, dtype=np.int64),
)
SCORES = QuestionScores(
    mcq_accuracy=np.array([1, 0.25, 0, 1, 0]),
    map=np.array([1, 0.5, 0.2, 0.1, 0.3]),
    subset_above_exact=np.array([NAN, NAN, NAN, 1, 0.5]),
    subset_above_superset=np.full(5, NAN),
    top_four=np.array([1, 0, NAN, NAN, NAN]),
)


def figures(results: list[Result], metric: str) -> dict[tuple[str, int | None], float]:
    return {
        (result.subset, result.n): result.value for result in results if result.metric == metric
    }


def test_figures_by_subset_and_n_and_every_n_alike() -> None:
    found = figures(question_results(LABEL, QUESTIONS, SCORES), "mcq_accuracy")
    assert found == pytest.approx(
        {
            ("all", 2): 50,
            ("all", 3): 125 / 3,
            ("all", None): (50 + 125 / 3) / 2,
            ("independent", 2): 100,
            ("independent", 3): 25,
            ("independent", None): 62.5,
            ("nested", 2): 0,
            ("nested", 3): 50,
            ("nested", None): 25,
        }
    )


def test_a_metric_is_given_where_it_is_defined() -> None:
    results = question_results(LABEL, QUESTIONS, SCORES)
    assert figures(results, "subset_above_exact") == {("nested", 3): 75, ("nested", None): 75}
    assert figures(results, "subset_above_superset") == {}
    assert figures(results, "top_four") == {
        ("independent", 2): 100,
        ("independent", 3): 0,
        ("independent", None): 50,
    }


def test_figures_are_the_means_of_the_outcomes() -> None:
    outcomes = question_outcomes(LABEL, QUESTIONS, SCORES)
    size = dict(zip(QUESTIONS.ids, QUESTIONS.n.tolist(), strict=True))
    for result in question_results(LABEL, QUESTIONS, SCORES):
        if result.n is not None and result.subset == "all":
            values = [
                outcome.value
                for outcome in outcomes
                if (outcome.metric, size[outcome.item]) == (result.metric, result.n)
            ]
            assert result.value == pytest.approx(np.mean(values))


def test_outcomes_are_of_the_questions_that_were_asked() -> None:
    outcomes = question_outcomes(LABEL, QUESTIONS, SCORES)
    values = {(outcome.metric, outcome.item): outcome.value for outcome in outcomes}
    assert len(values) == len(outcomes) == 5 + 5 + 2 + 2
    assert values["mcq_accuracy", "i3"] == 25
    assert values["subset_above_exact", "d3"] == 50
    assert {(one.run, one.model, one.pairing) for one in outcomes} == {("run 1", "model 1", "t2i")}


def test_scattered_captions_have_metrics_of_their_own() -> None:
    plain = question_results(LABEL, QUESTIONS, SCORES)
    scattered = question_results(LABEL, QUESTIONS, SCORES, SCATTERED)
    assert [one.metric for one in scattered] == [f"scattered_{one.metric}" for one in plain]
    assert [one.value for one in scattered] == [one.value for one in plain]
    outcomes = question_outcomes(LABEL, QUESTIONS, SCORES, SCATTERED)
    assert all(outcome.metric.startswith("scattered_") for outcome in outcomes)


def test_triplets_have_one_figure_and_an_outcome_each() -> None:
    credit = np.array([1, 0.5, 0, 1])
    (result,) = triplet_results("run 1", "model 1", "deferred_bind_anaphoric", credit)
    assert result.metric == "triplet_accuracy_deferred_bind_anaphoric"
    assert (result.pairing, result.n, result.subset, result.value) == ("t2t", None, "all", 62.5)
    items = ["a/attribute", "a/object", "b/attribute", "b/object"]
    outcomes = triplet_outcomes("run 1", "model 1", "test", items, credit)
    assert [(one.item, one.value) for one in outcomes] == list(
        zip(items, [100, 50, 0, 100], strict=True)
    )
    assert {one.metric for one in outcomes} == {"triplet_accuracy_test"}


def test_no_triplets_have_no_figure() -> None:
    assert triplet_results("run 1", "model 1", "test", np.array([])) == []
