"""Every rule from both sides: a draft that it rejects and the nearest one that it accepts."""

import pytest

from artifacts.plans import Range
from tests.validators.samples import SAMPLES, Sample

PAIR, BUNDLE = SAMPLES["pair_swap"], SAMPLES["attr_bundle"]
PREDICATIVE, TRIPLE = SAMPLES["predicative"], SAMPLES["triple_bind_cycle"]
ANAPHORIC = SAMPLES["deferred_bind_anaphoric"]
RESPECTIVE = SAMPLES["deferred_bind_respective"]


def with_distractors(sample: Sample, positive: str, *phrases: str) -> Sample:
    return Sample(sample.plan, positive, sample.phrases, phrases)


#: Rule, the draft that breaks it, the nearest that doesn't.
SIDES = [
    (
        "printable",
        PAIR.but("At dawn a red tunic\nlay on an icy shroud."),
        PAIR.but("At dawn a red tunic – lay on an icy shroud."),
    ),
    (
        "printable",
        PAIR.but("At dawn a red tunic lay on an icy shroud. "),
        PAIR.but("At dawn a red tunic lay on an icy shroud…"),
    ),
    (
        "printable",
        PAIR.but("At dawn a red tunic lay\u200b on an icy shroud."),
        PAIR.but("“At dawn a red tunic lay on an icy shroud.”"),
    ),
    (
        "prompt_leak",
        PAIR.but("Register: news. At dawn a red tunic lay on an icy shroud."),
        PAIR.but("At the cash register a red tunic lay on an icy shroud."),
    ),
    (
        "prompt_leak",
        PAIR.but('{"positive": "At dawn a red tunic lay on an icy shroud."}'),
        PAIR.but("(At dawn a red tunic lay on an icy shroud.)"),
    ),
    (
        "prompt_leak",
        PAIR.but("Here is the caption: at dawn a red tunic lay on an icy shroud."),
        PAIR.but("Here is the catch: at dawn a red tunic lay on an icy shroud."),
    ),
    (
        "prompt_leak",
        PAIR.but("As an AI, I noted at dawn a red tunic on an icy shroud."),
        PAIR.but("As an aide, I noted at dawn a red tunic on an icy shroud."),
    ),
    (
        "prompt_leak",
        PAIR.but("Setting: a pier. At dawn a red tunic lay on an icy shroud."),
        PAIR.but("The setting: a pier. At dawn a red tunic lay on an icy shroud."),
    ),
    (
        "prompt_leak",
        PAIR.but("length: at dawn a red tunic lay on an icy shroud."),
        PAIR.but("Full length: at dawn a red tunic lay on an icy shroud."),
    ),
    (
        "prompt_leak",
        PAIR.but("At dawn, Also mention: a red tunic lay on an icy shroud."),
        PAIR.but("At dawn, also mentioned: a red tunic lay on an icy shroud."),
    ),
    ("pair_count", PAIR.but(None, "red tunic"), PAIR),
    ("attribute_count", PAIR.but(None, "red tunic", "icy dawn shroud"), PAIR),
    (
        "attribute_words",
        PAIR.but("A well-worn tunic lay on an icy shroud.", "well.worn tunic", "icy shroud"),
        PAIR.but(
            "At dawn a well-worn tunic lay on an icy shroud.", "well-worn tunic", "icy shroud"
        ),
    ),
    (
        "object_words",
        PAIR.but("At dawn a red tunic. lay on an icy shroud.", "red tunic.", "icy shroud"),
        PAIR.but(
            "At dawn a red picnic table lay on an icy shroud.", "red picnic+table", "icy shroud"
        ),
    ),
    ("words_distinct", PAIR.but(None, "red tunic", "Red shroud"), PAIR),
    (
        "words_distinct",
        PAIR.but(
            "At dawn a red table lamp shade lay on an icy day.", "red table+lamp", "icy lamp+shade"
        ),
        PAIR.but(
            "At dawn a red table lamp lay on an icy lamp shade.",
            "red table+lamp",
            "icy lamp+shade",
        ),
    ),
    (
        "core_word_count",
        PAIR.but("At dawn a red tunic lay on an icy shroud, a Red herring."),
        PAIR.but("At dawn a red tunic lay on an icy shroud, a reddish herring."),
    ),
    (
        "core_word_count",
        PAIR.but("At dawn a red tunic lay on an icy tarp, like its shroud's."),
        PAIR.but("At dawn a red tunic lay on an icy shroud, like its tunic's."),
    ),
    (
        "distractors",
        with_distractors(PAIR, "At dawn a red tunic lay on an icy shroud.", "old lamp"),
        with_distractors(PAIR, "At dawn a red tunic by an old lamp on an icy shroud.", "old lamp"),
    ),
    (
        "distractors",
        with_distractors(
            TRIPLE, "We saw a red tunic, an icy shroud, a torn flag and an old lamp.", "old lamp"
        ),
        TRIPLE,
    ),
    (
        "distractors",
        with_distractors(
            PAIR,
            "A red tunic, old lamp, new cup, big hat, odd rug and icy shroud.",
            *("old lamp", "new cup", "big hat", "odd rug"),
        ),
        with_distractors(
            PAIR,
            "Just a red tunic, old lamp, new cup, big hat and icy shroud.",
            *("old lamp", "new cup", "big hat"),
        ),
    ),
    ("length", PAIR.but(None, band=Range(12, 16)), PAIR.but(None, band=Range(11, 16))),
    ("length", PAIR.but(None, band=Range(4, 5)), PAIR.but(None, band=Range(4, 6))),
    (
        "article_agreement",
        PAIR.but("At dawn a — red tunic lay on an icy shroud."),
        PAIR.but("At dawn a “red” tunic lay on an icy shroud."),
    ),
    (
        "attributes_adjacent",
        PAIR.but("At dawn a red old tunic lay on an icy shroud."),
        PAIR.but("At dawn an old red tunic lay on an icy shroud."),
    ),
    (
        "attributes_adjacent",
        PAIR.but("At dawn all was red. Tunic upon tunics lay on an icy shroud."),
        PAIR.but("At dawn all was calm. Red tunic upon tunics lay on an icy shroud."),
    ),
    (
        "attributes_adjacent",
        BUNDLE.but("Someone left a red and cotton tunic beside an ivory silk shroud."),
        BUNDLE.but("Someone left a red, cotton tunic beside an ivory silk shroud."),
    ),
    (
        "attributes_adjacent",
        TRIPLE.but("We saw a red tunic, an icy shroud and a torn old flag there."),
        TRIPLE.but("We saw a red tunic, an icy shroud and an old torn flag there."),
    ),
    (
        "binding_expressed",
        ANAPHORIC.but(None, "icy tunic", "red shroud"),
        ANAPHORIC,
    ),
    ("binding_expressed", PREDICATIVE.but(None, "icy tunic", "red shroud"), PREDICATIVE),
    (
        "binding_expressed",
        PREDICATIVE.but("At noon the tunic and the shroud by it were both red and quite icy."),
        PREDICATIVE.but("At noon the tunic near the shroud that was icy had somehow become red."),
    ),
    (
        "binding_expressed",
        RESPECTIVE.but(None, "icy tunic", "red shroud"),
        RESPECTIVE,
    ),
    (
        "attributes_detached",
        PREDICATIVE.but("At noon the tunic was red. Shroud and all had become icy again."),
        PREDICATIVE.but("At noon the tunic was red. The shroud had become icy again."),
    ),
    (
        "attributes_detached",
        RESPECTIVE.but("The tunic on the shelf and the shroud, red and icy respectively, stayed."),
        RESPECTIVE.but("The tunic here and the shroud there, red and icy respectively, stayed."),
    ),
    (
        "predicated",
        PREDICATIVE.but("At noon the tunic, forever red, hung where the shroud had become icy."),
        PREDICATIVE.but("At noon the tunic, which hung red, hid what the shroud had become, icy."),
    ),
    (
        "attributes_deferred",
        ANAPHORIC.but(
            "By the red gate a tunic lay near a shroud. The first was fine, the second icy."
        ),
        ANAPHORIC.but(
            "By the old gate a tunic lay near a shroud. The first was red, the second icy."
        ),
    ),
    (
        "reference_pair",
        ANAPHORIC.but("By the gate a tunic lay near a shroud. One was red, the other was icy."),
        ANAPHORIC.but("By the gate a tunic lay near a shroud. The former was red, the latter icy."),
    ),
    (
        "reference_pair",
        ANAPHORIC.but("A tunic lay near a shroud. The first was red, the latter looked icy."),
        ANAPHORIC.but("A tunic lay near a shroud. The first was red, the last looked icy."),
    ),
    (
        "reference_pair",
        ANAPHORIC.but(
            "A tunic lay near a shroud. The first was red, the second icy, the former also old."
        ),
        ANAPHORIC.but(
            "A tunic lay near a shroud. The first was red, the second icy, for the last time."
        ),
    ),
    (
        "reference_resolved",
        ANAPHORIC.but("A tunic lay near a shroud. The first and the second were red and icy."),
        ANAPHORIC.but("A tunic lay near a shroud. So red was the first, so icy the second."),
    ),
    ("described_first", ANAPHORIC.but(None, described_first=1), ANAPHORIC),
    (
        "described_first",
        ANAPHORIC.but("A tunic lay near a shroud. The second was icy, and the first was red."),
        ANAPHORIC.but(
            "A tunic lay near a shroud. The second was icy, and the first was red.",
            described_first=1,
        ),
    ),
    (
        "no_bare_pronoun",
        ANAPHORIC.but("A tunic lay near a shroud. The first was red, the second icy. It’s odd."),
        ANAPHORIC.but("A tunic lay near a shroud. The first was red, the second icy. How odd."),
    ),
    (
        "respective_marker",
        RESPECTIVE.but("The tunic on the shelf and the shroud by the door were red and icy."),
        RESPECTIVE.but("The tunic here and the shroud there were red and icy, in that order."),
    ),
    (
        "slot_families",
        BUNDLE.but(
            "Someone left a red cotton tunic beside a silk ivory shroud.",
            *("red cotton tunic", "silk ivory shroud"),
        ),
        BUNDLE.but(
            "Someone left a red cotton tunic beside a silk rare shroud.",
            *("red cotton tunic", "rare silk shroud"),
        ),
    ),
    (
        "families_differ",
        BUNDLE.but(
            "Someone left a red crimson tunic beside an old rare shroud.",
            *("red crimson tunic", "old rare shroud"),
        ),
        BUNDLE.but(
            "Someone left a red cotton tunic beside an old rare shroud.",
            *("red cotton tunic", "old rare shroud"),
        ),
    ),
    ("distance", PAIR.but(None, window=Range(4, 6)), PAIR.but(None, window=Range(0, 3))),
    ("distance", BUNDLE.but(None, window=Range(0, 1)), BUNDLE.but(None, window=Range(2, 2))),
    ("distance", TRIPLE.but(None, window=Range(2, 6)), TRIPLE.but(None, window=Range(1, 1))),
    (
        "distance",
        PREDICATIVE.but(None, window=Range(2, 6)),
        PREDICATIVE.but(None, window=Range(1, 1)),
    ),
    ("distance", ANAPHORIC.but(None, window=Range(4, 6)), ANAPHORIC.but(None, window=Range(3, 3))),
    (
        "distance",
        RESPECTIVE.but(None, window=Range(0, 3)),
        RESPECTIVE.but(None, window=Range(4, 4)),
    ),
]


@pytest.mark.parametrize("construction", SAMPLES)
def test_right_drafts_break_no_rule(construction: str) -> None:
    assert SAMPLES[construction].violations() == ()


@pytest.mark.parametrize(("rule", "wrong", "right"), SIDES)
def test_a_rule_rejects_the_wrong_and_accepts_the_nearest(
    rule: str, wrong: Sample, right: Sample
) -> None:
    assert rule in wrong.broken()
    assert rule not in right.broken()


@pytest.mark.parametrize(("rule", "_", "right"), SIDES)
def test_the_nearest_breaks_no_other_rule(rule: str, _: Sample, right: Sample) -> None:
    if rule not in {"core_word_count", "distance"}:
        assert right.violations() == ()
