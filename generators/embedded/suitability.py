"""Which verbs and adverbs suit which attributes: nothing "looked stolen" or "became oak".

Every family of adjectives has traits, one letter each; so does every bank of `phrases.toml` that
asks for one. A verb may bind an attribute whose family has the bank's trait. Knows nothing of
sentences.
"""

from collections.abc import Iterable
from functools import cache
from itertools import combinations_with_replacement

from vocab.dataset_words import load_word_bank

#: What a bank's suffix asks of every attribute: "…_looks" of traits "l", and so on.
TRAITS = {"looks": "l", "visible": "v", "judged": "j", "recorded": "r", "changes": "c"}

_SEEN, _SUBSTANCE, _OPINION = frozenset("lrv"), frozenset("rv"), frozenset("jl")
_STATUS = frozenset("r")
_TRAITS_OF = {
    **dict.fromkeys(("color", "pattern", "texture", "size", "shape", "condition", "wear"), _SEEN),
    **dict.fromkeys(("fabric", "metal", "wood", "material"), _SUBSTANCE),
    **dict.fromkeys(("age", "style", "quality", "appeal"), _OPINION),
    **dict.fromkeys(("value", "origin"), _STATUS),
    **dict.fromkeys(("cleanliness", "moisture"), _SEEN | {"c"}),
}
#: Words of changing families for what nothing becomes by itself; those in "un-" are others.
_TREATED = frozenset({"washed", "scrubbed", "sanitized", "disinfected", "dried"})

#: Every set of traits that two attributes may share, as a suffix to the name of a bank.
SUITS = tuple(
    sorted(
        {
            "".join(sorted(one & other))
            for one, other in combinations_with_replacement(
                (*_TRAITS_OF.values(), frozenset[str]()), 2
            )
        }
    )
)


def find_suit(attributes: Iterable[str]) -> str:
    """Return the traits that all attributes share, as a suffix to the name of a bank."""
    return "".join(sorted(frozenset.intersection(*map(_find_traits, attributes))))


@cache
def _find_traits(attribute: str) -> frozenset[str]:
    word = attribute.lower()
    if word.endswith("-looking"):
        return frozenset()
    traits = _TRAITS_OF.get(load_word_bank().family_of.get(word, ""), frozenset())
    return traits - {"c"} if word.startswith("un") or word in _TREATED else traits
