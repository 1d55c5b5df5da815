"""Rules on the retrieval gallery: who is a positive of whom.

Knows the positives as found from the bindings; how they are found is `positives`.
"""

from artifacts.reports import RuleReport, judge, tally
from validators.benchmark.tables import Benchmark, Question


def relevance_is_containment(benchmark: Benchmark) -> RuleReport:
    """The relevance table lists the positives, all of them and nothing else."""
    rows = benchmark.connection.execute("SELECT question_id, scene_id FROM relevance").fetchall()
    listed: set[tuple[str, str]] = set(rows)
    positives = {
        (question_id, scene_id)
        for question_id, scenes in benchmark.positives.items()
        for scene_id in scenes
    }
    findings = [
        *(f"{question}: {scene} is listed, no positive" for question, scene in listed - positives),
        *(f"{question}: {scene} is a positive, unlisted" for question, scene in positives - listed),
    ]
    return tally("relevance_is_containment", len(positives | listed), sorted(findings))


def independent_query_has_one_positive(benchmark: Benchmark) -> RuleReport:
    """In the whole gallery, only its own preserving candidate answers an independent query."""

    def check(question: Question) -> str | None:
        found = benchmark.positives.get(question.question_id, frozenset())
        if len(found) == 1 and found == _preserving_scenes((question,)):
            return None
        return f"{question.question_id}: positives {', '.join(sorted(found)) or 'none'}"

    questions = (question for question in benchmark.questions if question.subset == "independent")
    return judge("independent_query_has_one_positive", questions, check)


def nested_query_has_later_positives(benchmark: Benchmark) -> RuleReport:
    """The preserving candidates of a nested query and of all later steps are its positives."""

    def check(step: tuple[Question, tuple[Question, ...]]) -> str | None:
        question, steps = step
        found = benchmark.positives.get(question.question_id, frozenset())
        missing = _preserving_scenes(steps) - found
        return f"{question.question_id}: not {', '.join(sorted(missing))}" if missing else None

    steps = (
        (question, chain[place:])
        for chain in benchmark.chains.values()
        for place, question in enumerate(chain)
    )
    return judge("nested_query_has_later_positives", steps, check)


def _preserving_scenes(questions: tuple[Question, ...]) -> set[str]:
    preserving = (question.candidate("preserving") for question in questions)
    return {candidate.scene.scene_id for candidate in preserving if candidate is not None}
