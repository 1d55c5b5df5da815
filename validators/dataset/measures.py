"""Rules on lengths and distances, recomputed from the positive, in words (section B.3).

A rule returns what is wrong with an example, or None.
"""

from collections.abc import Callable, Mapping
from itertools import pairwise

from validators.dataset.case import Case

#: How much shorter than its band a caption may be, and how much longer.
_BELOW, _ABOVE = 1, 4


def length_recomputed(case: Case) -> str | None:
    """`length_words` is the number of words of the positive."""
    stated, found = case.row.length_words, len(case.positive.words)
    return None if stated == found else f"length_words is {stated}, the positive has {found}"


def length_within_band(case: Case) -> str | None:
    """The positive is at most one word below its band and four above it."""
    (low, high), found = case.row.band, len(case.positive.words)
    if low <= high and low - _BELOW <= found <= high + _ABOVE:
        return None
    return f"{found} words, the band is {low}-{high}"


def distance_recomputed(case: Case) -> str | None:
    """`distance_words` is the positive's binding distance."""
    measure = _MEASURES.get(case.row.construction)
    if measure is None:
        return None
    stated, found = case.row.distance_words, measure(case)
    return None if stated == found else f"distance_words is {stated}, the positive has {found}"


def distance_within_window(case: Case) -> str | None:
    """The binding distance is in its window, both ends counting."""
    (low, high), found = case.row.window, case.row.distance_words
    return None if low <= found <= high else f"distance {found}, the window is {low}-{high}"


def _between_phrases(case: Case) -> int:
    """The fewest words between one core phrase and the next, attributes being part of them."""
    objects = [place for place in case.positive.places if place.is_object]
    each = case.shape.attributes_per_object
    return min(right.first - each - left.last for left, right in pairwise(objects))


def _between_partners(case: Case) -> int:
    """The fewest words between an object and its own attribute."""
    gaps = []
    for pair in case.row.pairs:
        noun, attribute = case.place_of(pair.object), case.place_of(pair.attributes[0])
        gaps.append(max(noun.first, attribute.first) - min(noun.last, attribute.last))
    return min(gaps)


def _until_described(case: Case) -> int:
    """The words between the last object and the first attribute."""
    places = case.positive.places
    described = min(place.first for place in places if not place.is_object)
    return described - max(place.last for place in places if place.is_object)


#: A construction that isn't listed is measured by its own rules alone.
_MEASURES: Mapping[str, Callable[[Case], int]] = {
    "pair_swap": _between_phrases,
    "attr_bundle": _between_phrases,
    "triple_bind_cycle": _between_phrases,
    "triple_bind_swap": _between_phrases,
    "predicative": _between_partners,
    "deferred_bind_anaphoric": _until_described,
    "deferred_bind_respective": _until_described,
}
