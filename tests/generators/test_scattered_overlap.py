"""What overlap alone answers, over a whole SABER: captions fully, scattered texts by chance."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from math import sqrt

from artifacts.records import Question, Scene
from artifacts.settings import BenchmarkSettings
from generators.benchmark import Benchmark, generate_benchmark
from vocab.benchmark_words import load_vocabulary

#: How much a candidate's text is like the query's.
Scorer = Callable[[str, str], float]


@cache
def saber() -> Benchmark:
    """The benchmark of the paper's size; tests only read it."""
    return generate_benchmark(BenchmarkSettings(), load_vocabulary())


def text_of(scene: Scene) -> str:
    return scene.text


def scattered_text_of(scene: Scene) -> str:
    assert scene.scattered_text is not None
    return scene.scattered_text


@cache
def adjacent_bindings(text: str) -> Counter[tuple[str, str]]:
    """Return the pairs of an attribute and the object right behind it, by the known words."""
    return Counter(_binding_pattern().findall(text.casefold()))


@cache
def _binding_pattern() -> re.Pattern[str]:
    vocabulary = load_vocabulary()
    attributes = "|".join(re.escape(attribute.name) for attribute in vocabulary.attributes)
    longest_first = sorted(vocabulary.objects, key=len, reverse=True)
    objects = "|".join(map(re.escape, longest_first))
    return re.compile(rf"(?<![\w-])({attributes})\W+({objects})(?![\w-])")


def shared_bindings(query: str, candidate: str) -> float:
    return (adjacent_bindings(query) & adjacent_bindings(candidate)).total()


@cache
def bigrams(text: str) -> Counter[tuple[str, str]]:
    return Counter(pairwise(re.findall(r"[\w-]+", text.casefold())))


def bigram_cosine(query: str, candidate: str) -> float:
    ours, theirs = bigrams(query), bigrams(candidate)
    product = sum(count * theirs[pair] for pair, count in ours.items())
    return round(product / sqrt(_square(ours) * _square(theirs)), 9)


def _square(counts: Mapping[tuple[str, str], int]) -> int:
    return sum(count * count for count in counts.values())


def credits_by_n(text: Callable[[Scene], str], scorer: Scorer) -> dict[int, list[float]]:
    """Return for every question the chance of naming its answer; k that tie at the top share it."""
    credit = defaultdict(list)
    for question, query, candidates in asked(saber()):
        scores = [scorer(text(query), text(candidate)) for candidate in candidates]
        best = max(scores)
        is_right = scores[question.answer] == best
        credit[question.n].append(is_right / scores.count(best))
    return credit


def asked(benchmark: Benchmark) -> Iterator[tuple[Question, Scene, list[Scene]]]:
    scenes = {scene.scene_id: scene for scene in benchmark.scenes}
    candidates = defaultdict(list)
    for candidate in benchmark.candidates:
        candidates[candidate.question_id].append(scenes[candidate.scene_id])
    for question in benchmark.questions:
        yield question, scenes[question.query_scene_id], candidates[question.question_id]


def test_adjacency_answers_every_question_on_the_captions() -> None:
    credit = credits_by_n(text_of, shared_bindings)
    assert credit == {n: [1] * 200 for n in range(2, 11)}


def test_adjacency_answers_none_on_the_scattered_texts_where_all_four_tie() -> None:
    credit = credits_by_n(scattered_text_of, shared_bindings)
    assert credit == {n: [0.25] * 200 for n in range(2, 11)}


def test_adjacency_finds_every_binding_of_a_caption_and_none_of_a_scattered_text() -> None:
    for scene in saber().scenes:
        pairs = [(binding.attribute, binding.object) for binding in scene.bindings]
        assert adjacent_bindings(scene.text) == Counter(pairs)
        assert not adjacent_bindings(scattered_text_of(scene))


def test_bigrams_of_all_words_are_at_chance_on_the_scattered_texts() -> None:
    credit = credits_by_n(scattered_text_of, bigram_cosine)
    # The same words are neighbours in all four, so that they tie; only of two does one candidate
    # have another word.
    assert credit == {n: [1 / 3 if n == 2 else 1 / 4] * 200 for n in range(2, 11)}


def test_bigrams_of_all_words_answer_nearly_all_on_the_captions() -> None:
    credit = credits_by_n(text_of, bigram_cosine)
    found = [value for values in credit.values() for value in values]
    assert sum(found) / len(found) > 0.95
