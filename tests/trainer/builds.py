"""Small builds whose triplets say what they are, and recipes for them."""

from pathlib import Path

import pyarrow as pa

from artifacts.builds import Build, shard_name
from artifacts.manifest import write_manifest
from artifacts.model_settings import TrainingSettings
from artifacts.records import Example, Record, SplitMember
from artifacts.records import Split as SplitName
from tests.artifacts.rows import example, manifest, store
from trainer.recipe import Recipe, resolve_recipe
from trainer.triplets import COLUMNS, Triplet, Triplets

#: Split of each tenth example.
SPLITS: tuple[SplitName, ...] = ("train",) * 7 + ("validation",) * 2 + ("test",)


def recipe(**settings: object) -> Recipe:
    """Return a recipe of the smallest preset with these settings."""
    return resolve_recipe(TrainingSettings.model_validate(settings))


def texts_build(root: Path, texts: list[str], name: str = "texts") -> Build:
    """Return a finished dataset whose positives are `texts`; every tenth ones share a split."""
    build = Build(root, name)
    rows: list[Record] = [
        example("pair_swap", number).model_copy(
            update={
                "positive": text,
                "negative_attribute": f"{text} attribute",
                "negative_object": f"{text} object",
            }
        )
        for number, text in enumerate(texts)
    ]
    members: list[Record] = [
        SplitMember(example_id=f"pair_swap-{number}", split=SPLITS[number % 10])
        for number in range(len(texts))
    ]
    files = [
        store(build, shard_name("examples", "pair_swap", 0), Example, rows),
        store(build, "dataset/splits.parquet", SplitMember, members),
    ]
    write_manifest(build.manifest("dataset"), manifest("dataset", files))
    return build


def triplet_table(rows: int, split: str = "train") -> pa.Table:
    """Return a table of `rows` triplets, two per example."""
    return pa.table(
        {
            column: [
                {
                    "example_id": f"e{row // 2}",
                    "kind": ("attribute", "object")[row % 2],
                    "split": split,
                }.get(column, f"{column} {row}")
                for row in range(rows)
            ]
            for column in COLUMNS
        }
    )


def some_triplets(train: int = 24, validation: int = 8) -> Triplets:
    """Return triplets over a handful of words."""
    colors, things = ("red", "green", "blue", "pale"), ("cube", "kite", "mug", "harp", "bell")

    def make(number: int) -> Triplet:
        first, second = colors[number % 4], colors[(number + 1 + number // 4) % 4]
        left, right = things[number % 5], things[(number + 1 + number // 5) % 5]
        ending = " in the sun" * (number % 3)
        return Triplet(
            f"e{number // 2}",
            ("attribute", "object")[number % 2],
            f"{first} {left} and {second} {right}",
            f"On a shelf stand a {second} {right} and a {first} {left}{ending}.",
            f"On a shelf stand a {first} {right} and a {second} {left}{ending}.",
        )

    return Triplets(
        tuple(map(make, range(train))),
        tuple(map(make, range(train, train + validation))),
        "dataset-fingerprint",
    )
