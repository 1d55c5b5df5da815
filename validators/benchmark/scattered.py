"""Rules on a scene's scattered text, which names all objects first and says then what each is.

Knows the sentence as a reader takes it apart, and the words in it as they stand. The paper has no
such text: a build that wasn't asked for it has none.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from artifacts.reports import RuleReport, judge
from validators.benchmark.articles import expected_article
from validators.benchmark.tables import Benchmark, Scene

_PLACES = tuple(
    """
    first second third fourth fifth sixth seventh eighth ninth tenth
    eleventh twelfth thirteenth fourteenth fifteenth
    sixteenth seventeenth eighteenth nineteenth twentieth
    twenty-first twenty-second twenty-third twenty-fourth twenty-fifth
    twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth
    thirty-first thirty-second thirty-third thirty-fourth thirty-fifth
    thirty-sixth thirty-seventh thirty-eighth thirty-ninth fortieth
    forty-first forty-second forty-third forty-fourth forty-fifth
    forty-sixth forty-seventh forty-eighth forty-ninth fiftieth
    """.split()  # noqa: SIM905 (a list of fifty quoted words hides the words)
)
_SENTENCE = re.compile(r"O(?P<objects>ne [^:.]+): (?P<attributes>the [^:.]+)\.")
_OBJECT = re.compile(r"one (?P<name>.+) appears")
_ATTRIBUTE = re.compile(r"the (?P<place>\S+) is (?P<article>an?) (?P<name>.+) one")
_WORD = re.compile(r"[^\W_]+(?:[^\w\s]+[^\W_]+)*")

_Words = tuple[str, ...]


class _Reading(NamedTuple):
    """What the sentence lists."""

    objects: tuple[str, ...]
    attributes: tuple[str, ...]
    #: Which object each attribute is said of.
    places: tuple[str, ...]
    #: Before each attribute.
    articles: tuple[str, ...]


class _Mention(NamedTuple):
    """A word of a binding in a text, and where the text's own words it takes begin and end."""

    name: str
    start: int
    end: int


def scattered_text_where_asked(benchmark: Benchmark) -> RuleReport:
    """Every scene has a scattered text where the settings ask for one; none has one elsewhere."""
    is_asked = benchmark.expected.scattered

    def check(scene: Scene) -> str | None:
        if (scene.scattered_text is not None) == is_asked:
            return None
        return f"{scene.scene_id}: {'no scattered text' if is_asked else 'a scattered text'}"

    return judge("scattered_text_where_asked", benchmark.scenes, check)


def scattered_text_says_the_bindings(benchmark: Benchmark) -> RuleReport:
    """It lists the objects and says of the first, the second, ... its attribute, in their order."""

    def check(slot: tuple[Scene, str]) -> str | None:
        scene, text = slot
        reading = _read(text)
        if reading is not None and reading[:3] == _told(scene):
            return None
        pairs = ", ".join(f"{attribute} {name}" for attribute, name in scene.bindings)
        return f"{scene.scene_id}: {text!r} doesn't say {pairs}"

    return judge("scattered_text_says_the_bindings", _texts(benchmark), check)


def scattered_articles_follow_the_sound(benchmark: Benchmark) -> RuleReport:
    """Each "a" in it stands before a consonant sound and each "an" before a vowel."""

    def check(slot: tuple[Scene, str]) -> str | None:
        scene, text = slot
        reading = _read(text) or _Reading((), (), (), ())
        wrong = [
            f"{article} {attribute}"
            for article, attribute in zip(reading.articles, reading.attributes, strict=True)
            if article != expected_article(attribute)
        ]
        return f"{scene.scene_id}: {', '.join(wrong)}" if wrong else None

    return judge("scattered_articles_follow_the_sound", _texts(benchmark), check)


def scattered_text_keeps_words_apart(benchmark: Benchmark) -> RuleReport:
    """Each object and attribute stands in it once, and no two of a different kind are neighbours.

    Read off the words alone, whatever the sentence; a colon or a comma parts nobody.
    """

    def check(slot: tuple[Scene, str]) -> str | None:
        scene, text = slot
        kinds = dict.fromkeys(scene.attributes, "attribute") | dict.fromkeys(
            scene.objects, "object"
        )
        mentions = _mentions(_words(text), {_words(name): name for name in kinds})
        if sorted(mention.name for mention in mentions) != sorted(kinds):
            return f"{scene.scene_id}: {text!r} doesn't hold each object and attribute once"
        for mention, following in pairwise(mentions):
            is_mixed = kinds[mention.name] != kinds[following.name]
            if is_mixed and mention.end == following.start:
                return f"{scene.scene_id}: {mention.name} beside {following.name}"
        return None

    return judge("scattered_text_keeps_words_apart", _texts(benchmark), check)


def _texts(benchmark: Benchmark) -> Iterator[tuple[Scene, str]]:
    for scene in benchmark.scenes:
        if scene.scattered_text is not None:
            yield scene, scene.scattered_text


def _told(scene: Scene) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the objects, attributes and places that its text has to list."""
    return scene.objects, scene.attributes, _PLACES[: len(scene.bindings)]


def _read(text: str) -> _Reading | None:
    """Return what the sentence lists; None if it isn't of this one shape."""
    sentence = _SENTENCE.fullmatch(text)
    if sentence is None:
        return None
    objects = _parts(_OBJECT, f"o{sentence['objects']}")
    attributes = _parts(_ATTRIBUTE, sentence["attributes"])
    if not objects or not attributes:
        return None
    return _Reading(
        objects=tuple(part["name"] for part in objects),
        attributes=tuple(part["name"] for part in attributes),
        places=tuple(part["place"] for part in attributes),
        articles=tuple(part["article"] for part in attributes),
    )


def _parts(shape: re.Pattern[str], listed: str) -> list[re.Match[str]]:
    """Return the parts of "x, y and z"; nothing where it is no such list, or one isn't of shape."""
    *first, rest = listed.split(", ")
    last_two = rest.split(" and ")
    matches = [shape.fullmatch(words) for words in (*first, *last_two)]
    if len(last_two) != 2:
        return []
    parts = [match for match in matches if match is not None]
    return parts if len(parts) == len(matches) else []


def _words(text: str) -> _Words:
    return tuple(_WORD.findall(text.casefold()))


def _mentions(words: _Words, names: Mapping[_Words, str]) -> list[_Mention]:
    """Return the names in `words`, from left to right, the longest of those that begin together."""
    lengths = sorted({len(name) for name in names}, reverse=True)
    mentions: list[_Mention] = []
    start = 0
    while start < len(words):
        end = next((start + n for n in lengths if words[start : start + n] in names), None)
        if end is not None:
            mentions.append(_Mention(names[words[start:end]], start, end))
        start = end or start + 1
    return mentions
