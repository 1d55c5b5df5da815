"""SABER as index arrays: what is asked, what is searched, and what is right (section 3).

Read from a finished build of any size. A query and a gallery scene are known by their positions;
words, models and scores are not known here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.errors import DamagedFileError, SettingsError
from evaluation.containments import compare_bindings
from evaluation.ragged import Ragged, ragged, select

_VIEWS = ("questions", "candidates", "scenes", "relevance")
_CANDIDATES = 4

_QUESTIONS_SQL = "SELECT question_id, query_scene_id, n, subset, answer FROM questions"

_BINDINGS_SQL = """
    SELECT scene_id, bound.attribute, bound.object
    FROM (SELECT scene_id, unnest(bindings) AS bound FROM scenes)
"""


@dataclass(frozen=True, slots=True)
class Scenes:
    """Scenes with their captions; all fields have one element per scene."""

    ids: tuple[str, ...]
    #: The templated captions.
    texts: tuple[str, ...]
    #: The scattered captions; None where the build has none.
    scattered: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Questions:
    """The questions in stored order: Q of them."""

    ids: tuple[str, ...]
    #: Bindings of the query; shape [Q].
    n: NDArray[np.int64]
    #: Whether the question is a step of a chain, else independent; shape [Q].
    nested: NDArray[np.bool_]
    #: Positions in the gallery, in presented order; shape [Q, 4].
    candidates: NDArray[np.int64]
    #: Which candidate preserves the bindings, 0 to 3; shape [Q].
    answer: NDArray[np.int64]

    @property
    def exact(self) -> NDArray[np.int64]:
        """The gallery position of each query's own exact match; shape [Q]."""
        return self.candidates[np.arange(len(self.answer)), self.answer]


@dataclass(frozen=True, slots=True)
class Saber:
    """A benchmark of Q questions whose candidates pool into a gallery of G scenes."""

    questions: Questions
    #: The scenes that ask, one per question.
    queries: Scenes
    #: All candidates.
    gallery: Scenes
    #: Per query, the gallery scenes with all of its bindings, as stored.
    positives: Ragged
    #: Per query, the gallery scenes with some of its bindings and no other.
    subsets: Ragged
    #: Per query, the gallery scenes with all of its bindings and more.
    supersets: Ragged
    #: Every attribute and every object that a scene holds, sorted.
    attributes: tuple[str, ...]
    objects: tuple[str, ...]


def load_saber(build: Build) -> Saber:
    """Read the benchmark of `build`.

    Raises:
        BuildMissingError: the benchmark isn't finished.
        DamagedFileError: a file isn't what was written, or its rows contradict each other.

    """
    with connect(build, _VIEWS) as connection:
        saber = _assemble(connection)
    _require_answers(saber)
    return saber


def restricted(saber: Saber, has_query: NDArray[np.bool_], has_gallery: NDArray[np.bool_]) -> Saber:
    """Return the part that can be asked where some scenes have no picture.

    A question stays where its query and its four candidates are there; the gallery keeps all that
    is there. The masks have shapes [Q] and [G].

    Raises:
        SettingsError: no question stays.

    """
    questions = saber.questions
    kept = has_query & has_gallery[questions.candidates].all(axis=1)
    if not kept.any():
        raise SettingsError(
            f"expected pictures of a query and its four candidates, found none that is complete "
            f"({int(has_query.sum())} queries, {int(has_gallery.sum())} candidates); "
            "name the pictures by scene_id"
        )
    moved = np.cumsum(has_gallery) - 1
    return replace(
        saber,
        questions=Questions(
            ids=_kept(questions.ids, kept),
            n=questions.n[kept],
            nested=questions.nested[kept],
            candidates=moved[questions.candidates[kept]],
            answer=questions.answer[kept],
        ),
        queries=_kept_scenes(saber.queries, kept),
        gallery=_kept_scenes(saber.gallery, has_gallery),
        positives=select(saber.positives, kept, has_gallery),
        subsets=select(saber.subsets, kept, has_gallery),
        supersets=select(saber.supersets, kept, has_gallery),
    )


def _assemble(connection: duckdb.DuckDBPyConnection) -> Saber:
    scenes = _columns(connection, "SELECT scene_id, text, scattered_text FROM scenes")
    asked = _columns(connection, _QUESTIONS_SQL)
    presented = _columns(connection, "SELECT question_id, position, scene_id FROM candidates")
    relevant = _columns(connection, "SELECT question_id, scene_id FROM relevance")
    bound_scenes, attributes, objects = _columns(connection, _BINDINGS_SQL)
    scene_at, question_at = _places(scenes[0]), _places(asked[0])
    gallery_at = _places(dict.fromkeys(presented[2]))
    query_rows = _look_up(asked[1], scene_at, "scenes")
    gallery_rows = _look_up(gallery_at, scene_at, "scenes")
    bound_at = _look_up(bound_scenes, scene_at, "scenes")
    compared = compare_bindings(bound_at, attributes, objects, query_rows, gallery_rows)
    askers = _look_up(relevant[0], question_at, "questions")
    right = _look_up(relevant[1], gallery_at, "candidates")
    return Saber(
        questions=_questions(asked, _candidates(presented, question_at, gallery_at)),
        queries=_scenes(scenes, query_rows),
        gallery=_scenes(scenes, gallery_rows),
        positives=ragged(askers, right, len(question_at)),
        subsets=compared.subsets,
        supersets=compared.supersets,
        attributes=tuple(sorted(set(attributes))),
        objects=tuple(sorted(set(objects))),
    )


def _questions(columns: list[list[Any]], candidates: NDArray[np.int64]) -> Questions:
    """Return the rows of `_QUESTIONS_SQL` with their candidates, shape [Q, 4]."""
    ids, _, n, subset, answer = columns
    return Questions(
        ids=tuple(ids),
        n=np.array(n, dtype=np.int64),
        nested=np.array(subset) == "nested",
        candidates=candidates,
        answer=np.array(answer, dtype=np.int64),
    )


def _columns(connection: duckdb.DuckDBPyConnection, sql: str) -> list[list[Any]]:
    """Return the columns of a query's rows, in stored order."""
    result = connection.execute(sql)
    width = len(result.description or ())
    rows = result.fetchall()
    return [[row[column] for row in rows] for column in range(width)]


def _candidates(
    presented: list[list[Any]], question_at: Mapping[str, int], gallery_at: Mapping[str, int]
) -> NDArray[np.int64]:
    """Return the gallery positions of each question's candidates; shape [Q, 4]."""
    found = np.full((len(question_at), _CANDIDATES), -1, dtype=np.int64)
    rows = _look_up(presented[0], question_at, "questions")
    found[rows, presented[1]] = _look_up(presented[2], gallery_at, "candidates")
    if (found < 0).any() or len(rows) != found.size:
        raise _contradiction("candidates", "four of every question", f"{len(rows)} in all")
    return found


def _scenes(columns: list[list[Any]], rows: NDArray[np.int64]) -> Scenes:
    ids, texts, scattered = ([column[row] for row in rows] for column in columns)
    missing = scattered.count(None)
    if 0 < missing < len(scattered):
        raise _contradiction("scenes", "scattered_text in all or none", f"{missing} null")
    return Scenes(tuple(ids), tuple(texts), None if missing else tuple(scattered))


def _places(ids: Iterable[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(ids)}


def _look_up(ids: Iterable[str], places: Mapping[str, int], view: str) -> NDArray[np.int64]:
    """Return the place of every id; `view` is where it should have one."""
    try:
        return np.array([places[name] for name in ids], dtype=np.int64)
    except KeyError as error:
        raise _contradiction(view, f"a row of {error.args[0]!r}", "none") from error


def _require_answers(saber: Saber) -> None:
    """A query must have its own answer among its positives: every metric counts on it."""
    for index, exact in enumerate(saber.questions.exact):
        if exact not in saber.positives.row(index):
            expected = f"the answer of {saber.questions.ids[index]} among its positives"
            raise _contradiction("relevance", expected, f"no {saber.gallery.ids[exact]} there")


def _contradiction(view: str, expected: str, found: str) -> DamagedFileError:
    return DamagedFileError(
        f"{view} of the benchmark: expected {expected}, found {found}; "
        "run `saber validate`, or build it again"
    )


def _kept(values: Sequence[str], mask: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(value for value, kept in zip(values, mask, strict=True) if kept)


def _kept_scenes(scenes: Scenes, mask: NDArray[np.bool_]) -> Scenes:
    scattered = None if scenes.scattered is None else _kept(scenes.scattered, mask)
    return Scenes(_kept(scenes.ids, mask), _kept(scenes.texts, mask), scattered)
