"""Even draws of words: the least drawn come first, ties are broken at random.

Knows counts and look-alikes; not what the words mean or what they are drawn for.
"""

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from artifacts.errors import GenerationError


class Coverage:
    """How often each word of one kind has been drawn, and the next draw."""

    def __init__(
        self,
        kind: str,
        words: Sequence[str],
        draws_expected: int,
        look_alikes: Mapping[str, Collection[str]],
    ) -> None:
        """Plan `draws_expected` draws in all; they bound how often one word may come."""
        self._kind = kind
        self._look_alikes = look_alikes
        self._levels: list[list[str]] = [list(words)]
        self._level_of = dict.fromkeys(words, 0)
        #: No word is drawn more often than twice its fair share, or twice.
        self._limit = max(2, 2 * draws_expected // len(words))

    def draw(self, rng: random.Random, count: int, *, widen: int = 0) -> list[str]:
        """Return `count` distinct words, no two of them look-alikes, in random order.

        `widen` mixes that many further levels into the least drawn one: a caller whose draw was
        refused again and again gets other words. Raises GenerationError if there are too few.
        """
        drawn: list[str] = []
        barred: set[str] = set()
        for word in self._least_drawn_first(rng, widen):
            if len(drawn) == count:
                break
            if word not in barred:
                drawn.append(word)
                barred.update(self._look_alikes.get(word, ()))
        if len(drawn) < count:
            raise GenerationError(
                f"expected at least {count} {self._kind} that may share a scene, found "
                f"{len(drawn)} in a vocabulary of {len(self._level_of)}: lower n_max or the "
                f"number of questions, or add {self._kind}"
            )
        rng.shuffle(drawn)
        return drawn

    def accept(self, words: Iterable[str]) -> None:
        """Count a draw that was used."""
        for word in words:
            level = self._level_of[word]
            self._levels[level].remove(word)
            if level + 1 == len(self._levels):
                self._levels.append([])
            self._levels[level + 1].append(word)
            self._level_of[word] = level + 1

    def _least_drawn_first(self, rng: random.Random, widen: int) -> Iterator[str]:
        levels = [level for level in self._levels[: self._limit] if level]
        yield from _shuffled(rng, [word for level in levels[: 1 + widen] for word in level])
        for level in levels[1 + widen :]:
            yield from _shuffled(rng, level)


def _shuffled(rng: random.Random, words: Sequence[str]) -> Iterator[str]:
    """Yield the words in random order, drawing only as many as are asked for."""
    pool = list(words)
    for last in range(len(pool) - 1, -1, -1):
        pick = rng.randrange(last + 1)
        pool[pick], pool[last] = pool[last], pool[pick]
        yield pool[last]
