from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from trainer.batches import batch_order

LENGTHS = [number * 7 % 101 for number in range(1_000)]


@given(st.lists(st.integers(0, 99), max_size=300), st.integers(1, 5), st.integers(0, 3))
def test_each_is_in_one_batch(lengths: list[int], batch_size: int, epoch: int) -> None:
    batches = batch_order(lengths, batch_size, 0, epoch)
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    assert all(len(batch) <= batch_size for batch in batches)
    assert len(batches) == -(-len(lengths) // batch_size)


def test_seed_and_epoch_decide_on_the_order() -> None:
    order = batch_order(LENGTHS, 8, 0, 0)
    assert order == batch_order(LENGTHS, 8, 0, 0)
    assert order != batch_order(LENGTHS, 8, 0, 1)
    assert order != batch_order(LENGTHS, 8, 1, 0)


def test_texts_of_similar_length_share_a_batch() -> None:
    spreads = [
        max(LENGTHS[place] for place in batch) - min(LENGTHS[place] for place in batch)
        for batch in batch_order(LENGTHS, 8, 0, 0)
    ]
    assert sum(spreads) / len(spreads) < 5


def test_an_epoch_is_not_sorted_by_length() -> None:
    means = [
        sum(LENGTHS[place] for place in batch) / len(batch)
        for batch in batch_order(LENGTHS, 8, 0, 0)
    ]
    rises = sum(later > earlier for earlier, later in pairwise(means))
    assert 0.3 < rises / len(means) < 0.7
