"""The benchmark's tables as the rules read them: scenes joined to the questions they belong to.

Read once, from the views alone. A question that can't be joined (a scene is missing, or it hasn't
four candidates) is left out here, since `references` reports it. Types and nulls are the schema's
business. Judges nothing.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import starmap
from sys import intern

import duckdb

from artifacts.records import Role, Subset
from validators.benchmark.expectation import BenchmarkExpectation
from validators.benchmark.phrases import CaptionReader, Captions
from validators.benchmark.positives import find_positives
from vocab.benchmark_words import Vocabulary


@dataclass(frozen=True, slots=True)
class Scene:
    """A row of `scenes`, its bindings apart and together."""

    scene_id: str
    attributes: tuple[str, ...]
    objects: tuple[str, ...]
    #: (attribute, object), in the scene's order.
    bindings: tuple[tuple[str, str], ...]
    binding_set: frozenset[tuple[str, str]]
    text: str
    generation_text: str
    image_prompt: str
    flip: bool
    scattered_text: str | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row of `candidates` with its scene."""

    question_id: str
    position: int
    role: Role
    scene: Scene
    bindings_kept: int
    objects_from: tuple[int, ...]
    attributes_from: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A row of `questions` with its query's scene and its candidates."""

    question_id: str
    n: int
    subset: Subset
    chain_id: str | None
    answer: int
    query: Scene
    candidates: tuple[Candidate, ...]

    @property
    def scenes(self) -> list[Scene]:
        """The query's scene and those of the candidates."""
        return [self.query, *(candidate.scene for candidate in self.candidates)]

    def candidate(self, role: Role) -> Candidate | None:
        """Return the candidate of that role, if there is one."""
        return next((found for found in self.candidates if found.role == role), None)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """What the rules read: the views, the same joined, and what was asked for."""

    connection: duckdb.DuckDBPyConnection
    expected: BenchmarkExpectation
    scenes: tuple[Scene, ...]
    questions: tuple[Question, ...]
    #: The questions of each chain, from the smallest N to the largest.
    chains: Mapping[str, tuple[Question, ...]]
    #: The gallery scenes that hold each question's query, found from the bindings.
    positives: Mapping[str, frozenset[str]]
    #: The captions of each scene, taken apart.
    captions: Mapping[str, Captions]


def read_benchmark(
    connection: duckdb.DuckDBPyConnection, expected: BenchmarkExpectation
) -> Benchmark:
    """Read and join the views."""
    scenes = _read_scenes(connection)
    questions = _read_questions(connection, {scene.scene_id: scene for scene in scenes})
    return Benchmark(
        connection,
        expected,
        scenes,
        questions,
        chains=_chains(questions),
        positives=find_positives(connection),
        captions=_read_captions(scenes, expected.vocabulary),
    )


def _read_scenes(connection: duckdb.DuckDBPyConnection) -> tuple[Scene, ...]:
    rows = connection.execute(
        """
        SELECT
            scene_id,
            [binding.attribute FOR binding IN bindings],
            [binding.object FOR binding IN bindings],
            text,
            generation_text,
            image_prompt,
            flip,
            scattered_text
        FROM scenes ORDER BY scene_id
        """
    ).fetchall()
    return tuple(starmap(_scene, rows))


def _scene(
    scene_id: str,
    attributes: list[str],
    objects: list[str],
    text: str,
    generation_text: str,
    image_prompt: str,
    flip: bool,
    scattered_text: str | None,
) -> Scene:
    # A word recurs hundreds of times: interned, it is held and hashed once.
    attribute_words, object_words = tuple(map(intern, attributes)), tuple(map(intern, objects))
    bindings = tuple(zip(attribute_words, object_words, strict=True))
    return Scene(
        scene_id,
        attribute_words,
        object_words,
        bindings,
        frozenset(bindings),
        text,
        generation_text,
        image_prompt,
        flip,
        scattered_text,
    )


def _read_questions(
    connection: duckdb.DuckDBPyConnection, scenes: Mapping[str, Scene]
) -> tuple[Question, ...]:
    candidates = _read_candidates(connection, scenes)
    rows = connection.execute(
        """
        SELECT question_id, n, subset, chain_id, answer, query_scene_id
        FROM questions ORDER BY question_id
        """
    ).fetchall()
    return tuple(
        Question(
            question_id,
            n,
            subset,
            chain_id,
            answer,
            scenes[query_id],
            tuple(candidates[question_id]),
        )
        for question_id, n, subset, chain_id, answer, query_id in rows
        if query_id in scenes and len(candidates[question_id]) == 4
    )


def _read_candidates(
    connection: duckdb.DuckDBPyConnection, scenes: Mapping[str, Scene]
) -> Mapping[str, list[Candidate]]:
    rows = connection.execute(
        """
        SELECT
            question_id, position, role, scene_id, bindings_kept, objects_from, attributes_from
        FROM candidates ORDER BY question_id, position
        """
    ).fetchall()
    candidates: dict[str, list[Candidate]] = defaultdict(list)
    for question_id, position, role, scene_id, kept, objects_from, attributes_from in rows:
        if scene_id in scenes:
            candidates[question_id].append(
                Candidate(
                    question_id,
                    position,
                    role,
                    scenes[scene_id],
                    kept,
                    tuple(objects_from),
                    tuple(attributes_from),
                )
            )
    return candidates


def _read_captions(scenes: tuple[Scene, ...], vocabulary: Vocabulary) -> Mapping[str, Captions]:
    text, generation = CaptionReader.of_text(vocabulary), CaptionReader.of_generation(vocabulary)
    return {
        scene.scene_id: Captions(text.read(scene.text), generation.read(scene.generation_text))
        for scene in scenes
    }


def _chains(questions: tuple[Question, ...]) -> Mapping[str, tuple[Question, ...]]:
    chains: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        if question.chain_id is not None:
            chains[question.chain_id].append(question)
    return {
        chain_id: tuple(sorted(steps, key=lambda step: step.n))
        for chain_id, steps in chains.items()
    }
