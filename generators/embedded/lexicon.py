"""The phrase banks made ready for drawing: inflected, counted in words and sorted by length.

Knows phrases and their lengths; which phrase goes where is decided in `patterns` and `chain`.
"""

import re
from dataclasses import dataclass
from functools import cache
from itertools import groupby, product

from artifacts.words import count_words, words_of
from generators.embedded.suitability import SUITS, TRAITS
from vocab.phrases import Opener, PhraseBanks, Register, load_openers, load_phrases, load_registers

#: Words so common that a text may repeat them without a reader noticing.
_COMMON_WORDS = (
    "a an the and or but of to in on at by for from with without as than that this these those "
    "was is were are be been had has have did does do not no any all so up out over off down away "
    "back into onto who what which when where there here then yet while though if i we you he she "
    "my our your his her would could can might may must will shall about after before"
)
COMMON = frozenset(_COMMON_WORDS.split())

#: Banks that come in one version for every suit of attributes.
_SUITED = "bind", "be", "glance"
#: What may be said of the objects of a text: all can be carried, none can, or some.
PORTABLE, FIXED, MIXED = "portable", "fixed", "mixed"
SCALES = (PORTABLE, FIXED, MIXED)
_INFLECTION = re.compile(r"(?:ing|ed|es|e|s)$")
_FORMS = re.compile(r"\{([^{}]*\|[^{}]*)\}")
#: Position of a form in {past one|present one|past many|present many}.
_FORM = {("past", "one"): 0, ("present", "one"): 1, ("past", "many"): 2, ("present", "many"): 3}


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase as it is printed, its length, and the words that a text should hold only once."""

    text: str
    length: int
    content: frozenset[str]


@dataclass(frozen=True, slots=True)
class Bank:
    """Phrases of one role, by their length in words."""

    by_length: dict[int, tuple[Phrase, ...]]
    #: At place n, all phrases of at most n words.
    up_to: tuple[tuple[Phrase, ...], ...]


@cache
def stem(word: str) -> str:
    """Return what the forms of a word share, more or less: "notic" of notice, noticed, noticing."""
    return _INFLECTION.sub("", word) if len(word) > 4 else word


@cache
def make_phrase(text: str) -> Phrase:
    """Measure `text`."""
    content = frozenset(map(stem, frozenset(map(str.casefold, words_of(text))) - COMMON))
    return Phrase(text, count_words(text), content)


def make_bank(texts: tuple[str, ...]) -> Bank:
    """Sort phrases by their length."""
    phrases = sorted(map(make_phrase, texts), key=lambda phrase: phrase.length)
    by_length = {
        length: tuple(group) for length, group in groupby(phrases, key=lambda phrase: phrase.length)
    }
    longest = phrases[-1].length if phrases else 0
    up_to = tuple(
        tuple(phrase for phrase in phrases if phrase.length <= length)
        for length in range(longest + 1)
    )
    return Bank(by_length, up_to)


def inflect(text: str, tense: str, number: str = "one") -> str:
    """Resolve the {past|present} alternatives of a phrase."""

    def choose(match: re.Match[str]) -> str:
        forms = match.group(1).split("|")
        position = _FORM[tense, number]
        return forms[position % 2 if len(forms) == 2 else position]

    return _FORMS.sub(choose, text)


@dataclass(frozen=True, slots=True)
class Voice:
    """One register ready to be drawn from: its own phrases, and the banks in its tense."""

    register: Register
    leads: Bank
    #: Leads that an opener may follow: "long, long ago, at noon, I" is halting.
    leads_apart: Bank
    closings: Bank
    #: By the scale of the objects: heads, and banks by name (`act:s` is the plural).
    heads: dict[str, Bank]
    banks: dict[str, dict[str, Bank]]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Everything that the writer draws from, prepared once."""

    voices: dict[str, Voice]
    #: By name and tense.
    openers: dict[tuple[str, str], tuple[Opener, Bank]]
    references: tuple[tuple[str, str], ...]


@cache
def load_lexicon() -> Lexicon:
    """Prepare the packaged phrases."""
    phrases = load_phrases()
    by_tense = {
        tense: {scale: _banks(phrases, tense, scale) for scale in SCALES}
        for tense in ("past", "present")
    }
    return Lexicon(
        voices={
            name: Voice(
                register=register,
                leads=make_bank(register.leads),
                leads_apart=make_bank(_apart(register.leads)),
                closings=make_bank(register.closings),
                heads={
                    PORTABLE: make_bank(register.heads + register.heads_portable),
                    FIXED: make_bank(register.heads),
                    MIXED: make_bank(register.heads),
                },
                banks=by_tense[register.tense],
            )
            for name, register in load_registers().items()
        },
        openers={
            (name, tense): (
                opener,
                make_bank(tuple(inflect(phrase, tense) for phrase in opener.phrases)),
            )
            for (name, opener), tense in product(load_openers().items(), by_tense)
        },
        references=phrases.reference,
    )


def _apart(leads: tuple[str, ...]) -> tuple[str, ...]:
    """Return the leads that don't run on, if any."""
    return tuple(lead for lead in leads if not lead.endswith(",")) or leads


def _banks(phrases: PhraseBanks, tense: str, scale: str) -> dict[str, Bank]:
    """Return every bank in one tense, in both numbers, and the unions that patterns name."""
    named: dict[str, tuple[str, ...]] = {
        name: value for name, value in phrases if name != "reference"
    }
    texts = {
        name: value + named.get(f"{name}_{scale}", ())
        for name, value in named.items()
        if not name.endswith((f"_{PORTABLE}", f"_{FIXED}"))
    }
    texts["next"] = texts["between"] + texts["place"]
    for name, suit in product(_SUITED, SUITS):
        further = [
            text
            for trait, letter in TRAITS.items()
            if letter in suit
            for text in texts.get(f"{name}_{trait}", ())
        ]
        texts[name + suit] = texts[name] + tuple(further)
    return {
        name + suffix: make_bank(tuple(inflect(text, tense, number) for text in value))
        for (name, value), (suffix, number) in product(texts.items(), (("", "one"), (":s", "many")))
    }
