"""Which queries are asked: sizes, words, chains, and that no two get in each other's way."""

import time
from collections import Counter
from itertools import combinations, pairwise
from math import factorial

import pytest

from artifacts.errors import GenerationError
from artifacts.settings import BenchmarkSettings
from generators.queries import Query, sample_queries
from tests.generators.toys import toy_vocabulary
from vocab.benchmark_words import Vocabulary, load_vocabulary

SMALL = BenchmarkSettings(n_max=6, independent_per_n=8, chains=8)


def queries(
    settings: BenchmarkSettings = SMALL, vocabulary: Vocabulary | None = None
) -> tuple[Query, ...]:
    return sample_queries(settings, vocabulary or load_vocabulary()).queries


def chains(found: tuple[Query, ...]) -> dict[str, list[Query]]:
    steps: dict[str, list[Query]] = {}
    for query in found:
        if query.chain_id is not None:
            steps.setdefault(query.chain_id, []).append(query)
    return steps


def draws_per_word(found: tuple[Query, ...], n_max: int) -> tuple[Counter[str], Counter[str]]:
    """Return how often each object and attribute is drawn; a chain counts once."""
    drawn = [query for query in found if not query.chain_id or len(query.bindings) == n_max]
    bindings = [binding for query in drawn for binding in query.bindings]
    return Counter(thing for _, thing in bindings), Counter(look for look, _ in bindings)


def test_every_size_has_its_independent_questions_and_its_chains() -> None:
    counts = Counter((len(query.bindings), query.chain_id is None) for query in queries())
    assert counts == {(n, independent): 8 for n in range(2, 7) for independent in (True, False)}


def test_identifiers_name_size_and_chain_and_are_unique() -> None:
    found = queries()
    assert len({query.question_id for query in found}) == len(found)
    assert found[0].question_id == "n02-i000"
    assert found[-1].question_id == "n06-c007"
    assert found[-1].group == found[-1].chain_id == "c007"
    assert found[0].group == "n02-i000"


@pytest.mark.parametrize("seed", range(5))
def test_a_query_has_distinct_words_and_no_look_alikes(seed: int) -> None:
    confusable = load_vocabulary().confusable
    for query in queries(SMALL.model_copy(update={"seed": seed})):
        looks, things = zip(*query.bindings, strict=True)
        assert len(set(looks)) == len(set(things)) == len(query.bindings)
        assert not any(b in confusable[a] for a, b in combinations(things, 2))


def test_each_step_of_a_chain_adds_one_binding() -> None:
    for steps in chains(queries()).values():
        assert [len(step.bindings) for step in steps] == [2, 3, 4, 5, 6]
        for before, after in pairwise(steps):
            assert set(before.bindings) < set(after.bindings)


def test_a_chain_keeps_its_earlier_order_no_more_often_than_a_shuffle() -> None:
    settings = BenchmarkSettings(n_max=3, independent_per_n=0, chains=600)
    kept = sum(
        [binding for binding in large.bindings if binding in small.bindings] == list(small.bindings)
        for small, large in chains(queries(settings)).values()
    )
    assert 230 < kept < 370, f"expected about 600 / {factorial(2)}"


def test_chains_may_begin_above_two() -> None:
    settings = BenchmarkSettings(n_min=4, n_max=5, independent_per_n=0, chains=3)
    assert [len(query.bindings) for query in queries(settings)] == [4, 5] * 3


@pytest.mark.parametrize(("objects", "attributes"), [(12, 11), (6, 6), (60, 5)])
def test_no_independent_query_lies_in_another_query(objects: int, attributes: int) -> None:
    settings = BenchmarkSettings(n_max=min(5, attributes), independent_per_n=30, chains=20)
    found = queries(settings, toy_vocabulary(objects, attributes))
    independent = [query for query in found if query.chain_id is None]
    for query in independent:
        holding = [other for other in found if set(query.bindings) <= set(other.bindings)]
        assert holding == [query]


def test_no_query_of_two_is_the_exchange_of_an_independent_one() -> None:
    settings = BenchmarkSettings(n_max=2, independent_per_n=30, chains=30)
    found = queries(settings, toy_vocabulary(5, 5))
    asked = {frozenset(query.bindings) for query in found if query.chain_id is None}
    for query in found:
        (look, thing), (other_look, other_thing) = query.bindings
        assert frozenset({(other_look, thing), (look, other_thing)}) not in asked


def test_the_same_seed_asks_the_same_and_another_asks_otherwise() -> None:
    other = SMALL.model_copy(update={"seed": 1})
    assert queries() == queries()
    assert not {q.bindings for q in queries()} & {q.bindings for q in queries(other)}


def test_pairs_are_drawn_anew_for_every_query() -> None:
    # Were attributes and objects dealt out in step, an object would meet few attributes.
    settings = BenchmarkSettings(n_max=5, independent_per_n=200, chains=0)
    met = {
        binding for query in queries(settings, toy_vocabulary(10, 10)) for binding in query.bindings
    }
    assert len(met) == 100


VOCABULARIES = {
    "12 objects and 11 attributes, N to 11": (12, 11, 11, 100),
    "as many words as the largest N": (11, 11, 11, 100),
    "8 and 8": (8, 8, 8, 60),
    "many objects, few attributes": (5_000, 10, 10, 20),
    "few objects, many attributes": (10, 500, 10, 20),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", VOCABULARIES)
def test_coverage_is_even_whatever_the_vocabulary(name: str, seed: int) -> None:
    objects, attributes, n_max, per_n = VOCABULARIES[name]
    settings = BenchmarkSettings(seed=seed, n_max=n_max, independent_per_n=per_n, chains=per_n)
    vocabulary = toy_vocabulary(objects, attributes)
    things, looks = draws_per_word(queries(settings, vocabulary), n_max)
    names = [attribute.name for attribute in vocabulary.attributes]
    for drawn, words in ((things, vocabulary.objects), (looks, names)):
        assert max(drawn.values()) <= max(2, 2 * drawn.total() / len(words))
        assert len(drawn) == len(words) or drawn.total() < len(words)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("n", "per_n"), [(8, 29), (4, 58), (29, 8)])
def test_draws_that_just_suffice_use_every_object_despite_look_alikes(
    n: int, per_n: int, seed: int
) -> None:
    settings = BenchmarkSettings(seed=seed, n_min=n, n_max=n, independent_per_n=per_n, chains=0)
    things, looks = draws_per_word(queries(settings), n)
    assert things == Counter(load_vocabulary().objects)
    assert max(looks.values()) - min(looks.values()) <= 1


@pytest.mark.parametrize(
    ("objects", "attributes", "sizes", "said"),
    [
        (1, 9, {}, "expected at least 2 objects that may share a scene, found 1"),
        (12, 1, {}, "expected at least 2 attributes that may share a scene, found 1"),
        (9, 12, {"n_min": 10}, "expected at least 10 objects"),
        (
            2,
            2,
            {"n_max": 2, "independent_per_n": 2},
            "expected bindings for n02-i001 that no other",
        ),
        (4, 4, {"n_max": 4}, "expected bindings for n02-i"),
        (3, 3, {"n_min": 3, "n_max": 3}, "expected bindings for n03-i"),
        (12, 11, {"n_max": 2, "independent_per_n": 5_000}, "expected bindings for n02-i"),
    ],
)
def test_words_that_cannot_suffice_are_said_to_at_once(
    objects: int, attributes: int, sizes: dict[str, int], said: str
) -> None:
    began = time.monotonic()
    with pytest.raises(GenerationError, match=said) as caught:
        queries(BenchmarkSettings(**sizes), toy_vocabulary(objects, attributes))
    assert "add objects" in str(caught.value) or "add attributes" in str(caught.value)
    assert time.monotonic() - began < 20
