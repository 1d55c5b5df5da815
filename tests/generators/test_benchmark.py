"""The whole benchmark as records: what each question, scene and positive has to be."""

from collections import Counter, defaultdict
from functools import cache
from itertools import pairwise

import pytest

from artifacts.errors import GenerationError
from artifacts.records import ROLES, Candidate, Question, Scene
from artifacts.settings import BenchmarkSettings
from generators.benchmark import Benchmark, generate_benchmark
from tests.generators.toys import toy_vocabulary
from vocab.benchmark_words import load_vocabulary

PACKAGED = BenchmarkSettings(independent_per_n=6, chains=6)


@cache
def packaged() -> Benchmark:
    """A small benchmark of every N on the packaged words; tests only read it."""
    return generate_benchmark(PACKAGED, load_vocabulary())


def scenes_of(benchmark: Benchmark) -> dict[str, Scene]:
    return {scene.scene_id: scene for scene in benchmark.scenes}


def bindings_of(scene: Scene) -> frozenset[tuple[str, str]]:
    return frozenset((binding.attribute, binding.object) for binding in scene.bindings)


def candidates_of(benchmark: Benchmark) -> dict[str, list[Candidate]]:
    found = defaultdict(list)
    for candidate in benchmark.candidates:
        found[candidate.question_id].append(candidate)
    return found


def looks_of(benchmark: Benchmark, group: str) -> dict[str, set[str]]:
    """Return the looks of each attribute over the questions of a chain, or over one question."""
    looks = defaultdict(set)
    for scene in benchmark.scenes:
        if group in scene.scene_id:
            phrases = [line[2:] for line in scene.image_prompt.splitlines() if line[:2] == "- "]
            for binding, phrase in zip(scene.bindings, phrases, strict=True):
                looks[binding.attribute].add(phrase.removesuffix(f" {binding.object}"))
    return looks


def assert_one_positive(benchmark: Benchmark, question: Question) -> None:
    (positive,) = (r.scene_id for r in benchmark.relevance if r.question_id == question.question_id)
    assert positive == f"{question.question_id}-{question.answer}"


def test_counts() -> None:
    benchmark = packaged()
    assert len(benchmark.questions) == 9 * 12
    assert len(benchmark.candidates) == 4 * len(benchmark.questions)
    assert len(benchmark.scenes) == 5 * len(benchmark.questions)


def test_each_question_shows_each_role_once_and_its_answer_is_the_preserving_one() -> None:
    candidates = candidates_of(packaged())
    for question in packaged().questions:
        found = candidates[question.question_id]
        assert [candidate.position for candidate in found] == [0, 1, 2, 3]
        assert sorted(candidate.role for candidate in found) == sorted(ROLES)
        assert found[question.answer].role == "preserving"


def test_columns_say_what_the_scenes_hold() -> None:
    scenes, candidates = scenes_of(packaged()), candidates_of(packaged())
    for question in packaged().questions:
        query = scenes[question.query_scene_id]
        assert question.n == len(query.bindings)
        for candidate in candidates[question.question_id]:
            scene = scenes[candidate.scene_id]
            assert candidate.bindings_kept == len(bindings_of(scene) & bindings_of(query))
            for binding, thing, look in zip(
                scene.bindings, candidate.objects_from, candidate.attributes_from, strict=True
            ):
                known = {q.object for q in query.bindings}
                assert (
                    (query.bindings[thing].object == binding.object)
                    if thing >= 0
                    else (binding.object not in known)
                )
                assert look < 0 or query.bindings[look].attribute == binding.attribute


def test_of_two_the_fourth_candidate_brings_one_word_that_is_new() -> None:
    benchmark = generate_benchmark(
        BenchmarkSettings(n_max=2, independent_per_n=100, chains=0), load_vocabulary()
    )
    scenes, kinds = scenes_of(benchmark), Counter[str]()
    confusable = load_vocabulary().confusable
    for question in benchmark.questions:
        query = scenes[question.query_scene_id]
        words = {word for pair in bindings_of(query) for word in pair}
        (fourth,) = (
            scenes[candidate.scene_id]
            for candidate in benchmark.candidates
            if candidate.question_id == question.question_id and candidate.role == "joint_swap"
        )
        ((look, thing),) = bindings_of(fourth) - bindings_of(query)
        assert (look in words) != (thing in words)
        assert not any(thing in confusable.get(word, ()) for word in words)
        kinds["object" if look in words else "attribute"] += 1
    assert min(kinds["object"], kinds["attribute"]) > 25


def test_relevance_is_containment_over_the_whole_gallery() -> None:
    benchmark, scenes = packaged(), scenes_of(packaged())
    gallery = [candidate.scene_id for candidate in benchmark.candidates]
    expected = {
        (question.question_id, scene_id)
        for question in benchmark.questions
        for scene_id in gallery
        if bindings_of(scenes[question.query_scene_id]) <= bindings_of(scenes[scene_id])
    }
    found = [(row.question_id, row.scene_id) for row in benchmark.relevance]
    assert set(found) == expected
    assert len(found) == len(expected)


@pytest.mark.parametrize("seed", range(25))
def test_an_independent_query_has_one_positive_even_where_words_are_few(seed: int) -> None:
    settings = BenchmarkSettings(seed=seed, n_max=3)
    benchmark = generate_benchmark(settings, toy_vocabulary(12, 11))
    positives = Counter(row.question_id for row in benchmark.relevance)
    for question in benchmark.questions:
        assert positives[question.question_id] == 1 or question.subset == "nested"


def test_a_nested_query_has_its_own_and_its_chain_s_later_positives() -> None:
    listed = {(row.question_id, row.scene_id) for row in packaged().relevance}
    nested = [question for question in packaged().questions if question.subset == "nested"]
    for question in nested:
        later = [q for q in nested if q.chain_id == question.chain_id and q.n >= question.n]
        assert len(later) == 11 - question.n
        for other in later:
            assert (question.question_id, f"{other.question_id}-{other.answer}") in listed


def test_independent_questions_have_no_chain_and_exactly_their_own_positive() -> None:
    for question in packaged().questions:
        if question.subset == "independent":
            assert question.chain_id is None
            assert_one_positive(packaged(), question)


def test_captions_and_prompt_tell_of_the_same_pairs() -> None:
    for scene in packaged().scenes:
        assert scene.text.endswith(".")
        assert scene.generation_text in scene.image_prompt
        for binding in scene.bindings:
            assert f" {binding.attribute} {binding.object}" in scene.text
            assert f" {binding.object}" in scene.generation_text


def test_an_attribute_has_one_look_in_a_question_and_along_a_chain() -> None:
    benchmark = generate_benchmark(
        BenchmarkSettings(n_max=5, independent_per_n=5, chains=5), toy_vocabulary(30, 30, forms=9)
    )
    groups = {question.chain_id or question.question_id for question in benchmark.questions}
    drawn = Counter[str]()
    for group in groups:
        for looks in looks_of(benchmark, group).values():
            assert len(looks) == 1
            drawn.update(look.split()[0] for look in looks)
    assert len(drawn) == 9, "every form comes up"


def test_an_added_binding_changes_no_earlier_look() -> None:
    vocabulary = toy_vocabulary(30, 30, forms=9)
    settings = BenchmarkSettings(n_max=6, independent_per_n=0, chains=20)
    benchmark = generate_benchmark(settings, vocabulary)
    for number in range(20):
        steps = [looks_of(benchmark, f"n{n:02}-c{number:03}") for n in settings.sizes]
        for before, after in pairwise(steps):
            shared = before.keys() & after.keys()
            assert len(shared) >= len(before) - 1, "a replacement of N = 2 alone may be missing"
            assert all(before[look] == after[look] for look in shared)


def test_chains_draw_their_looks_apart() -> None:
    settings = BenchmarkSettings(n_max=2, independent_per_n=0, chains=200)
    benchmark = generate_benchmark(settings, toy_vocabulary(40, 3, forms=9))
    looks = Counter(
        next(iter(looks_of(benchmark, f"c{number:03}").get("look0", {"none"})))
        for number in range(200)
    )
    assert len(looks) >= 9


def test_presented_order_and_flips_are_fair() -> None:
    settings = BenchmarkSettings(n_max=4, independent_per_n=200, chains=0)
    benchmark = generate_benchmark(settings, toy_vocabulary(200, 100))
    seats = Counter((candidate.role, candidate.position) for candidate in benchmark.candidates)
    assert len(seats) == 16
    assert all(100 < count < 200 for count in seats.values()), "expected about 150 of 600"
    assert 1_350 < sum(scene.flip for scene in benchmark.scenes) < 1_650


def test_the_same_seed_gives_the_same_records_and_another_other_questions() -> None:
    again = generate_benchmark(PACKAGED, load_vocabulary())
    assert again == packaged()
    other = generate_benchmark(PACKAGED.model_copy(update={"seed": 1}), load_vocabulary())
    assert not {scene.text for scene in other.scenes} & {scene.text for scene in again.scenes}


def test_a_smaller_build_is_a_part_of_a_larger_one() -> None:
    """Draws derive from what is drawn: more chains leave the independent questions alone."""
    fewer = generate_benchmark(PACKAGED.model_copy(update={"chains": 0}), load_vocabulary())
    assert fewer.scenes == [s for s in packaged().scenes if "-i" in s.scene_id]


@pytest.mark.parametrize("subset", ["independent_per_n", "chains"])
def test_without_a_word_to_replace_the_question_is_impossible(subset: str) -> None:
    sizes = {"independent_per_n": 0, "chains": 0, subset: 1}
    with pytest.raises(GenerationError, match="expected four candidates for n02-"):
        generate_benchmark(BenchmarkSettings(n_max=2, **sizes), toy_vocabulary(2, 2))


@pytest.mark.parametrize(("objects", "attributes", "kind"), [(3, 2, "object"), (2, 3, "attribute")])
def test_the_one_word_left_is_the_one_that_replaces(
    objects: int, attributes: int, kind: str
) -> None:
    settings = BenchmarkSettings(n_max=2, independent_per_n=1, chains=0)
    benchmark = generate_benchmark(settings, toy_vocabulary(objects, attributes))
    (fourth,) = (c for c in benchmark.candidates if c.role == "joint_swap")
    replaced = "object" if -1 in fourth.objects_from else "attribute"
    assert replaced == kind
