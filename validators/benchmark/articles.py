"""The indefinite article by the letters of a word and how they sound in US English.

A second opinion on the captions: rules for digits, letter names and the few spellings whose first
sound isn't what the first letter says. Knows nothing of how the captions got their articles.
"""

import re
import unicodedata
from functools import cache
from typing import Literal

#: Letters whose names begin with a vowel sound ("an F-stop"), for words read letter by letter.
_VOWEL_NAMES = frozenset("aefhilmnorsx")

#: Capitals that are spoken as a word although they look like an initialism.
_SPOKEN_CAPITALS = frozenset(
    {
        *("FIFA", "HEPA", "LAN", "LASER", "LEGO", "LIDAR", "MIDI", "NASA", "NATO", "RADAR", "RAM"),
        *("ROM", "SIM", "SONAR", "SCUBA", "LASIK", "MIG", "NERF", "SWAT"),
    }
)

#: 8..., 11 and 18 ("an 8-ball"), the latter two also before thousands and as years or hundreds.
_VOWEL_NUMERAL = re.compile(r"8|1[18](?:\d{2}|(?:,\d{3})+|(?:\d{3})+)?(?!\d)")

#: Spelt with a consonant first, spoken with a vowel: silent h, and y before a consonant.
_VOWEL_SOUND = re.compile(
    r"""
      hour | heir | honest | honou?r | homage | hors\b
    | herb(?:s|al|als|alist|ed|y|aceous)?\b
    | y[^aeiouy]
    """,
    re.VERBOSE,
)

#: Spelt with a vowel first, spoken with a consonant: "w" as in one, "y" as in eulogy and unicorn.
_CONSONANT_SOUND = re.compile(
    r"""
      one(?![ir]) | once | oui               # one-way, onesie; not oneiric, onerous
    | eu | ew(?:e|er)s?\b
    | (?:u|uk|url|usb|uv)\b
    | u(?:b[i] | fo | ga | k | ly | nanim | nesco | r[aeiou] | s[aeiou] | t[aeiou] | v[aeu])
    | uni(?!
          d(?!irection|imension)            # unidentified, but unidirectional
        | gn | ll | m(?!od) | n(?!ucl)      # unignited, unilluminated, unimportant, uninvited
        | r(?!am) | s(?:ol|su) | tal        # unironed, unissued, unitalicized
      )
    """,
    re.VERBOSE,
)


@cache
def expected_article(words: str) -> Literal["a", "an"]:
    """Return the article before `words`, by the sound of their beginning."""
    head = _head(words)
    return "an" if _begins_with_vowel(head, head.partition("-")[0]) else "a"


def _head(words: str) -> str:
    """Return the first word, without accents and leading punctuation."""
    plain = unicodedata.normalize("NFKD", words)
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return re.sub(r"^[\W_]+", "", letters).split(maxsplit=1)[0] if letters.strip() else ""


def _begins_with_vowel(head: str, part: str) -> bool:
    if part[:1].isdigit():
        return _VOWEL_NUMERAL.match(part) is not None
    if _is_read_by_letters(part):
        return part[0].casefold() in _VOWEL_NAMES
    word = part.casefold()
    if word.startswith(tuple("aeiou")):
        return _CONSONANT_SOUND.match(word) is None
    return _VOWEL_SOUND.match(word) is not None


def _is_read_by_letters(part: str) -> bool:
    """Whether it is one letter ("x-axis") or an initialism, maybe in the plural or numbered."""
    is_initialism = re.fullmatch(r"[A-Z]+s?\d*|[a-z]|[b-df-hj-np-tv-xz]+\d*", part) is not None
    return is_initialism and part not in _SPOKEN_CAPITALS
