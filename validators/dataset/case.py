"""One stored example made ready for the rules: its row, and its four texts taken apart once.

Also which words a negative moved, read off the texts. Judges nothing.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from artifacts.plans import Pair
from artifacts.words import words_of
from validators.dataset.expectation import DatasetExpectation
from validators.dataset.layout import CoreWord, Layout, Place, lay_out
from validators.dataset.rows import ExampleRow
from validators.evidence import Checker

#: For every place of the negative the place of the positive whose word stands there.
Move = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A row and what the rules ask of it."""

    row: ExampleRow
    #: How many objects and attributes the construction has, and whether it takes distractors.
    shape: Checker
    expected: DatasetExpectation
    query: Layout
    positive: Layout
    negative_attribute: Layout
    negative_object: Layout

    @property
    def captions(self) -> tuple[Layout, Layout, Layout]:
        """The positive and both negatives."""
        return self.positive, self.negative_attribute, self.negative_object

    @property
    def is_readable(self) -> bool:
        """Whether the pairs fit the construction and each core word stands in each text once."""
        each, objects = self.shape.attributes_per_object, self.shape.objects
        fits = [len(pair.attributes) for pair in self.row.pairs] == [each] * objects
        return fits and all(
            len(layout.places) == objects * (1 + each) for layout in (self.query, *self.captions)
        )

    def place_of(self, word: str) -> Place:
        """Return where a core word stands in the positive."""
        folded = fold(word)
        return next(place for place in self.positive.places if place.word == folded)

    @property
    def attribute_move(self) -> Move:
        """How the attribute negative moves attributes."""
        return _move(self.positive.attributes, self.negative_attribute.attributes)

    @property
    def object_move(self) -> Move:
        """How the object negative moves objects."""
        return _move(self.positive.objects, self.negative_object.objects)


def prepare(row: ExampleRow, shape: Checker, expected: DatasetExpectation) -> Case:
    """Take the texts of a row apart."""
    attributes, objects = core_words(row.pairs)
    roles = {**dict.fromkeys(attributes, False), **dict.fromkeys(objects, True)}
    words = [CoreWord(word, is_object, words_of(word)) for word, is_object in roles.items()]
    return Case(
        row,
        shape,
        expected,
        lay_out("query", row.query, words),
        lay_out("positive", row.positive, words),
        lay_out("negative_attribute", row.negative_attribute, words),
        lay_out("negative_object", row.negative_object, words),
    )


def core_words(pairs: Sequence[Pair]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the attributes and the objects in pair order, as they are counted."""
    attributes = [fold(word) for pair in pairs for word in pair.attributes]
    return tuple(attributes), tuple(fold(pair.object) for pair in pairs)


def fold(word: str) -> str:
    """Return a word as it is counted: whatever its case and spacing."""
    return " ".join(word.casefold().split())


def one_article(words: Sequence[str]) -> list[str]:
    """Return folded words with a and an as one."""
    return ["a" if word == "an" else word for word in words]


def draft_text(row: ExampleRow) -> str | None:
    """Return the caption of the row's draft, or None where that can't be had."""
    try:
        draft = json.loads(row.raw or "")
    except ValueError:
        return None
    text = draft.get("positive") if isinstance(draft, dict) else None
    return text if isinstance(text, str) else None


def _move(before: Sequence[str], after: Sequence[str]) -> Move:
    return tuple(before.index(word) for word in after)
