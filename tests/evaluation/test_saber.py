"""The arrays of a benchmark, against its rows."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.errors import BuildMissingError, DamagedFileError, SettingsError
from artifacts.manifest import write_manifest
from artifacts.parquet import write_table
from artifacts.records import Candidate, Question, Relevance, Scene
from artifacts.schema import stored_schema
from evaluation.containments import compare_bindings
from evaluation.ragged import Ragged, ragged, select
from evaluation.saber import Saber, load_saber, restricted
from tests.artifacts import rows as tiny

BOUND = st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"))
PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), unique=True)


def rows(build: Build, sql: str) -> list[tuple[Any, ...]]:
    with connect(build) as connection:
        return connection.execute(sql).fetchall()


def as_lists(pairs: Ragged) -> list[list[int]]:
    return [pairs.row(index).tolist() for index in range(len(pairs))]


def names(saber: Saber, pairs: Ragged) -> list[set[str]]:
    return [{saber.gallery.ids[item] for item in row} for row in as_lists(pairs)]


def bindings(build: Build) -> dict[str, frozenset[tuple[str, str]]]:
    found = rows(build, "SELECT scene_id, bindings FROM scenes")
    return {
        scene: frozenset((bound["attribute"], bound["object"]) for bound in bound_list)
        for scene, bound_list in found
    }


def test_a_full_benchmark_has_its_sizes(full_saber: Saber) -> None:
    assert len(full_saber.questions.ids) == len(full_saber.queries.ids) == 1800
    assert len(full_saber.gallery.ids) == 7200
    assert len(full_saber.attributes) == 50
    assert np.unique(full_saber.questions.n).tolist() == list(range(2, 11))


def test_questions_and_candidates_are_those_stored(small_build: Build, small_saber: Saber) -> None:
    sql = """
        SELECT question_id, n, subset, query_scene_id, answer, list(scene_id ORDER BY position)
        FROM questions JOIN candidates USING (question_id) GROUP BY ALL
    """
    expected = {row[0]: row[1:] for row in rows(small_build, sql)}
    questions = small_saber.questions
    assert set(questions.ids) == set(expected)
    for index, name in enumerate(questions.ids):
        subset = "nested" if questions.nested[index] else "independent"
        presented = [small_saber.gallery.ids[item] for item in questions.candidates[index]]
        query, answer = small_saber.queries.ids[index], questions.answer[index]
        assert (questions.n[index], subset, query, answer, presented) == expected[name]


def test_captions_are_those_of_the_scenes(small_build: Build, small_saber: Saber) -> None:
    stored = {
        scene: (text, scattered)
        for scene, text, scattered in rows(
            small_build, "SELECT scene_id, text, scattered_text FROM scenes"
        )
    }
    for scenes in (small_saber.queries, small_saber.gallery):
        scattered = scenes.scattered or [None] * len(scenes.ids)
        captions = zip(scenes.texts, scattered, strict=True)
        assert dict(zip(scenes.ids, captions, strict=True)).items() <= stored.items()


def test_relevance_and_containment_are_what_the_bindings_say(
    small_build: Build, small_saber: Saber
) -> None:
    held = bindings(small_build)
    queries = [held[name] for name in small_saber.queries.ids]
    gallery = {name: held[name] for name in small_saber.gallery.ids}

    def expected(compare: Any) -> list[set[str]]:
        return [{name for name, scene in gallery.items() if compare(scene, one)} for one in queries]

    assert names(small_saber, small_saber.positives) == expected(frozenset.issuperset)
    assert names(small_saber, small_saber.supersets) == expected(frozenset.__gt__)
    assert names(small_saber, small_saber.subsets) == expected(frozenset.__lt__)


def test_the_exact_match_has_the_query_s_bindings(small_build: Build, small_saber: Saber) -> None:
    held = bindings(small_build)
    for query, exact in zip(small_saber.queries.ids, small_saber.questions.exact, strict=True):
        assert held[query] == held[small_saber.gallery.ids[exact]]


@given(st.lists(st.frozensets(BOUND, min_size=1), min_size=1, max_size=12))
def test_containment_is_set_containment(scenes: list[frozenset[tuple[str, str]]]) -> None:
    bound = [(scene, *pair) for scene, pairs in enumerate(scenes) for pair in sorted(pairs)]
    scene_of, attributes, objects = zip(*bound, strict=True)
    every = np.arange(len(scenes))
    found = compare_bindings(np.array(scene_of), attributes, objects, every, every)
    for query, pairs in enumerate(scenes):
        below = [index for index, scene in enumerate(scenes) if scene < pairs]
        above = [index for index, scene in enumerate(scenes) if scene > pairs]
        assert found.subsets.row(query).tolist() == below
        assert found.supersets.row(query).tolist() == above


def test_a_binding_that_a_scene_names_twice_is_one() -> None:
    scenes = np.array([0, 0, 1])
    found = compare_bindings(scenes, "aaa", "xxx", np.array([0, 1]), np.array([0, 1]))
    assert not len(found.subsets.items)
    assert not len(found.supersets.items)


@given(PAIRS)
def test_ragged_rows_hold_the_pairs(pairs: list[tuple[int, int]]) -> None:
    left, right = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    expected = [sorted(item for row, item in pairs if row == index) for index in range(5)]
    assert as_lists(ragged(left, right, 5)) == expected


@given(PAIRS, st.lists(st.booleans(), min_size=12, max_size=12))
def test_selected_rows_are_renumbered(pairs: list[tuple[int, int]], kept: list[bool]) -> None:
    left, right = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    rows_kept, items_kept = np.array(kept[:5]), np.array(kept[5:])
    found = select(ragged(left, right, 5), rows_kept, items_kept)
    numbers = np.flatnonzero(items_kept).tolist()
    expected = [
        [numbers.index(item) for item in range(7) if (row, item) in pairs and items_kept[item]]
        for row in np.flatnonzero(rows_kept).tolist()
    ]
    assert as_lists(found) == expected


def test_where_pictures_are_missing_the_complete_questions_stay(small_saber: Saber) -> None:
    has_gallery = np.ones(len(small_saber.gallery.ids), dtype=bool)
    has_query = np.ones(len(small_saber.queries.ids), dtype=bool)
    has_gallery[small_saber.questions.candidates[3, 2]] = False
    has_query[5] = False
    part = restricted(small_saber, has_query, has_gallery)
    ids = small_saber.questions.ids
    assert part.questions.ids == tuple(
        ids[index] for index in range(len(ids)) if index not in (3, 5)
    )
    assert len(part.gallery.ids) == len(small_saber.gallery.ids) - 1
    assert set(part.gallery.ids) < set(small_saber.gallery.ids)
    whole = dict(zip(ids, range(len(ids)), strict=True))
    for index, name in enumerate(part.questions.ids):
        before = small_saber.questions.candidates[whole[name]]
        after = part.questions.candidates[index]
        assert [part.gallery.ids[item] for item in after] == [
            small_saber.gallery.ids[item] for item in before
        ]
        assert part.questions.exact[index] in part.positives.row(index)


def test_with_all_pictures_nothing_changes(small_saber: Saber) -> None:
    sides = (small_saber.queries.ids, small_saber.gallery.ids)
    part = restricted(small_saber, *(np.ones(len(ids), dtype=bool) for ids in sides))
    assert part.queries == small_saber.queries
    assert part.gallery == small_saber.gallery
    for name in ("positives", "subsets", "supersets"):
        assert as_lists(getattr(part, name)) == as_lists(getattr(small_saber, name))


def test_without_any_complete_question_it_says_so(small_saber: Saber) -> None:
    nothing = np.zeros(len(small_saber.gallery.ids), dtype=bool)
    with pytest.raises(SettingsError, match="name the pictures by scene_id"):
        restricted(small_saber, np.ones(len(small_saber.queries.ids), dtype=bool), nothing)


def test_an_unfinished_benchmark_is_missing(small_build: Build) -> None:
    with pytest.raises(BuildMissingError):
        load_saber(Build(small_build.root, "nowhere"))


def rewritten(build: Build, root: Path, view: str, sql: str) -> Build:
    """Return a copy of a benchmark in which the rows of one view are those of a query."""
    copy = Build(root, "rewritten")
    files = []
    for kind in (Question, Candidate, Scene, Relevance):
        with connect(build) as connection:
            result = connection.sql(sql if kind.view == view else f"FROM {kind.view}")
            table = result.to_arrow_table().cast(stored_schema(kind))
        copy.benchmark.mkdir(parents=True, exist_ok=True)
        files.append(write_table(copy.path, f"benchmark/{kind.view}.parquet", kind.view, table))
    write_manifest(copy.manifest("benchmark"), tiny.manifest("benchmark", files))
    return copy


def test_a_benchmark_without_scattered_captions_has_none(
    small_build: Build, tmp_path: Path
) -> None:
    sql = "SELECT * REPLACE (NULL::VARCHAR AS scattered_text) FROM scenes"
    saber = load_saber(rewritten(small_build, tmp_path, "scenes", sql))
    assert saber.queries.scattered is None
    assert saber.gallery.scattered is None


@pytest.mark.parametrize(
    ("view", "sql", "reason"),
    [
        ("candidates", "FROM candidates OFFSET 1", "four of every question"),
        ("scenes", "FROM scenes OFFSET 1", "scenes of the benchmark: expected a row of 'n"),
        ("relevance", "FROM relevance OFFSET 1", "the answer of n.* among its positives"),
        ("questions", "FROM questions OFFSET 1", "questions of the benchmark: expected a row of"),
        (
            "questions",
            "SELECT * REPLACE ((answer + 1) % 4 AS answer) FROM questions",
            "among its positives, found no",
        ),
        (
            "scenes",
            "SELECT * REPLACE (CASE WHEN scene_id LIKE '%-0' THEN text END AS scattered_text) "
            "FROM scenes",
            "scattered_text in all or none",
        ),
    ],
)
def test_rows_that_contradict_each_other_are_damage(
    view: str, sql: str, reason: str, small_build: Build, tmp_path: Path
) -> None:
    with pytest.raises(DamagedFileError, match=reason):
        load_saber(rewritten(small_build, tmp_path, view, sql))
