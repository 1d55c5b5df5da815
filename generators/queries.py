"""The queries of the benchmark: independent ones and those of nested chains (section A.5).

All queries are drawn before any candidate, smallest first, so that a scene drawn later can be
refused when it would become a second positive of an independent query. Knows which binding sets
must not meet, and how many others a query needs; nothing of captions or files.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from artifacts.errors import GenerationError
from artifacts.seeds import derive_random
from artifacts.settings import BenchmarkSettings
from generators.coverage import Coverage
from generators.gallery import Bound, QueryIndex
from vocab.benchmark_words import Vocabulary

#: Draws of one query that may be refused before the vocabulary counts as too small.
_TRIES = 4_000
#: Wrong candidates that permute the words of a query of so many bindings. From five bindings on
#: there are a hundred assignments to choose from.
_RIVALS = {2: 1, 3: 3, 4: 3}
#: After this many refusals in a row the draw reaches one level further up.
_PATIENCE = 16


@dataclass(frozen=True, slots=True)
class Query:
    """The query of one question: its bindings in the order of its caption."""

    question_id: str
    chain_id: str | None
    bindings: tuple[Bound, ...]

    @property
    def group(self) -> str:
        """What shares one instantiation of each attribute: the chain, or the question."""
        return self.chain_id or self.question_id


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """Every query, and the index of those that may have one positive only."""

    queries: tuple[Query, ...]
    exclusive: QueryIndex


class _Draws:
    """Draws of bindings that use every word evenly."""

    def __init__(self, settings: BenchmarkSettings, vocabulary: Vocabulary) -> None:
        draws = settings.independent_per_n * sum(settings.sizes) + settings.chains * settings.n_max
        attributes = [attribute.name for attribute in vocabulary.attributes]
        self._objects = Coverage("objects", vocabulary.objects, draws, vocabulary.confusable)
        self._attributes = Coverage("attributes", attributes, draws, {})

    def candidates(self, rng: random.Random, n: int) -> Iterator[tuple[Bound, ...]]:
        """Yield draws of `n` bindings until the caller accepts one."""
        for refused in range(_TRIES):
            widen = refused // _PATIENCE
            attributes = self._attributes.draw(rng, n, widen=widen)
            yield tuple(zip(attributes, self._objects.draw(rng, n, widen=widen), strict=True))

    def accept(self, bindings: tuple[Bound, ...]) -> None:
        """Count the words of a draw that was used."""
        self._attributes.accept(attribute for attribute, _ in bindings)
        self._objects.accept(word for _, word in bindings)


def sample_queries(settings: BenchmarkSettings, vocabulary: Vocabulary) -> QueryPlan:
    """Draw every query; raises GenerationError if the vocabulary is too small for the sizes."""
    draws, exclusive = _Draws(settings, vocabulary), QueryIndex()
    independent = list(_independent(settings, draws, exclusive))
    nested = list(_nested(settings, draws, exclusive))
    return QueryPlan(tuple(independent + nested), exclusive)


def _independent(
    settings: BenchmarkSettings, draws: _Draws, exclusive: QueryIndex
) -> Iterator[Query]:
    for n in settings.sizes:
        for number in range(settings.independent_per_n):
            question_id = f"n{n:02}-i{number:03}"
            rng = derive_random(settings.seed, "independent", n, number)
            for bindings in draws.candidates(rng, n):
                if _is_free(bindings, exclusive) and _has_rivals(bindings, exclusive):
                    break
            else:
                raise _too_small(question_id)
            draws.accept(bindings)
            exclusive.add(frozenset(bindings))
            yield Query(question_id, None, bindings)


def _nested(settings: BenchmarkSettings, draws: _Draws, exclusive: QueryIndex) -> Iterator[Query]:
    """A chain adds one binding a step: its last query holds all others, so it alone is checked."""
    for number in range(settings.chains):
        chain_id = f"c{number:03}"
        rng = derive_random(settings.seed, "chain", number)
        for bindings in draws.candidates(rng, settings.n_max):
            steps = (bindings[:n] for n in settings.sizes)
            if _is_free(bindings, exclusive) and all(_has_rivals(q, exclusive) for q in steps):
                break
        else:
            raise _too_small(chain_id)
        draws.accept(bindings)
        for n in settings.sizes:
            order = list(bindings[:n])
            rng.shuffle(order)
            yield Query(f"n{n:02}-{chain_id}", chain_id, tuple(order))


def _is_free(bindings: tuple[Bound, ...], exclusive: QueryIndex) -> bool:
    """Whether no exclusive query lies in these bindings."""
    return not any(True for _ in exclusive.held_by(frozenset(bindings)))


def _has_rivals(bindings: tuple[Bound, ...], exclusive: QueryIndex) -> bool:
    """Whether the words have enough other assignments, for the wrong candidates, that are free.

    Queries of the same words share these, so that a new one leaves enough for the earlier ones too.
    """
    needed = _RIVALS.get(len(bindings), 0)
    things = [thing for _, thing in bindings]
    for attributes in permutations(attribute for attribute, _ in bindings):
        if needed == 0:
            break
        others = tuple(zip(attributes, things, strict=True))
        if others != bindings and _is_free(others, exclusive):
            needed -= 1
    return needed == 0


def _too_small(name: str) -> GenerationError:
    return GenerationError(
        f"expected bindings for {name} that no other query holds, found none in {_TRIES} draws: "
        "add objects or attributes, or ask for fewer questions or a larger n_min"
    )
