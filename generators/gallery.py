"""Which scenes hold which queries: the index behind guaranteed positives (section A.5).

Looks up by binding, never pair by pair: a check costs as many look-ups as the scene has bindings.
Knows sets of bindings; nothing of captions or candidates.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

#: An attribute on an object.
Bound = tuple[str, str]


class QueryIndex:
    """Binding sets that only their own question's preserving candidate may hold."""

    def __init__(self) -> None:
        self._by_anchor: defaultdict[Bound, list[frozenset[Bound]]] = defaultdict(list)

    def add(self, query: frozenset[Bound]) -> None:
        """Register a query under one of its bindings; any holder of the query holds that too."""
        self._by_anchor[min(query)].append(query)

    def held_by(self, scene: frozenset[Bound]) -> Iterator[frozenset[Bound]]:
        """Yield every registered query whose bindings all occur in `scene`."""
        for binding in scene:
            for query in self._by_anchor.get(binding, ()):
                if query <= scene:
                    yield query


def holders(
    queries: Sequence[frozenset[Bound]], scenes: Sequence[Iterable[Bound]]
) -> list[list[int]]:
    """Return for each query the indices of the scenes that hold all its bindings, ascending."""
    by_binding: defaultdict[Bound, set[int]] = defaultdict(set)
    for index, scene in enumerate(scenes):
        for binding in scene:
            by_binding[binding].add(index)
    return [
        sorted(set.intersection(*(by_binding[binding] for binding in query))) for query in queries
    ]
