"""The indefinite article of a word, by its sound in US English (section A.3).

`inflect` decides; the tables below correct the words it gets wrong, through its own `defa` and
`defan`. Knows nothing of sentences: the caller says which word follows the article.
"""

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeVar

import typeguard

#: Whole-word patterns that inflect gives "a" and that begin with a vowel sound.
_VOWEL_SOUNDS = (
    "8.*",
    # 11 and 18, as such, as years or hundreds ("1865", "1100s") and before thousands.
    "1[18]([0-9]{2}|(,?[0-9]{3})+)?([^0-9,].*)?",
    "ew(?!(e|er)s?(-|$)).*",
    "herb(s|al|als|ed|alists?|aceous|y)?(-.*)?",
    "homage.*",
    "hors-d.*",
    "uni(gn|ll|rr|ron|ss).*",
    "ushanka.*",
    "usher.*",
    # A y before a consonant is a vowel: ylang-ylang.
    "y[b-df-hj-np-tvwxz].*",
    # Read by letters, whatever the case: rv, lcd, mp3, rpm.
    "[fhlmnrsx][b-df-hj-np-tv-xz]*[0-9]*s?(-.*)?",
    "(?-i:EU|FAQ|HIV|LED|MIT|MRI|NGO|RAF|SAT|SOS|SUV)s?(-.*)?",
)
#: The same with "an" and a consonant sound; these come before those above.
_CONSONANT_SOUNDS = (
    "one(?![ir]).*",
    "oui.*",
    "ulys.*",
    "unanim.*",
    "unesco.*",
    "unis?(-.*)?",
    "uni(d(irection|imension)|nucl).*",
    "uv(ea|ula).*",
    # Initialisms that begin with the name of u or y: UV, URL, UHF, UAV, YMCA.
    "(u[0-9]+|uk|url|usb|uv[abc]?)s?(-.*)?",
    "(?-i:U(AE|AV|[B-DF-HJ-NP-TV-XZ]+[0-9]*)|Y[A-Z]+)s?(-.*)?",
    # Abbreviations that are spoken in full.
    "(lt|mrs?|mt|sr|st)(-.*)?",
)


if TYPE_CHECKING:
    import inflect

_Function = TypeVar("_Function")


@contextmanager
def _unchecked() -> Iterator[None]:
    """Let inflect load without type checks at run time.

    They take two seconds of every process that loads it, and seven eighths of each look-up.
    """

    def as_it_is(function: _Function) -> _Function:
        return function

    checked = typeguard.typechecked
    typeguard.typechecked = as_it_is  # type: ignore[assignment]
    try:
        yield
    finally:
        typeguard.typechecked = checked


def _engine() -> "inflect.engine":
    with _unchecked():
        import inflect
    engine = inflect.engine()
    for pattern in _VOWEL_SOUNDS:
        engine.defan(pattern)
    for pattern in _CONSONANT_SOUNDS:
        engine.defa(pattern)
    return engine


_ENGINE = _engine()


@cache
def indefinite(word: str) -> Literal["a", "an"]:
    """Return the article that `word` takes: "a" before a consonant sound, "an" before a vowel."""
    return "an" if _ENGINE.a(_without_accents(word)).startswith("an ") else "a"


def _without_accents(word: str) -> str:
    """Return `word` in the letters that the patterns know: "écru" sounds as "ecru" does."""
    parts = unicodedata.normalize("NFKD", word)
    return "".join(letter for letter in parts if not unicodedata.combining(letter))
