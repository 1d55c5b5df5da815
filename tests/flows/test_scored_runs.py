"""What a whole run scores, and under which names."""

from artifacts.model_settings import EvaluationSettings, TrainingSettings
from flows.stages.runs import RunRecord
from flows.stages.scored_runs import Trained, as_trained, scored_runs, to_be_trained
from flows.stages.training import TrainedRun

SHARED = EvaluationSettings(triplets=7, run="told")
QWEN = Trained("mine", "org/model", revision="abc123", instruction="Find: ")


def named(trained: Trained | None, *embedders: str) -> list[tuple[str, str | None]]:
    return [(each.embedder, each.run) for each in scored_runs(SHARED, embedders, trained)]


def test_each_goes_under_its_own_name_with_what_is_shared() -> None:
    first, second = scored_runs(SHARED, ["bag-of-words", "bigrams"], None)
    assert (first.embedder, first.run, first.triplets) == ("bag-of-words", None, 7)
    assert (second.embedder, second.run, second.triplets) == ("bigrams", None, 7)


def test_a_packaged_base_that_nothing_was_put_before_is_scored_as_it_is() -> None:
    trained = Trained("demo", "minilm", revision=None, instruction=None)
    after = [("trained:demo/unscaled", None), ("trained:demo", None)]
    assert named(trained, "minilm") == [("minilm", None), *after]


def test_a_base_is_scored_as_it_was_trained_on_beside_what_it_is_now() -> None:
    now, before, *_ = scored_runs(SHARED, ["st:org/model"], QWEN)
    assert (now.embedder, now.run, now.revision, now.instruction) == ("st:org/model",) + (None,) * 3
    assert (before.embedder, before.run) == ("st:org/model", "mine-base")
    assert (before.revision, before.instruction) == ("abc123", "Find: ")


def test_an_instruction_for_all_goes_before_the_base_s_too() -> None:
    shared = SHARED.model_copy(update={"instruction": "Match: "})
    before, *_ = scored_runs(shared, [], QWEN)
    assert before.instruction == "Match: "


def test_what_was_trained_is_read_from_its_record() -> None:
    settings: dict[str, object] = {"instruction": "Find: "}
    facts: dict[str, object] = {"base": "org/model", "revision": "abc123", "prompt": "Find: "}
    record = RunRecord.model_validate({"settings": settings, "inputs": {}, "facts": facts})
    assert as_trained(TrainedRun("mine", record, [], built=True)) == QWEN


def test_what_will_be_trained_is_the_preset_s() -> None:
    planned = to_be_trained(TrainingSettings(run="mine", preset="qwen3-vl-2b"))
    assert planned == Trained("mine", "Qwen/Qwen3-VL-Embedding-2B", None, None)
