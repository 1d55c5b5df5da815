"""Statistics of whole examples: duplicates, vocabulary, and where the queried pairs stand.

Knows the pairs in the query's order and the positive that mentions them; nothing of negatives.
Words are case folded.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import factorial, log2
from statistics import fmean

from artifacts.plans import Pair
from validators.audit.mentions import Mentions
from validators.audit.pair_statistics import duplicate_positives, repeats
from validators.audit.pairs import ExampleFacts
from validators.audit.reports import GATED_PAIRS, GateVerdict, Statistic

_TOP_WORDS = 100
#: deferred_bind_anaphoric describes the second object first in half of its examples.
_SIDE_EXPECTED = 50.0
_SIDE_TOLERANCE = 2.0
#: Two pairs an example: the gate asks for as many pairs as those of the scorers.
_SIDE_EXAMPLES = GATED_PAIRS // 2


def example_statistics(
    examples: Sequence[ExampleFacts],
    mentions: Sequence[Mentions | None],
    construction: str | None,
    family_of: Mapping[str, str],
) -> Iterator[Statistic]:
    """Yield the statistics of the examples of `construction`, or of all where it is None.

    `mentions` are what `mentions_of` returns for each of them.
    """
    yield from _duplicates(examples, construction)
    yield from _vocabulary(examples, construction, family_of)
    yield from _places(mentions, construction)
    if construction is not None:
        yield from _sides(examples, construction)


def _duplicates(examples: Sequence[ExampleFacts], construction: str | None) -> Iterator[Statistic]:
    yield duplicate_positives([example.positive for example in examples], construction)
    # A set may recur in another construction: it is told apart by the construction's name.
    sets = repeats((example.construction, *_word_set(example.pairs)) for example in examples)
    yield Statistic("duplicate_sets", construction, sets, "count", len(examples))


def _word_set(pairs: Sequence[Pair]) -> tuple[frozenset[str], frozenset[str]]:
    """Return all attributes and all objects (section B.3), whatever their pairing."""
    attributes = frozenset(attribute for pair in pairs for attribute in pair.attributes)
    return attributes, frozenset(pair.object for pair in pairs)


def _vocabulary(
    examples: Sequence[ExampleFacts], construction: str | None, family_of: Mapping[str, str]
) -> Iterator[Statistic]:
    pairs = [pair for example in examples for pair in example.pairs]
    attributes = Counter(word for pair in pairs for word in pair.attributes)
    words = attributes + Counter(pair.object for pair in pairs)
    total = words.total()
    top = 100 * sum(count for _, count in words.most_common(_TOP_WORDS)) / total
    yield Statistic("top_100_share", construction, top, "percent", total)
    yield Statistic("distinct_words", construction, len(words), "count", total)
    yield from _families(attributes, construction, family_of)


def _families(
    attributes: Counter[str], construction: str | None, family_of: Mapping[str, str]
) -> Iterator[Statistic]:
    """Yield how evenly each family's words are used: its entropy, which is at most `expected`."""
    families: dict[str, dict[str, int]] = {}
    for word, family in family_of.items():
        families.setdefault(family, {})[word.casefold()] = attributes[word.casefold()]
    for family, counts in sorted(families.items()):
        used = sum(counts.values())
        if used:
            yield Statistic(
                "family_entropy",
                construction,
                _entropy_bits(counts.values()),
                "bits",
                used,
                subject=family,
                expected=log2(len(counts)),
            )


def _entropy_bits(counts: Iterable[int]) -> float:
    used = [count for count in counts if count]
    total = sum(used)
    return log2(total) - sum(count * log2(count) for count in used) / total


def _places(mentions: Sequence[Mentions | None], construction: str | None) -> Iterator[Statistic]:
    """Yield where the text first mentions each queried pair, and whether in the query's order."""
    found = [places for places in mentions if places is not None]
    missed = len(mentions) - len(found)
    yield Statistic("unplaced_examples", construction, missed, "count", len(mentions))
    if not found:
        return
    for index in range(max(len(one.places) for one in found)):
        places = [one.places[index] for one in found if index < len(one.places)]
        mean = 100 * fmean(places)
        name = f"pair {index + 1}"
        yield Statistic("mention_position", construction, mean, "percent", len(places), name)
    yield _order(found, construction)


def _order(found: Sequence[Mentions], construction: str | None) -> Statistic:
    kept = 100 * fmean(one.in_query_order for one in found)
    chance = 100 * fmean(1 / factorial(len(one.places)) for one in found)
    return Statistic(
        "query_order_share", construction, kept, "percent", len(found), expected=chance
    )


def _sides(examples: Sequence[ExampleFacts], construction: str) -> Iterator[Statistic]:
    """Yield how often the second object is described first, where that is drawn."""
    drawn = [e.described_first for e in examples if e.described_first is not None]
    if not drawn:
        return
    share = 100 * sum(drawn) / len(drawn)
    yield Statistic(
        "second_described_first",
        construction,
        share,
        "percent",
        len(drawn),
        expected=_SIDE_EXPECTED,
        tolerance=_SIDE_TOLERANCE,
        verdict=_side_verdict(share, len(drawn)),
    )


def _side_verdict(share: float, examples: int) -> GateVerdict:
    if examples < _SIDE_EXAMPLES:
        return "too_few"
    return "passed" if abs(share - _SIDE_EXPECTED) <= _SIDE_TOLERANCE else "failed"
