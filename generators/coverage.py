"""Even draws of words: the least drawn come first, ties are broken at random.

Knows counts and look-alikes; not what the words mean or what they are drawn for.
"""

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from artifacts.errors import GenerationError

#: With so many draws' words left on the lowest level, those with look-alikes there come first.
_LAST_DRAWS = 8
#: Orders in which words are tried before there count as too few that go together.
_ORDERS = 32


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
        most = 0
        for mixed in range(_ORDERS):
            drawn = self._compatible(rng, count, widen + mixed)
            if len(drawn) == count:
                rng.shuffle(drawn)
                return drawn
            most = max(most, len(drawn))
        raise GenerationError(
            f"expected at least {count} {self._kind} that may share a scene, found {most} in a "
            f"vocabulary of {len(self._level_of)}: lower n_max or the number of questions, or add "
            f"{self._kind}"
        )

    def _compatible(self, rng: random.Random, count: int, widen: int) -> list[str]:
        """Take words that go with those already taken; a word with many look-alikes bars many."""
        taken: list[str] = []
        barred: set[str] = set()
        for word in self._least_drawn_first(rng, count, widen):
            if len(taken) == count:
                break
            if word not in barred:
                taken.append(word)
                barred.update(self._look_alikes.get(word, ()))
        return taken

    def accept(self, words: Iterable[str]) -> None:
        """Count a draw that was used."""
        for word in words:
            level = self._level_of[word]
            self._levels[level].remove(word)
            if level + 1 == len(self._levels):
                self._levels.append([])
            self._levels[level + 1].append(word)
            self._level_of[word] = level + 1

    def _least_drawn_first(self, rng: random.Random, count: int, widen: int) -> Iterator[str]:
        levels = [level for level in self._levels[: self._limit] if level]
        first = [word for level in levels[: 1 + widen] for word in level]
        is_ending = widen == 0 and len(first) <= _LAST_DRAWS * count
        yield from self._hardest_first(rng, first) if is_ending else _shuffled(rng, first)
        for level in levels[1 + widen :]:
            yield from _shuffled(rng, level)

    def _hardest_first(self, rng: random.Random, words: Sequence[str]) -> list[str]:
        """Order by look-alikes among these words: the last ones left would bar each other."""
        left = frozenset(words)
        shuffled = _shuffled(rng, words)
        return sorted(
            shuffled, key=lambda word: -len(left.intersection(self._look_alikes.get(word, ())))
        )


def _shuffled(rng: random.Random, words: Sequence[str]) -> Iterator[str]:
    """Yield the words in random order, drawing only as many as are asked for."""
    pool = list(words)
    for last in range(len(pool) - 1, -1, -1):
        pick = rng.randrange(last + 1)
        pool[pick], pool[last] = pool[last], pool[pick]
        yield pool[last]
