"""Draws plans for the embedded writer and judges its texts.

Shares no code with the writer or with the validators' rules.
"""

import random
import re
from collections.abc import Iterator
from itertools import pairwise

from artifacts.articles import indefinite
from artifacts.plans import Pair, Plan, Range
from artifacts.words import find_words, words_of
from generators.constructions import CONSTRUCTIONS
from generators.constructions.base import Construction
from generators.embedded.room import distractor_room
from vocab.contexts import load_contexts
from vocab.dataset_words import WordBank, load_word_bank
from vocab.phrases import load_openers, load_phrases, load_registers

REFERENCES = {
    tuple(phrase.removeprefix("the ") for phrase in pair) for pair in load_phrases().reference
}


# --- plans --------------------------------------------------------------------------------------


def draw_pairs(construction: Construction, bank: WordBank, rng: random.Random) -> tuple[Pair, ...]:
    """Draw objects and attributes of families that all of them accept."""
    slots = construction.attributes_per_object
    while True:
        nouns = rng.sample(bank.nouns, construction.objects)
        common = sorted(frozenset.intersection(*(noun.families for noun in nouns)))
        if len(common) >= slots:
            break
    if slots == 1:
        pool = sorted({word for family in common for word in bank.families[family]})
        levels = [rng.sample(pool, len(nouns))]
    else:
        levels = [rng.sample(bank.families[family], 2) for family in rng.sample(common, slots)]
    return tuple(
        Pair(tuple(level[index] for level in levels), noun.word) for index, noun in enumerate(nouns)
    )


def draw_distractors(count: int, bank: WordBank, rng: random.Random) -> tuple[Pair, ...]:
    nouns = rng.sample(bank.nouns, count)
    return tuple(
        Pair((rng.choice(bank.families[rng.choice(sorted(noun.families))]),), noun.word)
        for noun in nouns
    )


def words_in(pairs: tuple[Pair, ...]) -> list[str]:
    return [word.casefold() for pair in pairs for word in (*pair.attributes, pair.object)]


def draw_plan(name: str, band: Range, window: Range, number: int) -> Plan:
    rng = random.Random(f"{name}/{band}/{window}/{number}")
    construction, bank, contexts = CONSTRUCTIONS[name], load_word_bank(), load_contexts()
    while True:
        scene = rng.choice(contexts.scenes)
        time, weather = rng.choice((None, *contexts.times)), rng.choice((None, *contexts.weathers))
        pairs = draw_pairs(construction, bank, rng)
        count = rng.randint(0, distractor_room(construction, band, window))
        distractors = draw_distractors(count, bank, rng)
        words = words_in((*pairs, *distractors))
        context = words_of(f"{scene} {time} {weather}".casefold())
        if len(set(words)) == len(words) and not set(words) & set(context):
            break
    return Plan(
        construction=name,
        attempt=number,
        seed=rng.getrandbits(64),
        scene=scene,
        time=time,
        weather=weather,
        register=rng.choice(list(load_registers())),
        opener=rng.choice(list(load_openers())),
        band=band,
        window=window,
        pairs=pairs,
        distractors=distractors,
        distractor_count=count,
        kept_pair=rng.randrange(3),
        swapped_slot=rng.randrange(2),
        described_first=rng.randrange(2),
        direction=rng.choice((-1, 1)),
        orbit_draw=None,
        query_order=tuple(range(construction.objects)),
    )


# --- the checker --------------------------------------------------------------------------------


def faults_of(plan: Plan, text: str) -> Iterator[str]:
    """Yield everything that a rule would reject, and what an editor would strike out."""
    words = [word.casefold() for word in words_of(text)]
    cores = words_in((*plan.pairs, *plan.distractors))
    if any(words.count(word) != 1 for word in cores):
        yield "a core word does not occur exactly once"
        return
    if not plan.band.low - 1 <= len(words) <= plan.band.high + 4:
        yield f"{len(words)} words"
    places = [words.index(pair.object.casefold()) for pair in plan.pairs]
    if places != sorted(places):
        yield "objects out of order"
    yield from binding_faults(plan, words, places)
    yield from surface_faults(plan, text)


def binding_faults(plan: Plan, words: list[str], objects: list[int]) -> Iterator[str]:
    attributes = [
        [words.index(attribute.casefold()) for attribute in pair.attributes] for pair in plan.pairs
    ]
    if plan.construction.startswith("deferred"):
        yield from deferred_faults(plan, words, objects, [place[0] for place in attributes])
        return
    if plan.construction == "predicative":
        gaps = [abs(there[0] - here) - 1 for here, there in zip(objects, attributes, strict=True)]
        if any(abs(here - there[0]) == 1 for here in objects for there in attributes):
            yield "an attribute touches an object"
        if attributes[0][0] > objects[1] or attributes[1][0] < objects[1]:
            yield "clauses out of order"
    else:
        slots = len(attributes[0])
        gaps = [right - slots - left - 1 for left, right in pairwise(objects)]
        for here, there in zip(objects, attributes, strict=True):
            if there != list(range(here - slots, here)):
                yield "attributes not right before their object"
    if not plan.window.low <= min(gaps) <= plan.window.high:
        yield f"distance {min(gaps)}"


def deferred_faults(
    plan: Plan, words: list[str], objects: list[int], attributes: list[int]
) -> Iterator[str]:
    first = min(attributes)
    distance = first - max(objects) - 1
    if not max(plan.window.low, 1) <= distance <= plan.window.high:
        yield f"distance {distance}"
    if {"it", "its", "they", "them", "their"} & set(words):
        yield "a bare pronoun"
    if plan.construction == "deferred_bind_respective":
        if attributes != sorted(attributes):
            yield "attributes out of order"
        joined = " ".join(words)
        if not re.search(r"\b(respectively|in that order|in the order \w+)\b", joined):
            yield "no marker of order"
        return
    if attributes.index(first) != plan.described_first:
        yield "described in the wrong order"
    found = [pair for pair in REFERENCES if all(words.count(word) == 1 for word in pair)]
    if len(found) != 1:
        yield f"back-references {found}"
        return
    for word, attribute in zip(found[0], attributes, strict=True):
        if not 0 < attribute - words.index(word) <= 12:
            yield "a back-reference does not lead to its attribute"


def surface_faults(plan: Plan, text: str) -> Iterator[str]:
    if re.search(r"  |\s[,.;:!?]|[,;:][,.;:]|\.\.|[—_{}|<>@]", text) or text != text.strip():
        yield "punctuation or spacing"
    if text[-1] not in ".!?" and not text.rsplit(maxsplit=1)[-1].startswith("#"):
        yield "no final punctuation"
    if text.count("“") != text.count("”") or text.count('"') % 2:
        yield "unbalanced quotes"
    if "“" in text and "'" in text:
        yield "curly quotes beside straight apostrophes"
    if re.search(r"(?:^|[.!?] )[a-z]", text):
        yield "a sentence starts in lower case"
    found = find_words(text)
    for word, after in pairwise(found):
        apart = text[word.end : after.start]
        article = word.text.casefold() in ("a", "an") and apart == " "
        if article and word.text.casefold() != indefinite(after.text):
            yield f"article {word.text} {after.text}"
        if apart == " " and word.text.casefold() == after.text.casefold():
            yield f"{word.text} twice running"
    sentences = re.split(r"(?<=[.!?]) ", text)
    if len(set(sentences)) < len(sentences):
        yield "a sentence twice"


# --- frames -------------------------------------------------------------------------------------


def frame_of(plan: Plan, text: str) -> str:
    """Mask the core words, context, openers and numerals of a text."""
    text = text.casefold()
    for phrase in (plan.scene, plan.time, plan.weather):
        text = text.replace(phrase.casefold(), "_") if phrase else text
    openers = [
        re.sub(r"\{(\w+)\|(\w+)\}", form, phrase)
        for phrase in load_openers()[plan.opener].phrases
        for form in (r"\1", r"\2")
    ]
    for phrase in sorted(openers, key=len, reverse=True):
        text = text.replace(phrase.casefold(), "_", 1)
    cores = set(words_in((*plan.pairs, *plan.distractors)))
    masked = ["a" if w == "an" else "#" if w in cores or w.isdigit() else w for w in words_of(text)]
    return " ".join(masked)
