"""Seeds for every draw, derived from what is drawn and never from shared state.

A seed is a hash of the path that leads to the draw ("build seed / construction / attempt"), so a
draw does not move when another is added before it. Knows nothing of what is drawn.
"""

import hashlib
import random


def derive_seed(*path: str | int) -> int:
    """Return a 64-bit seed for the draw at `path`: the same for a path on every machine."""
    digest = hashlib.blake2b("/".join(map(str, path)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def derive_random(*path: str | int) -> random.Random:
    """Return a random generator of its own for the draws at `path`."""
    return random.Random(derive_seed(*path))
