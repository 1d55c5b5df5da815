"""Rules on how a candidate of each role differs from the query and from the preserving one.

Section A.2 of the paper, read off the bindings alone: the stored assignment columns are no witness
here.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from artifacts.records import Role
from artifacts.reports import RuleReport, judge, tally
from validators.benchmark.tables import Benchmark, Candidate, Question, Scene
from vocab.benchmark_words import Vocabulary

#: From so many N=2 questions on, an even draw misses a kind less often than twice in a million.
_ENOUGH_REPLACEMENTS = 20


class _Swap(NamedTuple):
    question: Question
    preserving: Scene
    scene: Scene


def candidates_permute_the_query(benchmark: Benchmark) -> RuleReport:
    """A candidate has the query's objects and attributes (at N=2 all but the joint swap)."""

    def check(slot: tuple[Question, Candidate]) -> str | None:
        query, scene = slot[0].query, slot[1].scene
        has_objects = sorted(scene.objects) == sorted(query.objects)
        has_attributes = sorted(scene.attributes) == sorted(query.attributes)
        if has_objects and has_attributes:
            return None
        return (
            f"{slot[0].question_id} {slot[1].role} ({scene.scene_id}): other words than the query"
        )

    slots = (
        (question, candidate)
        for question in benchmark.questions
        for candidate in question.candidates
        if question.n > 2 or candidate.role != "joint_swap"
    )
    return judge("candidates_permute_the_query", slots, check)


def assignments_pairwise_distinct(benchmark: Benchmark) -> RuleReport:
    """From N=3 on, no two candidates of a question have the same bindings."""

    def check(question: Question) -> str | None:
        counts = Counter(candidate.scene.binding_set for candidate in question.candidates)
        alike = [c.role for c in question.candidates if counts[c.scene.binding_set] > 1]
        return f"{question.question_id}: the same bindings in {', '.join(alike)}" if alike else None

    questions = (question for question in benchmark.questions if question.n > 2)
    return judge("assignments_pairwise_distinct", questions, check)


def preserving_reorders_the_query(benchmark: Benchmark) -> RuleReport:
    """The preserving candidate lists its pairs in another order than the query."""

    def check(swap: _Swap) -> str | None:
        is_same = swap.scene.bindings == swap.question.query.bindings
        return _finding(swap, "in the query's own order") if is_same else None

    return judge("preserving_reorders_the_query", _swaps(benchmark, "preserving"), check)


def attribute_swap_moves_attributes_only(benchmark: Benchmark) -> RuleReport:
    """The attribute swap has the preserving candidate's objects in place, and other attributes."""

    def check(swap: _Swap) -> str | None:
        if swap.scene.objects != swap.preserving.objects:
            return _finding(swap, "objects not in the preserving candidate's order")
        is_unmoved = swap.scene.attributes == swap.preserving.attributes
        return _finding(swap, "attributes not moved") if is_unmoved else None

    return judge("attribute_swap_moves_attributes_only", _swaps(benchmark, "attribute_swap"), check)


def object_swap_moves_objects_only(benchmark: Benchmark) -> RuleReport:
    """The object swap has the preserving candidate's attributes in place, and other objects."""

    def check(swap: _Swap) -> str | None:
        if swap.scene.attributes != swap.preserving.attributes:
            return _finding(swap, "attributes not in the preserving candidate's order")
        is_unmoved = swap.scene.objects == swap.preserving.objects
        return _finding(swap, "objects not moved") if is_unmoved else None

    return judge("object_swap_moves_objects_only", _swaps(benchmark, "object_swap"), check)


def joint_swap_moves_both(benchmark: Benchmark) -> RuleReport:
    """From N=3 on, the joint swap differs from the preserving candidate in both orders."""

    def check(swap: _Swap) -> str | None:
        if swap.scene.objects == swap.preserving.objects:
            return _finding(swap, "objects not moved")
        is_unmoved = swap.scene.attributes == swap.preserving.attributes
        return _finding(swap, "attributes not moved") if is_unmoved else None

    swaps = (swap for swap in _swaps(benchmark, "joint_swap") if swap.question.n > 2)
    return judge("joint_swap_moves_both", swaps, check)


def joint_swap_of_two_replaces_one_word(benchmark: Benchmark) -> RuleReport:
    """At N=2, the joint swap keeps one binding and replaces one word of the other by a new one."""

    def check(swap: _Swap) -> str | None:
        if _replaced(swap) is not None:
            return None
        return _finding(swap, "not one binding kept and one new word in the other")

    return judge("joint_swap_of_two_replaces_one_word", _joint_swaps_of_two(benchmark), check)


def both_kinds_of_replacement_occur(benchmark: Benchmark) -> RuleReport:
    """Over the build, the joint swaps of N=2 replace objects and attributes."""
    swaps = _joint_swaps_of_two(benchmark)
    if len(swaps) < _ENOUGH_REPLACEMENTS:
        return tally("both_kinds_of_replacement_occur", 0, ())
    kinds = Counter(_replaced(swap) for swap in swaps)
    findings = [
        f"none of {len(swaps)} joint swaps of N=2 replaces an {kind}"
        for kind in _replaceable(benchmark.expected.vocabulary)
        if not kinds[kind]
    ]
    return tally("both_kinds_of_replacement_occur", len(swaps), findings)


def _swaps(benchmark: Benchmark, role: Role) -> Iterator[_Swap]:
    for question in benchmark.questions:
        preserving, candidate = question.candidate("preserving"), question.candidate(role)
        if preserving is not None and candidate is not None:
            yield _Swap(question, preserving.scene, candidate.scene)


def _joint_swaps_of_two(benchmark: Benchmark) -> list[_Swap]:
    return [swap for swap in _swaps(benchmark, "joint_swap") if swap.question.n == 2]


def _replaced(swap: _Swap) -> str | None:
    """Return which word of the one broken binding is new, or None where that isn't all."""
    query = swap.question.query
    broken = query.binding_set - swap.scene.binding_set
    instead = swap.scene.binding_set - query.binding_set
    if len(broken) != 1 or len(instead) != 1 or len(swap.scene.bindings) != 2:
        return None
    ((old_attribute, old_object),), ((attribute, object_),) = broken, instead
    if object_ == old_object and attribute not in query.attributes:
        return "attribute"
    if attribute == old_attribute and object_ not in query.objects:
        return "object"
    return None


def _replaceable(vocabulary: Vocabulary) -> list[str]:
    """Return the kinds of which the vocabulary has a word that a query of two lacks."""
    sizes = {"object": len(vocabulary.objects), "attribute": len(vocabulary.attributes)}
    return [kind for kind, size in sizes.items() if size > 2]


def _finding(swap: _Swap, fault: str) -> str:
    return f"{swap.question.question_id} ({swap.scene.scene_id}): {fault}"
