"""In which order triplets are trained on, and which share a batch.

A batch is padded to its longest text, so those of similar length go together: with sixteen triplets
random batches compute 1.4 times as many tokens. Pools of some batches are drawn at random, sorted
by length and cut, and their batches shuffled, so that an epoch's order still knows no length.
Knows lengths and a seed; nothing of texts.
"""

from collections.abc import Sequence

from artifacts.seeds import derive_random

_POOL_BATCHES = 50


def batch_order(lengths: Sequence[int], batch_size: int, seed: int, epoch: int) -> list[list[int]]:
    """Return the batches of one epoch as places in `lengths`; each place is in one of them."""
    draw = derive_random(seed, "batches", epoch)
    places = list(range(len(lengths)))
    draw.shuffle(places)
    pool_size = batch_size * _POOL_BATCHES
    batches: list[list[int]] = []
    for start in range(0, len(places), pool_size):
        pool = sorted(places[start : start + pool_size], key=lambda place: lengths[place])
        cut = [pool[first : first + batch_size] for first in range(0, len(pool), batch_size)]
        draw.shuffle(cut)
        batches += cut
    return batches
