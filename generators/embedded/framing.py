"""What surrounds the sentence proper: lead, opener, context, distractors, closings.

A register shows in its lead and closings, an opener style in the words after the lead. The context
goes in front, at the end, or in a sentence of its own, as far as the band has room. Knows nothing
of bindings.
"""

import re

from artifacts.words import count_words
from generators.embedded.numerals import fill_numbers
from generators.embedded.pen import Pen, enumerate_phrases, noun_phrase

_SENTENCE_START = re.compile(r"(?:^|(?<=[.!?] ))[a-z]")
_APART = re.compile(r" ([,.;:])")
#: Likewise a comma that a phrase ends in, before another mark.
_DOUBLED = re.compile(r",([.;,])")
#: What may follow a part of the context, in order: "in a chess club around noon, ahead of a gale".
_AFTER = {
    "scene": ("scene", "time", "weather"),
    "time": ("time", "scene", "weather"),
    "weather": ("weather",),
}
#: The most sentences of its own that a register closes with.
_MOST_CLOSINGS = 2


def write_lead(pen: Pen, pending: int) -> None:
    """Begin the text as its register does, leaving `pending` words for what must follow."""
    leads = pen.voice.leads_apart if pen.leads_up else pen.voice.leads
    lead = pen.at_most(leads, pen.room - pending)
    pen.lead = fill_numbers(pen, lead.text)
    pen.used += lead.length


def settle(pen: Pen, spare: int, closed: bool = False) -> None:
    """Place opener and context, leaving `spare` words for the end of the sentence.

    A `closed` sentence takes nothing at its end: "the latter was torn at a harbor market" would
    say where it was torn.
    """
    pen.held = 0
    _place_opener(pen, spare)
    _place_context(pen, spare, closed)
    # More than one in front would read as part of what follows.
    if len(pen.distractors) == 1 and pen.landmarks and not _count_fronted(pen) and pen.chance(0.3):
        pen.front.append(_with_list(pen, "ahead"))


def _place_opener(pen: Pen, spare: int) -> None:
    opener, bank = pen.lexicon.openers[pen.plan.opener, pen.voice.register.tense]
    if opener.context:
        pen.opener = f"{_take_context(pen, opener.context, pen.room - spare)},"
        if pen.opener != ",":
            return
        # Said in general, so not said again.
        pen.opener = ""
        pen.context.pop(opener.context, None)
    phrase = pen.up_to(bank, pen.room - spare)
    if phrase:
        pen.used += phrase.length
        pen.opener = phrase.text


def _place_context(pen: Pen, spare: int, closed: bool) -> None:
    """Put what is left of the context in front or at the end, all of it in one place."""
    fronted = _count_fronted(pen)
    room = pen.room - spare
    fitting = [name for name, phrase in pen.context.items() if phrase.length <= room]
    if not fitting or (closed and fronted > 1):
        return
    if closed or (not fronted and pen.chance(0.6)):
        leading = "time" if "time" in fitting and pen.chance(0.3) else fitting[0]
        pen.front.append(_take_context(pen, leading, room))
    else:
        text = _take_context(pen, fitting[0], room)
        pen.back.append(f", {text}" if fitting[0] == "weather" else text)


def _take_context(pen: Pen, leading: str, room: int) -> str:
    """Return the waiting parts of the context that fit, `leading` the first, or nothing."""
    parts: list[str] = []
    for name in _AFTER[leading]:
        phrase = pen.context.get(name)
        if phrase and phrase.length <= room:
            del pen.context[name]
            pen.used += phrase.length
            room -= phrase.length
            parts.append(f", {phrase.text}" if parts and name == "weather" else phrase.text)
        elif not parts:
            break
    return " ".join(parts)


def _count_fronted(pen: Pen) -> int:
    """Return how many phrases already lead up to the sentence."""
    return pen.lead.endswith(",") + pen.opener.endswith(",") + len(pen.front)


def compose(pen: Pen, body: str, closed: bool = False) -> str:
    """Return the whole text around a sentence proper."""
    sentences = []
    if pen.distractors and not pen.back and pen.chance(0.6):
        pen.back.append(f", {_with_list(pen, 'escort' if closed else 'company')}")
    end = " ".join(pen.back)
    main = f"{_front(pen)}{body} {end}".rstrip()
    sentences.append(main if main.endswith((".", "!", "?")) else f"{main}.")
    if pen.distractors:
        sentences.append(_with_list(pen, _sentences(pen, "roll")))
    sentences += _fill(pen)
    return tidy(f"{_start(pen)}{' '.join(sentences)}")


def _sentences(pen: Pen, name: str) -> str:
    """Return the bank of complete sentences, or that of fragments where the register has them."""
    return f"{name}_terse" if pen.voice.register.fragments and pen.chance(0.7) else name


def _front(pen: Pen) -> str:
    return f"{', '.join(pen.front)}, " if pen.front else ""


def _start(pen: Pen) -> str:
    """Return lead and opener, in lower case where they run on."""
    opener = pen.opener
    if pen.lead.endswith(",") or (pen.colon and opener.endswith(",")):
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
    """Close the text as its register does, until the target is reached.

    What is left of the context comes first, and the register has the last word.
    """
    settings: list[str] = []
    asides: list[str] = []
    closings: list[str] = []
    low = pen.plan.band.low
    while pen.used < pen.target:
        if pen.used >= low and (settings or asides or closings or pen.chance(0.2)):
            break
        if pen.context and pen.chance(0.6) and (sentence := _set_apart(pen)):
            settings.append(sentence)
        elif len(closings) < _MOST_CLOSINGS and (phrase := pen.up_to(pen.voice.closings, pen.room)):
            closings.append(pen.spend(fill_numbers(pen, phrase.text)))
        elif pen.used < low and (sentence := _write_aside(pen)):
            asides.append(sentence)
        else:
            break
    return settings + asides + closings


def _write_aside(pen: Pen) -> str:
    """Return a sentence that any register may hold, or nothing where none fits the room.

    A longer one reads better than two short ones.
    """
    bank = pen.banks["aside"]
    phrase = pen.nearly(bank, pen.room) or pen.up_to(bank, pen.room)
    return pen.spend(phrase.text) if phrase else ""


def _set_apart(pen: Pen) -> str:
    """Return a sentence that holds what is left of the context, or nothing."""
    leading, shortest = next(iter(pen.context.items()))
    phrase = pen.up_to(pen.banks[_sentences(pen, "setting")], pen.room - shortest.length)
    if not phrase:
        return ""
    pen.used += phrase.length
    return phrase.text.replace("@", _take_context(pen, leading, pen.room))


def tidy(text: str) -> str:
    """Attach punctuation, start sentences with a capital, and keep one style of quotes."""
    text = _DOUBLED.sub(r"\1", _APART.sub(r"\1", text))
    text = _SENTENCE_START.sub(lambda match: match.group().upper(), text)
    return text.replace("“", '"').replace("”", '"') if "'" in text else text
