"""Plans, drafts and examples for tests: one right draft per construction, made to be bent."""

from dataclasses import dataclass, field, replace

from artifacts.plans import Assembled, Draft, DraftPair, Plan, Range, Violation
from generators.assembly import assemble
from generators.constructions import CONSTRUCTIONS
from validators.judge import structural_violations

BASE = Plan(
    construction="pair_swap",
    attempt=0,
    seed=1,
    scene="a market",
    time=None,
    weather=None,
    register="news caption",
    opener="plain",
    band=Range(8, 40),
    window=Range(0, 26),
    pairs=(),
    distractors=(),
    distractor_count=0,
    kept_pair=None,
    swapped_slot=None,
    described_first=None,
    direction=None,
    orbit_draw=None,
    query_order=(0, 1),
)

FAMILIES = {
    "red": "color",
    "ivory": "color",
    "crimson": "color",
    "cotton": "fabric",
    "silk": "fabric",
}

#: "red tunic" or "red cotton tunic": the attributes, then the object, one word each.
Phrases = tuple[str, ...]


def draft_of(positive: str, *phrases: str, distractors: Phrases = ()) -> Draft:
    return Draft(
        pairs=[_pair(phrase) for phrase in phrases],
        distractors=[_pair(phrase) for phrase in distractors],
        positive=positive,
    )


def _pair(phrase: str) -> DraftPair:
    *attributes, noun = phrase.split()
    return DraftPair(attributes=attributes, object=noun.replace("+", " "))


@dataclass(frozen=True)
class Sample:
    """A draft with its plan."""

    plan: Plan
    positive: str
    phrases: Phrases
    distractors: Phrases = field(default=())

    @property
    def draft(self) -> Draft:
        return draft_of(self.positive, *self.phrases, distractors=self.distractors)

    def but(self, positive: str | None = None, *phrases: str, **planned: object) -> "Sample":
        """Return this sample with another text, other pairs or other draws."""
        return Sample(
            replace(self.plan, **planned),  # type: ignore[arg-type]
            self.positive if positive is None else positive,
            phrases or self.phrases,
            self.distractors,
        )

    def assembled(self) -> Assembled:
        outcome = assemble(self.plan, self.draft, CONSTRUCTIONS[self.plan.construction])
        assert isinstance(outcome, Assembled), outcome
        return outcome

    def violations(self) -> tuple[Violation, ...]:
        """Return what is wrong with the draft, found while assembling or by the rules."""
        outcome = assemble(self.plan, self.draft, CONSTRUCTIONS[self.plan.construction])
        if isinstance(outcome, Assembled):
            return structural_violations(outcome, FAMILIES)
        return outcome

    def broken(self) -> set[str]:
        return {violation.rule for violation in self.violations()}


def _sample(construction: str, positive: str, *phrases: str, **planned: object) -> Sample:
    draws = {"construction": construction, "query_order": tuple(range(len(phrases))), **planned}
    return Sample(replace(BASE, **draws), positive, phrases)  # type: ignore[arg-type]


TRIPLE = "We saw a red tunic, an icy shroud and a torn flag there."
SAMPLES = {
    sample.plan.construction: sample
    for sample in (
        _sample(
            "pair_swap", "At dawn a red tunic lay on an icy shroud.", "red tunic", "icy shroud"
        ),
        _sample(
            "attr_bundle",
            "Someone left a red cotton tunic beside an ivory silk shroud.",
            "red cotton tunic",
            "ivory silk shroud",
            swapped_slot=0,
        ),
        _sample(
            "predicative",
            "At noon the tunic was red while the shroud had become icy again.",
            "red tunic",
            "icy shroud",
        ),
        _sample("triple_bind_cycle", TRIPLE, "red tunic", "icy shroud", "torn flag", direction=1),
        _sample("triple_bind_swap", TRIPLE, "red tunic", "icy shroud", "torn flag", kept_pair=1),
        _sample(
            "deferred_bind_anaphoric",
            "By the gate a tunic lay near a shroud. The first was red, and the second looked icy.",
            "red tunic",
            "icy shroud",
            described_first=0,
        ),
        _sample(
            "deferred_bind_respective",
            "The tunic on the shelf and the shroud by the door were red and icy, respectively.",
            "red tunic",
            "icy shroud",
        ),
    )
}
