"""Chains: things named one after the other, each joined to the next over a chosen distance.

Knows how a sentence starts, goes on and ends; what may stand between things is in `joints`, and
nothing here knows what is said of them.
"""

from dataclasses import dataclass

from artifacts.plans import Pair, Range
from generators.embedded.joints import (
    AT_END,
    BARE,
    FRAGMENT,
    JOINT,
    OBJECT,
    PREFACE,
    SPAN,
    SUBJECT,
    Choices,
)
from generators.embedded.numerals import fill_numbers
from generators.embedded.pen import Pen, core_length, core_of, noun_phrase

#: Openers that leave what follows to others: "by all accounts, I saw" would be odd.
_AT_SECOND_HAND = frozenset({"hearsay"})


@dataclass(slots=True)
class Chain:
    """What is written so far, the role of the last thing, and the article of the text."""

    pieces: list[str]
    role: str
    #: "a" (or "an"), "the", or empty.
    article: str

    def name(self, pen: Pen, pair: Pair) -> None:
        """Write a thing's core phrase after its article."""
        pen.used += core_length(pair) + bool(self.article)
        if self.article == "a":
            self.pieces.append(noun_phrase(pair))
        else:
            self.pieces += (self.article, core_of(pair))

    def name_alone(self, pen: Pen, pair: Pair) -> None:
        """Write the thing without its attributes."""
        self.name(pen, Pair((), pair.object))

    @property
    def text(self) -> str:
        """The pieces as one string, punctuation still set apart."""
        return " ".join(piece for piece in self.pieces if piece)


def begin(pen: Pen, spare: int) -> Chain:
    """Choose how the sentence starts, leaving `spare` words for what must follow."""
    room = pen.room - spare
    draw = pen.rng.random()
    if pen.voice.register.fragments and draw < 0.34 and not pen.leads_in:
        return Chain([], FRAGMENT, "a")
    # "What was there to see? There was …", not "A kite was …".
    if room < 2 or (draw > 0.72 and pen.plan.opener != "question"):
        return Chain([], SUBJECT, "the" if pen.chance(0.2) else "a")
    general = pen.plan.opener in _AT_SECOND_HAND or pen.chance(0.15)
    head = pen.at_most(pen.banks["head"] if general else pen.heads, room)
    pen.used += head.length
    return Chain([fill_numbers(pen, head.text)], OBJECT, "a")


def begin_freely(pen: Pen, spare: int, longest: int) -> Chain:
    """Choose likewise among more starts, for things that carry their attributes with them.

    The gaps that follow will have at most `longest` words.
    """
    draw = pen.rng.random()
    # Without articles a core word would start the text where no lead comes before.
    led = pen.colon and not pen.leads_in and not pen.announces
    if draw < 0.2 and longest <= 6 and led and pen.voice.register.fragments:
        return Chain([], BARE, "")
    if draw > 0.88 and longest <= 6 and pen.room - spare > 4:
        role, bank = ((PREFACE, "preface"), (SPAN, "span"), (JOINT, "both"))[pen.below(3)]
        if role != JOINT or len(pen.plan.pairs) == 2:
            head = pen.at_most(pen.banks[bank], 3)
            pen.used += head.length
            return Chain([head.text], role, "a")
    return begin(pen, spare)


def join(pen: Pen, chain: Chain, gap: Range, choices: Choices) -> int:
    """Write `gap` words between two things, the next article among them; return how many."""
    article = bool(chain.article)
    before = pen.used
    text, chain.role = choices.draw(pen, max(gap.low - article, 0), max(gap.high - article, 0))
    chain.pieces.append(text)
    return pen.used - before + article


def shortest_end(chain: Chain) -> int:
    """Return the fewest words in which the sentence can end."""
    return AT_END[chain.role].lengths[0]


def finish(pen: Pen, chain: Chain) -> None:
    """End the sentence, using up to the room that is left.

    Where a place or time follows, nothing else comes between that and the thing.
    """
    shortest = shortest_end(chain)
    longest = pen.room if shortest or not pen.back else shortest
    text, _ = AT_END[chain.role].draw(pen, shortest, max(longest, shortest))
    chain.pieces.append(text)
