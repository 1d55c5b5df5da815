"""Splits and triplets: each way to be wrong, found and named, and the nearest right."""

from collections.abc import Callable

import pytest

from tests.validators.dataset.tiny_dataset import Rows, findings, rows_of, tiny_rows
from tests.validators.dataset.tiny_examples import tiny_examples


def _no_split(rows: Rows) -> None:
    rows.splits = [row for row in rows.splits if row["example_id"] != "pair_swap-0"]


def _other_split(rows: Rows) -> None:
    next(row for row in rows.splits if row["example_id"] == "pair_swap-0")["split"] = "test"


def _stranger_in_splits(rows: Rows) -> None:
    rows.splits.append({"example_id": "pair_swap-9", "split": "train"})


def _move(rows: Rows, name: str, split: str) -> None:
    for row in (rows.example(name), rows.triplet(name, "attribute"), rows.triplet(name, "object")):
        row["split"] = split
    next(row for row in rows.splits if row["example_id"] == name)["split"] = split


def _train_held_out(rows: Rows) -> None:
    _move(rows, "deferred_bind_anaphoric-0", "train")


def _hold_out_open(rows: Rows) -> None:
    _move(rows, "pair_swap-0", "held_out")


def _large_test(rows: Rows) -> None:
    _move(rows, "pair_swap-0", "test")


def _no_triplet(rows: Rows) -> None:
    rows.triplets.remove(rows.triplet("pair_swap-0", "object"))


def _same_kind(rows: Rows) -> None:
    rows.triplet("pair_swap-0", "object")["kind"] = "attribute"


def _orphan_triplets(rows: Rows) -> None:
    for kind in ("attribute", "object"):
        rows.triplets.append({**rows.triplet("pair_swap-0", kind), "example_id": "pair_swap-9"})


def _other_negative(rows: Rows) -> None:
    example = rows.example("pair_swap-0")
    rows.triplet("pair_swap-0", "object")["negative"] = example["negative_attribute"]


def _other_triplet_split(rows: Rows) -> None:
    rows.triplet("pair_swap-0", "attribute")["split"] = "test"


Edit = Callable[[Rows], None]


@pytest.mark.parametrize(
    ("rule", "edit", "finding"),
    [
        (
            "every_example_in_one_split",
            _no_split,
            "pair_swap-0: 0 rows in splits, none; in examples train",
        ),
        (
            "every_example_in_one_split",
            _other_split,
            "pair_swap-0: 1 rows in splits, test; in examples train",
        ),
        (
            "every_example_in_one_split",
            _stranger_in_splits,
            "pair_swap-9: 1 rows in splits, train; in examples missing",
        ),
        (
            "held_out_constructions_are_held_out",
            _train_held_out,
            "deferred_bind_anaphoric-0: train, a deferred_bind_anaphoric",
        ),
        (
            "held_out_constructions_are_held_out",
            _hold_out_open,
            "pair_swap-0: held_out, a pair_swap",
        ),
        ("splits_have_their_sizes", _large_test, "test: 2 of 10 examples, expected 1"),
        ("two_triplets_per_example", _no_triplet, "pair_swap-0: triplets attribute"),
        ("two_triplets_per_example", _same_kind, "pair_swap-0: triplets attribute, attribute"),
        (
            "two_triplets_per_example",
            _orphan_triplets,
            "pair_swap-9: triplets attribute, object, no example",
        ),
        (
            "triplets_repeat_their_example",
            _other_negative,
            "pair_swap-0: the object triplet has other texts or another split",
        ),
        (
            "triplets_repeat_their_example",
            _other_triplet_split,
            "pair_swap-0: the attribute triplet has other texts or another split",
        ),
    ],
)
def test_a_wrong_set_is_found(rule: str, edit: Edit, finding: str) -> None:
    rows = tiny_rows()
    edit(rows)
    assert finding in findings(rows)[rule]


@pytest.mark.parametrize(
    ("rule", "edit"),
    [
        ("every_example_in_one_split", _stranger_in_splits),
        ("splits_have_their_sizes", _large_test),
        ("held_out_constructions_are_held_out", _train_held_out),
        ("two_triplets_per_example", _no_triplet),
        ("triplets_repeat_their_example", _other_negative),
    ],
)
def test_nothing_else_fails_with_it(rule: str, edit: Edit) -> None:
    rows = tiny_rows()
    edit(rows)
    assert findings(rows).keys() == {rule}


def _share_words(split: str, first: str, second: str) -> Rows:
    """Return rows in which predicative-2, in `split`, has the words of pair_swap-0, in training."""
    examples = tiny_examples()
    example = examples["predicative-2"]
    words = {"quiet": "red", "noisy": "icy", "engine": first, "street": second}
    for column in ("query", "positive", "negative_attribute", "negative_object"):
        for old, new in words.items():
            example[column] = example[column].replace(old, new)
    example["pairs"] = [
        {"attributes": ["red"], "object": first},
        {"attributes": ["icy"], "object": second},
    ]
    example["families"] = ["color", None]
    rows = rows_of(examples.values())
    _move(rows, "triple_bind_swap-0", "test" if split == "train" else "train")
    _move(rows, "predicative-2", split)
    return rows


@pytest.mark.parametrize("objects", [("tunic", "shroud"), ("shroud", "tunic")])
def test_words_in_two_splits_are_found_whatever_their_pairing(objects: tuple[str, str]) -> None:
    assert findings(_share_words("test", *objects)) == {
        "no_word_set_in_two_splits": [
            "pair_swap-0 (train), predicative-2 (test): the same words",
        ]
    }


def test_the_same_words_may_share_a_split_or_differ_by_one() -> None:
    assert findings(_share_words("train", "tunic", "shroud")) == {}
    assert findings(_share_words("test", "tunic", "cloak")) == {}
