"""Plans: all that is sampled for one attempt before anything is written (section B.3).

A plan is a pure function of the build's seed, the construction, the attempt's index and the ledger
as of an earlier attempt. Knows words and caps; not how a plan becomes English or is judged.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from artifacts.errors import GenerationError
from artifacts.ledger_view import LedgerView
from artifacts.plans import Pair, Plan, Range
from artifacts.seeds import derive_seed
from artifacts.words import words_of
from generators.constructions.base import Construction
from generators.embedded.room import distractor_room
from generators.plausibility import has_room, in_natural_order, is_large
from vocab.contexts import Contexts
from vocab.dataset_words import Noun, WordBank

#: A multiple of every orbit's size (4 and 9), so that the draw is uniform over each.
ORBIT_DRAWS = 36
#: At most so many further pairs are woven in (section B.3).
MOST_DISTRACTORS = 3

#: How many adjectives of a family are compared to find a little-used one.
_COMPARED = 6
#: Draws of a noun that fits its companions before the words count as too few.
_NOUN_TRIES = 200
#: How often a scene that has room for large things has large things.
_LARGE_SHARE = 0.5
#: Families of which one object shouldn't carry one each: their words may contradict each other.
_CONTRADICTING = tuple(
    frozenset(pair)
    for pair in (
        ("age", "condition"),
        ("age", "wear"),
        ("cleanliness", "condition"),
        ("cleanliness", "wear"),
        ("quality", "condition"),
        ("quality", "wear"),
        ("quality", "value"),
        ("color", "pattern"),
    )
)


@dataclass(frozen=True, slots=True)
class PlanWords:
    """Everything that plans are sampled from."""

    bank: WordBank
    contexts: Contexts
    registers: tuple[str, ...]
    openers: tuple[str, ...]


class Planner:
    """Samples the plans of one construction in one build."""

    def __init__(
        self,
        construction: Construction,
        words: PlanWords,
        seed: int,
        *,
        counterbalance: bool,
        chooses_words: bool = True,
    ) -> None:
        """Prepare the draws of a build with this seed.

        Without `chooses_words` a plan has no pairs and no distractors, only how many of these it
        asks for: whoever writes chooses them.
        """
        self._construction = construction
        self._words = words
        self._seed = seed
        self._counterbalance = counterbalance
        self._chooses_words = chooses_words
        self._cells = {
            window: [band for band in construction.bands if construction.admits(band, window)]
            for window in construction.windows
        }
        self._by_domain: dict[str, list[Noun]] = {}
        for noun in words.bank.nouns:
            self._by_domain.setdefault(noun.domain, []).append(noun)
        self._of_scale = {
            large: [noun for noun in words.bank.nouns if is_large(noun) is large]
            for large in (True, False)
        }

    def plan(self, attempt: int, view: LedgerView) -> Plan:
        """Return the plan of an attempt against the ledger as it stands in `view`."""
        construction = self._construction
        seed = derive_seed(self._seed, construction.name, attempt)
        rng = random.Random(seed)
        contexts = self._words.contexts
        scene = rng.choice(contexts.scenes)
        time = rng.choice((None, *contexts.times))
        weather = rng.choice((None, *contexts.weathers))
        window = rng.choice(construction.windows)
        band = rng.choice(self._cells[window])
        draw = self._begin_words(rng, view, (scene, time, weather)) if self._chooses_words else None
        pairs = draw.pairs(construction.objects, construction.attributes_per_object) if draw else ()
        count = self._draw_distractor_count(rng, band, window)
        return Plan(
            construction=construction.name,
            attempt=attempt,
            seed=seed,
            scene=scene,
            time=time,
            weather=weather,
            register=rng.choice(self._words.registers),
            opener=rng.choice(self._words.openers),
            band=band,
            window=window,
            pairs=pairs,
            distractors=tuple(draw.distractor() for _ in range(count)) if draw else (),
            distractor_count=count,
            kept_pair=self._draw("kept_pair", rng, range(construction.objects)),
            swapped_slot=self._draw("swapped_slot", rng, range(2)),
            described_first=self._draw("described_first", rng, range(2)),
            direction=self._draw("direction", rng, (1, -1)),
            orbit_draw=rng.randrange(ORBIT_DRAWS) if self._counterbalance else None,
            query_order=tuple(rng.sample(range(construction.objects), construction.objects)),
        )

    def _begin_words(
        self, rng: random.Random, view: LedgerView, context: tuple[str, str | None, str | None]
    ) -> "_WordDraw":
        """Draw the scale of the things at a scene; its words are none that may be drawn."""
        scene, *_ = context
        large = has_room(scene) and rng.random() < _LARGE_SHARE
        nouns = self._of_scale[large] or self._words.bank.nouns
        draw = _WordDraw(rng, self._words.bank, nouns, self._by_domain, view)
        draw.bar(word for text in context if text for word in words_of(text))
        return draw

    def _draw_distractor_count(self, rng: random.Random, band: Range, window: Range) -> int:
        if not self._construction.takes_distractors:
            return 0
        room = distractor_room(self._construction, band, window)
        return rng.randrange(min(MOST_DISTRACTORS, room) + 1)

    def _draw(self, name: str, rng: random.Random, choices: Sequence[int]) -> int | None:
        return rng.choice(choices) if name in self._construction.draws else None


class _WordDraw:
    """Draws the words of one plan, none of them twice."""

    def __init__(
        self,
        rng: random.Random,
        bank: WordBank,
        nouns: Sequence[Noun],
        by_domain: dict[str, list[Noun]],
        view: LedgerView,
    ) -> None:
        self._rng = rng
        self._bank = bank
        #: The nouns of one scale; others only where these don't do.
        self._nouns = nouns
        self._by_domain = by_domain
        self._view = view
        self._used: set[str] = set()

    def bar(self, words: Iterable[str]) -> None:
        """Exclude the words that the context brings into the text."""
        self._used.update(word.casefold() for word in words)

    def pairs(self, objects: int, slots: int) -> tuple[Pair, ...]:
        """Draw the queried pairs; every attribute is plausible for every object (section 4)."""
        nouns, families = self._companions(objects, slots)
        if slots == 1:
            return tuple(Pair((self._attribute(families),), noun.word) for noun in nouns)
        levels = self._slot_families(families, slots)
        return tuple(
            Pair(tuple(self._attribute([family]) for family in levels), noun.word) for noun in nouns
        )

    def distractor(self) -> Pair:
        """Draw a further pair; its attribute is plausible for its own object."""
        noun = self._noun(self._nouns)
        return Pair((self._attribute(sorted(noun.families)),), noun.word)

    def _companions(self, objects: int, slots: int) -> tuple[list[Noun], list[str]]:
        """Draw nouns that share families enough; half of the time all of one domain."""
        first = self._noun(self._nouns)
        nouns, shared = [first], sorted(first.families)
        kin = self._by_domain[first.domain] if self._rng.random() < 0.5 else self._nouns
        while len(nouns) < objects:
            noun, families = self._companion(kin, shared, slots)
            nouns.append(noun)
            shared = families
        return nouns, shared

    def _companion(
        self, kin: Sequence[Noun], shared: list[str], slots: int
    ) -> tuple[Noun, list[str]]:
        for trial in range(_NOUN_TRIES):
            noun = self._noun(kin if trial < 8 else self._nouns)
            families = [family for family in shared if family in noun.families]
            if len(families) > slots:
                return noun, families
            self._used.discard(noun.word.casefold())
        raise GenerationError(
            f"expected nouns that share more than {slots} families, found none in "
            f"{_NOUN_TRIES} draws: name more families in nouns.toml"
        )

    def _noun(self, nouns: Sequence[Noun]) -> Noun:
        """Draw a noun that is neither used nor capped; after long search one that is capped."""
        for trial in range(_NOUN_TRIES):
            noun = self._rng.choice(nouns if trial < _NOUN_TRIES // 2 else self._bank.nouns)
            capped = trial < _NOUN_TRIES // 2 and self._view.is_capped("object", noun.word)
            if not capped and noun.word.casefold() not in self._used:
                self._used.add(noun.word.casefold())
                return noun
        raise GenerationError(
            f"expected a noun that the plan doesn't use yet, found none in {_NOUN_TRIES} draws: "
            "add nouns to nouns.toml"
        )

    def _slot_families(self, families: list[str], slots: int) -> list[str]:
        """Draw one family per slot, none that may contradict another on the same object.

        They come in the order in which their adjectives precede a noun.
        """
        drawn = self._rng.sample(families, len(families))
        levels: list[str] = []
        for family in drawn:
            if not any(frozenset((family, other)) in _CONTRADICTING for other in levels):
                levels.append(family)
        levels += [family for family in drawn if family not in levels]
        return in_natural_order(levels[:slots])

    def _attribute(self, families: Sequence[str]) -> str:
        """Draw a little-used adjective of one of the families that isn't used or capped."""
        for family in self._rng.sample(families, len(families)):
            words = self._bank.families[family]
            for pool in (self._rng.sample(words, min(_COMPARED, len(words))), words):
                word = self._least_used(pool)
                if word is not None:
                    self._used.add(word.casefold())
                    return word
        raise GenerationError(
            f"expected an adjective of {', '.join(families)} that the plan doesn't use yet and "
            "the caps admit, found none: add adjectives to adjectives.toml"
        )

    def _least_used(self, pool: Sequence[str]) -> str | None:
        """Return the first of the least-used words that are free and below the cap."""
        best, least = None, self._view.cap
        for word in pool:
            if word.casefold() not in self._used:
                count = self._view.count("attribute", word)
                if count < least:
                    best, least = word, count
        return best
