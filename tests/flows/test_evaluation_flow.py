"""What the evaluation flow tells of its runs."""

from artifacts.records import Result
from flows.stages.evaluation import EvaluatedRun
from flows.stages.runs import RunRecord


def result(metric: str, value: float, n: int | None = None, subset: str = "all") -> Result:
    return Result.model_validate(
        {
            "run": "one",
            "model": "minilm",
            "pairing": "t2t",
            "metric": metric,
            "n": n,
            "subset": subset,
            "value": value,
        }
    )


def evaluated(*results: Result) -> EvaluatedRun:
    record = RunRecord(settings={}, inputs={}, facts={"model": "minilm"})
    return EvaluatedRun("one", record, list(results), built=True)


def test_a_summary_tells_the_test_split_from_the_held_out_constructions() -> None:
    from flows.evaluation import summary_rows

    parts = {"test": 91.4, "deferred_bind_anaphoric": 50, "deferred_bind_respective": 43}
    triplets = [result(f"triplet_accuracy_{part}", value) for part, value in parts.items()]
    (row,) = summary_rows(
        [evaluated(result("mcq_accuracy", 93.25), result("mcq_accuracy", 99, n=2), *triplets)]
    )
    assert row == {
        "embedder": "minilm",
        "pairing": "t2t",
        "MCQ": "93.2",
        "mAP": "-",
        "nested mAP": "-",
        "scattered MCQ": "-",
        "test triplets": "91.4",
        "held-out": "46.5",
    }


def test_a_mean_of_half_the_constructions_is_none() -> None:
    from flows.evaluation import summary_rows

    half = result("triplet_accuracy_deferred_bind_anaphoric", 50)
    (row,) = summary_rows([evaluated(half)])
    assert row["held-out"] == "-"
