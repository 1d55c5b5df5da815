"""SABER from settings: questions, candidates, scenes and relevance (section 3, appendix A).

A pure function of settings and vocabulary. Knows records; opens no file.
"""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from artifacts.errors import GenerationError
from artifacts.records import Binding, Candidate, Question, Relevance, Scene
from artifacts.seeds import derive_random
from artifacts.settings import BenchmarkSettings
from generators.captions import caption
from generators.gallery import Bound, holders
from generators.image_prompts import image_prompt
from generators.queries import Query, QueryPlan, sample_queries
from generators.questions import NEW, Assignment, sample_candidates
from generators.scattered import scattered_caption
from vocab.benchmark_words import Vocabulary

#: Replacement words that may be tried for one question of two bindings.
_REPLACEMENTS = 50


@dataclass(slots=True)
class Benchmark:
    """The records of a build, in the order in which they are stored."""

    questions: list[Question] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    scenes: list[Scene] = field(default_factory=list)
    relevance: list[Relevance] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Newcomer:
    """The words that may replace one of the query's at N = 2; None where there is none."""

    attribute: str | None
    object: str | None


class _Realisation:
    """Turns bindings into scenes, instantiating each attribute once per group (section A.3)."""

    def __init__(self, settings: BenchmarkSettings, vocabulary: Vocabulary) -> None:
        self._seed = settings.seed
        self._is_scattered = settings.scattered
        self._forms: Mapping[str, tuple[str, ...]] = {
            attribute.name: attribute.forms for attribute in vocabulary.attributes
        }
        self._chosen: dict[tuple[str, str], str] = {}
        # A binding recurs in the scenes of its question: held and checked once.
        self._bindings: dict[Bound, Binding] = {}

    def scene(self, scene_id: str, group: str, bindings: Iterable[Bound], flip: bool) -> Scene:
        """Return the scene of these bindings."""
        pairs = list(bindings)
        looks = [f"{self._form(group, attribute)} {thing}" for attribute, thing in pairs]
        generation_text = caption(looks)
        return Scene(
            scene_id=scene_id,
            bindings=[self._binding(pair) for pair in pairs],
            text=caption(f"{attribute} {thing}" for attribute, thing in pairs),
            generation_text=generation_text,
            image_prompt=image_prompt(generation_text, looks),
            flip=flip,
            scattered_text=scattered_caption(pairs) if self._is_scattered else None,
        )

    def _binding(self, bound: Bound) -> Binding:
        if bound not in self._bindings:
            attribute, thing = bound
            self._bindings[bound] = Binding(attribute=attribute, object=thing)
        return self._bindings[bound]

    def _form(self, group: str, attribute: str) -> str:
        """Draw from the group and the attribute alone: an added binding changes no other look."""
        key = (group, attribute)
        if key not in self._chosen:
            forms = self._forms[attribute]
            rng = derive_random(self._seed, "form", group, attribute)
            self._chosen[key] = rng.choice(forms)
        return self._chosen[key]


def generate_benchmark(settings: BenchmarkSettings, vocabulary: Vocabulary) -> Benchmark:
    """Return the whole benchmark; raises GenerationError if the words don't suffice."""
    plan = sample_queries(settings, vocabulary)
    realisation = _Realisation(settings, vocabulary)
    benchmark = Benchmark()
    for query in plan.queries:
        _add_question(benchmark, query, plan, realisation, settings.seed, vocabulary)
    benchmark.relevance = _relevance(benchmark, plan.queries)
    return benchmark


def _add_question(
    benchmark: Benchmark,
    query: Query,
    plan: QueryPlan,
    realisation: _Realisation,
    seed: int,
    vocabulary: Vocabulary,
) -> None:
    rng = derive_random(seed, "question", query.question_id)
    candidates = _candidates(rng, query, plan, vocabulary)
    rng.shuffle(candidates)
    name, flip = query.question_id, rng.random
    query_scene_id = f"{name}-q"
    benchmark.scenes.append(
        realisation.scene(query_scene_id, query.group, query.bindings, flip() < 0.5)
    )
    for position, (assignment, bindings) in enumerate(candidates):
        scene_id = f"{name}-{position}"
        benchmark.scenes.append(realisation.scene(scene_id, query.group, bindings, flip() < 0.5))
        benchmark.candidates.append(_candidate(name, position, scene_id, assignment))
    roles = [assignment.role for assignment, _ in candidates]
    benchmark.questions.append(
        Question(
            question_id=name,
            n=len(query.bindings),
            subset="nested" if query.chain_id else "independent",
            chain_id=query.chain_id,
            query_scene_id=query_scene_id,
            answer=roles.index("preserving"),
        )
    )


def _candidate(name: str, position: int, scene_id: str, assignment: Assignment) -> Candidate:
    return Candidate(
        question_id=name,
        position=position,
        role=assignment.role,
        scene_id=scene_id,
        bindings_kept=assignment.bindings_kept,
        objects_from=list(assignment.objects_from),
        attributes_from=list(assignment.attributes_from),
    )


def _candidates(
    rng: random.Random, query: Query, plan: QueryPlan, vocabulary: Vocabulary
) -> list[tuple[Assignment, list[Bound]]]:
    """Draw the four candidates; none of them may be a second positive of an independent query."""
    own = frozenset(query.bindings)
    for _ in range(_REPLACEMENTS):
        newcomer = _draw_newcomer(rng, query, vocabulary)

        def admits(assignment: Assignment, newcomer: _Newcomer = newcomer) -> bool:
            bindings = _bind(assignment, query, newcomer)
            if bindings is None:
                return False
            return all(held == own for held in plan.exclusive.held_by(frozenset(bindings)))

        assignments = sample_candidates(rng, len(query.bindings), admits)
        if assignments is not None:
            return [
                (assignment, _bind(assignment, query, newcomer) or []) for assignment in assignments
            ]
    raise GenerationError(
        f"expected four candidates for {query.question_id} that answer no other query, found "
        "none: add objects or attributes, or ask for fewer questions"
    )


def _draw_newcomer(rng: random.Random, query: Query, vocabulary: Vocabulary) -> _Newcomer:
    """Draw words that the query lacks; only questions of two bindings use them."""
    if len(query.bindings) != 2:
        return _Newcomer(None, None)
    attributes = {attribute for attribute, _ in query.bindings}
    barred = {thing for _, thing in query.bindings}
    for thing in tuple(barred):
        barred |= vocabulary.confusable.get(thing, frozenset())
    names = [attribute.name for attribute in vocabulary.attributes]
    return _Newcomer(
        _choose_other(rng, [name for name in names if name not in attributes]),
        _choose_other(rng, [thing for thing in vocabulary.objects if thing not in barred]),
    )


def _choose_other(rng: random.Random, words: list[str]) -> str | None:
    return rng.choice(words) if words else None


def _bind(assignment: Assignment, query: Query, newcomer: _Newcomer) -> list[Bound] | None:
    """Return the words of an assignment; None where it needs a newcomer that doesn't exist."""
    bindings: list[Bound] = []
    for object_from, attribute_from in zip(
        assignment.objects_from, assignment.attributes_from, strict=True
    ):
        attribute = newcomer.attribute
        if attribute_from != NEW:
            attribute = query.bindings[attribute_from][0]
        thing = newcomer.object if object_from == NEW else query.bindings[object_from][1]
        if attribute is None or thing is None:
            return None
        bindings.append((attribute, thing))
    return bindings


def _relevance(benchmark: Benchmark, queries: Iterable[Query]) -> list[Relevance]:
    """Every positive of every query, computed over the whole gallery (section A.5)."""
    by_id = {scene.scene_id: scene for scene in benchmark.scenes}
    gallery = [candidate.scene_id for candidate in benchmark.candidates]
    scenes = [
        [(binding.attribute, binding.object) for binding in by_id[scene_id].bindings]
        for scene_id in gallery
    ]
    asked = list(queries)
    found = holders([frozenset(query.bindings) for query in asked], scenes)
    return [
        Relevance(question_id=query.question_id, scene_id=gallery[index])
        for query, positives in zip(asked, found, strict=True)
        for index in positives
    ]
