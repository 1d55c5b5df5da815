"""Rows for tests: Hypothesis strategies for every record type, and small builds made of rows."""

import types
from pathlib import Path
from typing import Annotated, Literal, Union, get_args, get_origin

from hypothesis import strategies as st
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from artifacts.builds import Build, shard_name
from artifacts.files import FileEntry
from artifacts.manifest import Manifest, Stage, fingerprint, write_manifest
from artifacts.parquet import write_table
from artifacts.records import (
    Binding,
    BoundPair,
    Candidate,
    Example,
    Question,
    Record,
    Relevance,
    Scene,
    SplitMember,
)
from artifacts.schema import to_stored_table

INT64_MAX = 2**63 - 1


def records(record_type: type[BaseModel]) -> st.SearchStrategy[BaseModel]:
    """Return a strategy of valid records of `record_type`."""
    fields = {name: _values_of(info) for name, info in record_type.model_fields.items()}
    return st.fixed_dictionaries(fields).map(lambda values: record_type(**values))


def _values_of(info: FieldInfo) -> st.SearchStrategy[object]:
    if info.annotation is int:
        return _integers(info)
    if info.annotation is float:
        return _floats(info)
    values = _annotated(info.annotation)
    return values.filter(bool) if any(hasattr(m, "min_length") for m in info.metadata) else values


def _integers(info: FieldInfo) -> st.SearchStrategy[object]:
    low, high = -INT64_MAX, INT64_MAX
    for bound in info.metadata:
        low = getattr(bound, "ge", getattr(bound, "gt", low - 1) + 1)
        high = getattr(bound, "le", high)
    return st.integers(low, high)


def _floats(info: FieldInfo) -> st.SearchStrategy[object]:
    lows = [bound.ge for bound in info.metadata if hasattr(bound, "ge")]
    highs = [bound.le for bound in info.metadata if hasattr(bound, "le")]
    return st.floats(min(lows, default=None), max(highs, default=None), allow_nan=False)


def _annotated(annotation: object) -> st.SearchStrategy[object]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _annotated(arguments[0]).filter(bool)
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, types.UnionType):
        return st.one_of([_annotated(argument) for argument in arguments])
    if origin is list:
        return st.lists(_annotated(arguments[0]), max_size=3)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return records(annotation)
    scalars: dict[object, st.SearchStrategy[object]] = {
        str: st.text(max_size=8),
        int: st.integers(-INT64_MAX, INT64_MAX),
        bool: st.booleans(),
        float: st.floats(allow_nan=False),
        type(None): st.none(),
    }
    return scalars[annotation]


def scene(number: int) -> Scene:
    """Return a valid scene; nothing about it is meant to make sense."""
    return Scene(
        scene_id=f"s{number}",
        bindings=[Binding(attribute="red", object="cube"), Binding(attribute="wet", object="kite")],
        text="A red cube and a wet kite.",
        generation_text="A red cube and a wet kite.",
        image_prompt=f"prompt {number}",
        flip=number % 2 == 0,
        scattered_text=None if number % 3 else "A cube and a kite: the first is a red one.",
    )


def example(construction: str, attempt: int) -> Example:
    """Return a valid example; nothing about it is meant to make sense."""
    return Example(
        example_id=f"{construction}-{attempt}",
        construction=construction,
        query=f"query {attempt}",
        positive="positive",
        negative_attribute="attribute moved",
        negative_object="object moved",
        pairs=[BoundPair(attributes=["red"], object="cube")],
        distractors=[],
        length_words=10,
        band_low=10,
        band_high=15,
        distance_words=1,
        window_low=0,
        window_high=2,
        scene="yard",
        time=None,
        weather=None,
        writing_register="plain",
        opener="article",
        families=["color", None],
        counterbalanced=True,
        kept_pair=None,
        swapped_slot=None,
        described_first=None,
        remarks=[],
        writer="embedded",
        model="grammar 1",
        attempt=attempt,
    )


def store(build: Build, name: str, record_type: type[Record], rows: list[Record]) -> FileEntry:
    """Write `rows` as one file of `build`."""
    build.path.mkdir(parents=True, exist_ok=True)
    return write_table(build.path, name, record_type.view, to_stored_table(record_type, rows))


def manifest(stage: Stage, files: list[FileEntry]) -> Manifest:
    """Return a manifest that lists `files`."""
    return Manifest(
        stage=stage,
        settings={"seed": 1},
        fingerprint=fingerprint({"seed": 1}),
        files=files,
        counts={"files": len(files)},
        versions={"pyarrow": "26"},
        complete=True,
    )


def benchmark_build(root: Path, name: str = "tiny") -> Build:
    """Write a benchmark of one question and return its build."""
    build = Build(root, name)
    question = Question(
        question_id="q0", n=2, subset="independent", chain_id=None, query_scene_id="s0", answer=1
    )
    candidate = Candidate(
        question_id="q0",
        position=1,
        role="preserving",
        scene_id="s1",
        bindings_kept=2,
        objects_from=[1, 0],
        attributes_from=[1, 0],
    )
    rows: dict[type[Record], list[Record]] = {
        Question: [question],
        Candidate: [candidate],
        Scene: [scene(number) for number in range(5)],
        Relevance: [Relevance(question_id="q0", scene_id="s1")],
    }
    files = [
        store(build, f"benchmark/{kind.view}.parquet", kind, records)
        for kind, records in rows.items()
    ]
    write_manifest(build.manifest("benchmark"), manifest("benchmark", files))
    return build


def dataset_build(root: Path, name: str = "texts") -> Build:
    """Write a dataset of two constructions in three shards, unfinished: it has no splits."""
    build = Build(root, name)
    for construction, shards in {"pair_swap": 2, "attr_bundle": 1}.items():
        files = [
            store(
                build,
                shard_name("examples", construction, number),
                Example,
                [example(construction, number * 3 + row) for row in range(3)],
            )
            for number in range(shards)
        ]
        build.streams.mkdir(parents=True, exist_ok=True)
        write_manifest(build.stream(construction), manifest("dataset", files))
    return build


def finish_dataset(build: Build) -> None:
    """Add the splits: pair_swap for training, the rest held out."""
    members: list[Record] = [
        SplitMember(
            example_id=f"{construction}-{attempt}",
            split="train" if construction == "pair_swap" else "held_out",
        )
        for construction, count in {"pair_swap": 6, "attr_bundle": 3}.items()
        for attempt in range(count)
    ]
    entry = store(build, "dataset/splits.parquet", SplitMember, members)
    write_manifest(build.manifest("dataset"), manifest("dataset", [entry]))
