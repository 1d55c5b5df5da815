"""The triplets that no run trains on: the test split, and each construction that is held out.

Reads the views `triplets` and `examples` of a published dataset; knows no model and no score.
A draw takes whole examples, by the seed and their ids alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.seeds import derive_seed
from evaluation.embedders.embedder import Embedder, TextInput, Vectors
from evaluation.metrics.triplets import triplet_credit

_SQL = """
    SELECT
        if(split = 'test', 'test', construction) AS part,
        triplets.example_id || '/' || kind AS item,
        triplets.example_id, triplets.query, triplets.positive, negative
    FROM triplets JOIN (SELECT example_id, construction FROM examples) USING (example_id)
    WHERE split IN ('test', 'held_out')
    ORDER BY part, item
"""

Side = Literal["query", "positive", "negative"]


class HeldOutTriplet(NamedTuple):
    """A query, the caption that has its bindings, and one that has others."""

    #: example_id/kind.
    item: str
    example_id: str
    query: str
    positive: str
    negative: str


@dataclass(frozen=True, slots=True)
class Part:
    """The test split, or a construction that is held out."""

    name: str
    triplets: tuple[HeldOutTriplet, ...]


def read_parts(build: Build, most: int, seed: int) -> list[Part]:
    """Return the parts of the published dataset of `build`, at most so many triplets of each."""
    with connect(build, {"triplets", "examples"}) as connection:
        rows = connection.execute(_SQL).fetchall()
    parts: dict[str, list[HeldOutTriplet]] = {}
    for part, *row in rows:
        parts.setdefault(part, []).append(HeldOutTriplet(*row))
    return [Part(name, _drawn(parts[name], most, seed)) for name in sorted(parts)]


def score_part(embedder: Embedder, part: Part) -> NDArray[np.float64]:
    """Return the credit of each triplet, from 0 to 1; each different text is embedded once."""
    sides: tuple[Side, ...] = ("query", "positive", "negative")
    texts = list(dict.fromkeys(getattr(one, side) for side in sides for one in part.triplets))
    vectors = embedder.embed_texts([TextInput(f"{part.name} {i}", t) for i, t in enumerate(texts)])
    row_of = {text: row for row, text in enumerate(texts)}
    return triplet_credit(*(_side(part.triplets, side, row_of, vectors) for side in sides))


def _side(
    triplets: Sequence[HeldOutTriplet], side: Side, row_of: dict[str, int], vectors: Vectors
) -> Vectors:
    return vectors[[row_of[getattr(triplet, side)] for triplet in triplets]]


def _drawn(triplets: list[HeldOutTriplet], most: int, seed: int) -> tuple[HeldOutTriplet, ...]:
    if len(triplets) <= most:
        return tuple(triplets)
    rank = {one.example_id: derive_seed(seed, "held out", one.example_id) for one in triplets}
    drawn = sorted(triplets, key=lambda one: (rank[one.example_id], one.item))[:most]
    return tuple(sorted(drawn))
