"""The pen: one text while it is being written.

It owns the random draws, the words already spent and the room that is left, so that a phrase is
never used twice, never repeats a core word and never overruns the band. Knows nothing of clauses.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

from artifacts.articles import indefinite
from artifacts.plans import Pair, Plan
from artifacts.words import count_words, words_of
from generators.embedded.lexicon import (
    FIXED,
    MIXED,
    PORTABLE,
    Bank,
    Lexicon,
    Phrase,
    Voice,
    make_phrase,
    stem,
)
from generators.embedded.patterns import Pattern
from generators.embedded.suitability import find_suit
from vocab.dataset_words import load_word_bank

#: Domains of things that nobody hands in, puts away or sets down.
FIXED_DOMAINS = frozenset(
    (
        *("carriage", "vehicle", "ship", "workboat", "machinery", "appliance"),
        *("dwelling", "edifice", "structure", "infrastructure"),
        *("furniture", "woodwork", "upholstery"),
    )
)
#: How often a phrase is drawn again when it repeats a word.
_REDRAWS = 6


@dataclass(frozen=True, slots=True)
class Sentence:
    """The sentence proper, which binds attributes to objects; lead and context come around it."""

    text: str
    #: The binding distance in words, as the construction measures it.
    distance: int
    #: Whether it ends in a statement that a place or time at its end would change.
    closed: bool = False


class Pen:
    """Writes one text for one plan; a new try takes a new pen."""

    def __init__(self, plan: Plan, lexicon: Lexicon, rng: Random, attempt: int) -> None:
        self.plan = plan
        self.lexicon = lexicon
        self.rng = rng
        #: Tries after the first write closer to the bone.
        self.attempt = attempt
        self.voice: Voice = lexicon.voices[plan.register]
        scale = _scale_of(plan)
        self.banks: dict[str, Bank] = self.voice.banks[scale]
        self.heads: Bank = self.voice.heads[scale]
        self.spent: set[str] = set()
        self.distractors: list[Pair] = list(plan.distractors)
        self.context: dict[str, Phrase] = {}
        self.used = 0
        #: Whether a distractor may stand beside a queried object as a landmark.
        self.landmarks = True
        #: What precedes the sentence proper: the register's lead, then the opener.
        self.lead = ""
        self.opener = ""
        #: Parts of the context before the sentence proper and at its end.
        self.front: list[str] = []
        self.back: list[str] = []
        self._reserve_words()
        low, high = plan.band
        # The longer of two draws: a text with a place and an opener needs the room.
        drawn = max(self.between(low, high), self.between(low, high))
        self.target = high if attempt else drawn
        self.held = len(self.plan.scene.split()) if not attempt and self.chance(0.7) else 0

    def _reserve_words(self) -> None:
        """Mark the words of the plan, which no phrase may repeat."""
        self.spent.update(map(stem, core_words(self.plan)))
        for name, text in (
            ("scene", self.plan.scene),
            ("time", self.plan.time),
            ("weather", self.plan.weather),
        ):
            if text:
                self.context[name] = make_phrase(text)
                self.spent |= self.context[name].content

    # --- room -------------------------------------------------------------------------------

    @property
    def room(self) -> int:
        """Words left up to the target, less what waiting distractors and the scene will take."""
        waiting = 4 * len(self.distractors) + bool(self.distractors)
        return self.target - self.used - self.held - waiting

    @property
    def colon(self) -> bool:
        """Whether the lead ends in a colon, so that a fragment may follow in lower case."""
        return self.lead.endswith(":")

    @property
    def leads_in(self) -> bool:
        """Whether the opener runs on into a clause ("By all accounts, …"), not into a fragment."""
        opener, bank = self.lexicon.openers[self.plan.opener, self.voice.register.tense]
        return opener.context is None and bool(bank.up_to[1:]) and _runs_on(bank)

    @property
    def leads_up(self) -> bool:
        """Whether something stands between the lead and the sentence proper."""
        opener, bank = self.lexicon.openers[self.plan.opener, self.voice.register.tense]
        return opener.context is not None or bool(bank.up_to[1:])

    @property
    def starts_at_once(self) -> bool:
        """Whether no sentence stands between the lead and the sentence proper."""
        return not self.opener or self.opener.endswith(",")

    @property
    def announces(self) -> bool:
        """Whether the opener is a sentence of its own."""
        _, bank = self.lexicon.openers[self.plan.opener, self.voice.register.tense]
        return bool(bank.up_to[1:]) and not _runs_on(bank)

    def spend(self, text: str) -> str:
        """Count `text` as written."""
        self.used += count_words(text)
        return text

    @property
    def suit(self) -> str:
        """Which verbs may bind every queried attribute, as a suffix to the name of a bank."""
        return find_suit(word for pair in self.plan.pairs for word in pair.attributes)

    # --- draws ------------------------------------------------------------------------------

    def chance(self, probability: float) -> bool:
        """Return True with `probability`."""
        return self.rng.random() < probability

    def below(self, limit: int) -> int:
        """Return a number from 0 to `limit` - 1."""
        return int(self.rng.random() * limit)

    def between(self, low: int, high: int) -> int:
        """Return a number from `low` to `high`, or `low` where there is none."""
        return low + int(self.rng.random() * (high - low + 1)) if high > low else low

    def one_of(self, phrases: tuple[Phrase, ...]) -> Phrase:
        """Draw a phrase that repeats no content word of the text."""
        for _ in range(_REDRAWS):
            phrase = phrases[self.below(len(phrases))]
            if phrase.content.isdisjoint(self.spent):
                break
        else:
            # Rather a word twice than the whole phrase.
            phrase = next((each for each in phrases if not each.content <= self.spent), phrase)
        self.spent |= phrase.content
        return phrase

    def up_to(self, bank: Bank, longest: int) -> Phrase | None:
        """Draw a phrase of at most `longest` words, or none where all that fit repeat a word."""
        fitting = bank.up_to[min(longest, len(bank.up_to) - 1)] if longest > 0 else ()
        for _ in range(_REDRAWS if fitting else 0):
            phrase = fitting[self.below(len(fitting))]
            if phrase.content.isdisjoint(self.spent):
                self.spent |= phrase.content
                return phrase
        return None

    def nearly(self, bank: Bank, length: int) -> Phrase | None:
        """Draw one of the longest phrases of at most `length` words, if any."""
        longest = min(length, len(bank.up_to) - 1)
        for candidate in range(longest, max(longest - 5, 0), -1):
            if candidate in bank.by_length and self.chance(0.6):
                return self.one_of(bank.by_length[candidate])
        return None

    def at_most(self, bank: Bank, longest: int) -> Phrase:
        """Draw a phrase of at most `longest` words, or one of the shortest."""
        return self.up_to(bank, longest) or self.one_of(next(iter(bank.by_length.values())))

    def fill(self, pattern: Pattern, length: int) -> str:
        """Return `pattern` filled to exactly `length` words, and count them."""
        lengths = pattern.divide(self.rng, length)
        self.used += length
        pieces = (
            self._phrase(part, next(lengths)) if is_bank else part
            for part, is_bank in pattern.parts
        )
        return " ".join(piece for piece in pieces if piece)

    def _phrase(self, bank: str, length: int) -> str:
        if not length:
            return ""
        if bank == "extent" and (text := self._take_context(length)):
            return text
        if bank == "trait" and self.landmarks and (text := self._take_landmark(length)):
            return text
        return self.one_of(self.banks[bank].by_length[length]).text

    def _take_context(self, length: int) -> str:
        """Use the time of day, if unused, where an extent of its length is called for."""
        phrase = self.context.get("time")
        if phrase and phrase.length == length and self.chance(0.5):
            del self.context["time"]
            return phrase.text
        return ""

    def _take_landmark(self, length: int) -> str:
        """Use an unused distractor where a modifier of its length is called for."""
        if not self.distractors:
            return ""
        pair = self.distractors[-1]
        preposition = self.banks["landmark"].by_length.get(length - 1 - core_length(pair))
        if preposition is None:
            return ""
        self.distractors.pop()
        return f"{self.one_of(preposition).text} {noun_phrase(pair)}"


@cache
def fixtures() -> frozenset[str]:
    """Return the nouns for things too big to be handed about."""
    nouns = load_word_bank().nouns
    return frozenset(noun.word.lower() for noun in nouns if noun.domain in FIXED_DOMAINS)


def _scale_of(plan: Plan) -> str:
    """Return whether all objects of a plan can be handed about, none, or some."""
    fixed = sum(pair.object.lower() in fixtures() for pair in plan.pairs)
    return PORTABLE if not fixed else FIXED if fixed == len(plan.pairs) else MIXED


def _runs_on(bank: Bank) -> bool:
    """Whether the phrases of an opener style end in a comma."""
    return bank.up_to[-1][0].text.endswith(",")


@cache
def folded(word: str) -> tuple[str, ...]:
    """Return the words of a core word (one, unless a user's list has others), case-folded."""
    return tuple(each.casefold() for each in words_of(word))


def core_words(plan: Plan) -> Iterator[str]:
    """Yield every core word of a plan, distractors' included."""
    for pair in (*plan.pairs, *plan.distractors):
        for word in (*pair.attributes, pair.object):
            yield from folded(word)


def core_length(pair: Pair) -> int:
    """Return how many words a pair's core phrase has."""
    return len(folded(pair.object)) + sum(len(folded(word)) for word in pair.attributes)


def core_of(pair: Pair) -> str:
    """Return a pair as it stands in a text: its attributes, then its object."""
    return " ".join((*pair.attributes, pair.object))


def noun_phrase(pair: Pair) -> str:
    """Return a pair with its indefinite article."""
    core = core_of(pair)
    return f"{indefinite(words_of(core)[0])} {core}"


def enumerate_phrases(phrases: Iterable[str]) -> str:
    """Join phrases as "a, b and c"."""
    *start, last = phrases
    return f"{', '.join(start)} and {last}" if start else last
