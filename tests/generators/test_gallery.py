"""The index behind guaranteed positives, against comparing everything with everything."""

from hypothesis import given
from hypothesis import strategies as st

from generators.gallery import Bound, QueryIndex, holders
from tests.generators.toys import bound

BOUND: st.SearchStrategy[Bound] = st.tuples(st.sampled_from("abcd"), st.sampled_from("wxyz"))
SETS = st.frozensets(BOUND, min_size=1, max_size=5)


def indexed(queries: list[frozenset[Bound]]) -> QueryIndex:
    index = QueryIndex()
    for query in queries:
        index.add(query)
    return index


@given(st.lists(SETS, max_size=30), SETS)
def test_held_by_finds_every_query_within_the_scene(
    queries: list[frozenset[Bound]], scene: frozenset[Bound]
) -> None:
    found = sorted(map(sorted, indexed(queries).held_by(scene)))
    assert found == sorted(sorted(query) for query in queries if query <= scene)


@given(st.lists(SETS, max_size=20), st.lists(SETS, max_size=20))
def test_holders_are_the_scenes_that_hold_all_bindings(
    queries: list[frozenset[Bound]], scenes: list[frozenset[Bound]]
) -> None:
    assert holders(queries, scenes) == [
        [index for index, scene in enumerate(scenes) if query <= scene] for query in queries
    ]


def test_a_query_that_only_overlaps_is_not_held() -> None:
    index = indexed([frozenset(bound("red cube", "blue kite"))])
    assert not list(index.held_by(frozenset(bound("red cube", "blue cube", "red kite"))))


def test_nothing_is_held_by_an_empty_index() -> None:
    assert not list(QueryIndex().held_by(frozenset(bound("red cube"))))
