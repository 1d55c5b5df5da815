"""A scene told so that no attribute stands beside its object: objects first, then what each is.

Not a caption of the paper's, and no draw is made for it. Knows the one sentence; which bindings a
scene has, and whether this text is wanted at all, others decide.
"""

from collections.abc import Iterable

from generators.captions import join_phrases, with_article
from generators.gallery import Bound

_UNITS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_TEENS = (
    *("tenth", "eleventh", "twelfth", "thirteenth", "fourteenth"),
    *("fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"),
)
#: A scene has fifty bindings at most.
_TENS = {2: "twent", 3: "thirt", 4: "fort", 5: "fift"}


def scattered_caption(bindings: Iterable[Bound]) -> str:
    """Return "One cube appears and one kite appears: the first is a red one and the second ...".

    Every object stands between "one" and "appears", every attribute between its article and "one":
    whatever is bound to what, and in whatever order, the same words are neighbours. An attribute
    stands before "one" as before any object: "is a soap-bubble one" is right, "is soap-bubble" not.
    """
    pairs = list(bindings)
    things = join_phrases([f"one {thing} appears" for _, thing in pairs])
    looks = join_phrases(
        [
            f"the {ordinal(place)} is {with_article(attribute)} one"
            for place, (attribute, _) in enumerate(pairs, start=1)
        ]
    )
    return f"{things[0].upper()}{things[1:]}: {looks}."


def ordinal(place: int) -> str:
    """Return "first", "second", ..., "fifty-ninth"."""
    if place < 10:
        return _UNITS[place - 1]
    if place < 20:
        return _TEENS[place - 10]
    tens, units = divmod(place, 10)
    return f"{_TENS[tens]}y-{_UNITS[units - 1]}" if units else f"{_TENS[tens]}ieth"
