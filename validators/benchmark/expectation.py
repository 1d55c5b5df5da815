"""What a build was asked to hold: the yardstick for its counts and words.

Doesn't know what the build holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from vocab.benchmark_words import Vocabulary


@dataclass(frozen=True, slots=True)
class BenchmarkExpectation:
    """The sizes and the vocabulary that a benchmark build was made with."""

    #: For each N the number of independent questions and the number of chains that pass through it.
    sizes: Mapping[int, tuple[int, int]]
    vocabulary: Vocabulary
    #: Whether every scene has a scattered text.
    scattered: bool = True

    @property
    def chain_lengths(self) -> list[int]:
        """The N at which every chain has one question: from the smallest to the largest."""
        nested = [n for n, (_, chains) in self.sizes.items() if chains]
        return list(range(min(nested), max(nested) + 1)) if nested else []
