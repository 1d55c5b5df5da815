"""Rules on what a question's columns claim of its candidates, recomputed from their bindings.

Knows nothing of how a candidate of a role has to look: that is `swaps`.
"""

from collections import Counter

from artifacts.records import ROLES
from artifacts.reports import RuleReport, judge, tally
from validators.benchmark.tables import Benchmark, Candidate, Question
from validators.chance import is_plausible

_POSITIONS = range(4)


def exactly_one_correct_candidate(benchmark: Benchmark) -> RuleReport:
    """One candidate holds the query's bindings; `answer` points at it, and its role says so."""

    def check(question: Question) -> str | None:
        correct = [
            (candidate.position, candidate.role)
            for candidate in question.candidates
            if candidate.scene.binding_set == question.query.binding_set
        ]
        if correct == [(question.answer, "preserving")]:
            return None
        found = ", ".join(f"{role} at {position}" for position, role in correct) or "none"
        return f"{question.question_id}: answer {question.answer}, correct are: {found}"

    return judge("exactly_one_correct_candidate", benchmark.questions, check)


def bindings_kept_recomputed(benchmark: Benchmark) -> RuleReport:
    """`bindings_kept` is the number of the query's bindings that the candidate holds."""

    def check(slot: tuple[Question, Candidate]) -> str | None:
        question, candidate = slot
        kept = len(candidate.scene.binding_set & question.query.binding_set)
        if candidate.bindings_kept == kept:
            return None
        return f"{_name(candidate)}: bindings_kept {candidate.bindings_kept}, it holds {kept}"

    return judge("bindings_kept_recomputed", _slots(benchmark), check)


def assignments_recomputed(benchmark: Benchmark) -> RuleReport:
    """`objects_from` and `attributes_from` say where in the query each word stands."""

    def check(slot: tuple[Question, Candidate]) -> str | None:
        question, candidate = slot
        objects = _origins(candidate.scene.objects, question.query.objects)
        attributes = _origins(candidate.scene.attributes, question.query.attributes)
        if (candidate.objects_from, candidate.attributes_from) == (objects, attributes):
            return None
        return (
            f"{_name(candidate)}: objects_from {list(candidate.objects_from)}, attributes_from "
            f"{list(candidate.attributes_from)}; expected {list(objects)}, {list(attributes)}"
        )

    return judge("assignments_recomputed", _slots(benchmark), check)


def roles_spread_over_positions(benchmark: Benchmark) -> RuleReport:
    """Each role, the correct one among them, stands at each position about equally often."""
    seats = Counter((candidate.role, candidate.position) for _, candidate in _slots(benchmark))
    trials = len(benchmark.questions)
    findings = [
        f"{role} at position {position}: {seats[role, position]} of {trials} questions"
        for role in ROLES
        for position in _POSITIONS
        if not is_plausible(seats[role, position], trials, 1 / len(_POSITIONS))
    ]
    return tally("roles_spread_over_positions", len(ROLES) * len(_POSITIONS), findings)


def _slots(benchmark: Benchmark) -> list[tuple[Question, Candidate]]:
    return [
        (question, candidate)
        for question in benchmark.questions
        for candidate in question.candidates
    ]


def _origins(words: tuple[str, ...], query: tuple[str, ...]) -> tuple[int, ...]:
    places = {word: place for place, word in enumerate(query)}
    return tuple(places.get(word, -1) for word in words)


def _name(candidate: Candidate) -> str:
    return f"{candidate.question_id} position {candidate.position} ({candidate.scene.scene_id})"
