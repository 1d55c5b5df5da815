"""What surrounds the sentence proper: lead, opener, context, distractors, closings.

A register shows in its lead and closings, an opener style in the words after the lead. The context
goes in front, at the end, or in a sentence of its own, as far as the band has room. Knows nothing
of bindings.
"""

import re

from artifacts.words import count_words
from generators.embedded.numerals import fill_numbers
from generators.embedded.pen import Pen, enumerate_phrases, noun_phrase

_SENTENCE_START = re.compile(r"(?:^|(?<=[.!?] )|(?<=[.!?]” ))[a-z]")
_APART = re.compile(r" ([,.;:])")
#: Likewise a comma that a phrase ends in, before another mark.
_DOUBLED = re.compile(r",([.;,])")


def write_lead(pen: Pen, pending: int) -> None:
    """Begin the text as its register does, leaving `pending` words for what must follow."""
    lead = pen.at_most(pen.voice.leads, pen.room - pending)
    pen.lead = fill_numbers(pen, lead.text)
    pen.used += lead.length


def settle(pen: Pen, spare: int, closed: bool = False) -> None:
    """Place opener and context, leaving `spare` words for the end of the sentence.

    A `closed` sentence takes nothing at its end: "the latter was torn at a harbor market" would
    say where it was torn.
    """
    steps = [_place_opener, _place_scene] if pen.chance(0.5) else [_place_scene, _place_opener]
    pen.held = 0
    for step in (*steps, _place_time, _place_weather):
        step(pen, spare, closed)
    # More than one in front would read as part of what follows.
    if len(pen.distractors) == 1 and pen.landmarks and not _count_fronted(pen) and pen.chance(0.3):
        pen.front.append(_with_list(pen, "ahead"))


def _place_opener(pen: Pen, spare: int, closed: bool) -> None:
    opener, bank = pen.lexicon.openers[pen.plan.opener, pen.voice.register.tense]
    fronted = pen.context.get(opener.context or "")
    if fronted and opener.context and fronted.length <= pen.room - spare:
        del pen.context[opener.context]
        pen.used += fronted.length
        pen.opener = f"{fronted.text},"
        return
    phrase = pen.up_to(bank, pen.room - spare)
    if phrase:
        pen.used += phrase.length
        pen.opener = phrase.text


def _place_scene(pen: Pen, spare: int, closed: bool) -> None:
    if pen.plan.opener != "place first":
        _place(pen, "scene", spare, closed)


def _place_time(pen: Pen, spare: int, closed: bool) -> None:
    _place(pen, "time", spare, closed)


def _place_weather(pen: Pen, spare: int, closed: bool) -> None:
    _place(pen, "weather", spare, closed)


def _count_fronted(pen: Pen) -> int:
    """Return how many phrases already lead up to the sentence."""
    return pen.lead.endswith(",") + pen.opener.endswith(",") + len(pen.front)


def _place(pen: Pen, name: str, spare: int, closed: bool) -> None:
    """Put one part of the context in front or at the end."""
    phrase = pen.context.get(name)
    if phrase is None or phrase.length > pen.room - spare:
        return
    fronted = _count_fronted(pen)
    if closed and fronted > 1:
        return
    del pen.context[name]
    pen.used += phrase.length
    if closed or (not fronted and pen.chance(0.35)):
        pen.front.append(phrase.text)
    else:
        pen.back.append(phrase.text if name != "weather" else f", {phrase.text}")


def compose(pen: Pen, body: str, closed: bool = False) -> str:
    """Return the whole text around a sentence proper."""
    sentences = []
    if pen.distractors and pen.chance(0.6):
        pen.back.append(f", {_with_list(pen, 'escort' if closed else 'company')}")
    end = " ".join(pen.back)
    main = f"{_front(pen)}{body} {end}".rstrip()
    sentences.append(main if main.endswith((".", "!", "?")) else f"{main}.")
    if pen.distractors:
        sentences.append(_with_list(pen, "roll"))
    sentences += _fill(pen)
    return tidy(f"{_start(pen)}{' '.join(sentences)}")


def _front(pen: Pen) -> str:
    return f"{', '.join(pen.front)}, " if pen.front else ""


def _start(pen: Pen) -> str:
    """Return lead and opener, in lower case where they run on."""
    opener = pen.opener
    if pen.lead.endswith(","):
        opener = opener[:1].lower() + opener[1:]
    return "".join(f"{part} " for part in (pen.lead, opener) if part)


def _with_list(pen: Pen, bank: str) -> str:
    """Return the waiting distractors in a phrase or sentence that introduces them."""
    names = [noun_phrase(pair) for pair in pen.distractors]
    pen.distractors.clear()
    listed = enumerate_phrases(names)
    length = count_words(listed)
    number = ":s" if len(names) > 1 else ""
    phrase = pen.at_most(pen.banks[bank + number], pen.room - length)
    return pen.spend(phrase.text.replace("@", listed))


def _fill(pen: Pen) -> list[str]:
    """Close the text as its register does, until the target is reached."""
    sentences: list[str] = []
    low = pen.plan.band.low
    while pen.used < pen.target and (pen.used < low or pen.chance(0.7)):
        sentence = _closing(pen, own=not sentences or pen.chance(0.5))
        if not sentence:
            break
        sentences.append(sentence)
    # What everybody says comes before the register's own last word.
    return sentences[::-1]


def _closing(pen: Pen, own: bool) -> str:
    """Return a further sentence that fits the room, or nothing; `own`: of the register."""
    if pen.context and pen.chance(0.6):
        name, context = next(iter(pen.context.items()))
        phrase = pen.up_to(pen.banks["setting"], pen.room - context.length)
        if phrase:
            del pen.context[name]
            return pen.spend(phrase.text.replace("@", context.text))
    closings, asides = pen.voice.closings, pen.banks["aside"]
    # A few longer sentences read better than many short ones.
    phrase = (
        (None if own else pen.nearly(asides, pen.room))
        or pen.up_to(closings, pen.room)
        or pen.up_to(asides, pen.room)
    )
    return pen.spend(fill_numbers(pen, phrase.text)) if phrase else ""


def tidy(text: str) -> str:
    """Attach punctuation, start sentences with a capital, and keep one style of quotes."""
    text = _DOUBLED.sub(r"\1", _APART.sub(r"\1", text))
    text = _SENTENCE_START.sub(lambda match: match.group().upper(), text)
    return text.replace("“", '"').replace("”", '"') if "'" in text else text
