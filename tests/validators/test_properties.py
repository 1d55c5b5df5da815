"""What holds for every draft of every construction, whatever its words and frame."""

import re
from collections import Counter
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from artifacts.articles import indefinite
from artifacts.plans import Assembled
from artifacts.words import find_words, words_of
from generators.assembly import assemble
from generators.constructions import CONSTRUCTIONS
from generators.drafts import parse_draft
from tests.validators.samples import SAMPLES, Sample
from validators.constructions import CHECKERS
from validators.evidence import bind, gather
from validators.judge import structural_violations

ATTRIBUTES = ["red", "icy", "old", "torn", "LED", "odd", "well-worn", "honest", "one-eyed", "8-bit"]
OBJECTS = ["tunic", "owl", "fire hydrant", "heirloom", "SUV", "umbrella", "cup", "unicycle"]

#: `{0}`, `{1}`, `{2}`: a phrase or a noun with its article; `{a}`, `{b}`: bare attributes.
FRAMES = {
    "pair_swap": [
        "{0} and {1} — both here!",
        "“Look,” she said, pointing from {0} to {1}.",
        "We moved {0}; {1} (never used) stayed.",
    ],
    "triple_bind": ["{0}, {1} and {2}.", "He’d kept {0} by {1}: “{2}?”, I asked."],
    "predicative": [
        "{0} was {a}, and {1} had become {b}.",
        "So {a} was {0}; how {b} grew {1}!",
        "{0} beside {1} that was {a} turned {b} “overnight”.",
    ],
    "anaphoric": [
        "{0} stood by {1}. The first was {a}, the second {b}.",
        "Of {0} and {1}, the latter looked {a} — the former, {b}.",
    ],
    "respective": [
        "{0} and {1} were {a} and {b}, respectively.",
        "{0}, like {1} there, was sold as {a} or {b} (in that order).",
    ],
}


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    name = draw(st.sampled_from(sorted(SAMPLES)))
    sample, construction = SAMPLES[name], CONSTRUCTIONS[name]
    count, each = construction.objects, construction.attributes_per_object
    nouns = draw(st.lists(st.sampled_from(OBJECTS), min_size=count, max_size=count, unique=True))
    words = draw(
        st.lists(
            st.sampled_from(ATTRIBUTES), min_size=count * each, max_size=count * each, unique=True
        )
    )
    bundles = [words[slot * each : slot * each + each] for slot in range(count)]
    pairs = [
        " ".join([*bundle, noun.replace(" ", "+")])
        for bundle, noun in zip(bundles, nouns, strict=True)
    ]
    text, pairs = draw(_texts(name, nouns, bundles, pairs))
    order = draw(st.permutations(range(count)))
    first = int("latter" in text)
    return sample.but(text, *pairs, query_order=tuple(order), described_first=first)


@st.composite
def _texts(
    draw: st.DrawFn, name: str, nouns: list[str], bundles: list[list[str]], pairs: list[str]
) -> tuple[str, list[str]]:
    article = draw(st.sampled_from(["a", "the", "each"]))
    kind = next((kind for kind in FRAMES if kind in name), "pair_swap")
    frame = draw(st.sampled_from(FRAMES[kind]))
    if kind in ("pair_swap", "triple_bind"):
        phrases = [_phrase(article, pair.replace("+", " ")) for pair in pairs]
        return _start(frame.format(*phrases)), pairs
    if "that was" in frame or "latter" in frame:
        bundles = bundles[::-1]  # the first attribute is the second noun's
    (a,), (b,) = bundles
    return _start(frame.format(*(_phrase(article, noun) for noun in nouns), a=a, b=b)), pairs


def _phrase(article: str, words: str) -> str:
    return f"{indefinite(words.split()[0]) if article == 'a' else article} {words}"


def _start(text: str) -> str:
    return text[0].upper() + text[1:]


def assembled(sample: Sample) -> Assembled:
    outcome = sample.assembled()
    assert structural_violations(outcome, {}) == ()
    return outcome


def bag(text: str) -> Counter[str]:
    return Counter("a" if word == "an" else word for word in words_of(text.casefold()))


@settings(max_examples=300, deadline=None)
@given(samples())
def test_every_text_is_a_permutation_and_all_are_distinct(sample: Sample) -> None:
    example = assembled(sample)
    texts = {example.positive, example.negative_attribute, example.negative_object}
    assert len(texts) == 3
    assert len({text.casefold() for text in example.orbit}) == len(example.orbit)
    assert texts <= set(example.orbit)
    assert {frozenset(bag(text).items()) for text in example.orbit} == {
        frozenset(bag(example.draft).items())
    }


@settings(deadline=None)
@given(samples())
def test_negatives_say_what_they_are_meant_to(sample: Sample) -> None:
    example = assembled(sample)
    evidence = gather(example, CHECKERS[example.plan.construction], {})
    intended = evidence.checker.intend(evidence)
    assert evidence.said[:3] == (evidence.queried, *intended)
    kept = evidence.queried & evidence.said[2]
    assert len(kept) == (1 if example.kept_pair is not None else 0)
    reported = [pair.object for pair in example.pairs]
    assert bind([word for pair in example.pairs for word in pair.attributes], reported)


@settings(deadline=None)
@given(samples())
def test_what_is_no_core_word_or_article_stays_as_it_was(sample: Sample) -> None:
    example = assembled(sample)
    core = [word for pair in example.pairs for word in (*pair.attributes, pair.object)]
    frames = {_frame(text, core) for text in example.orbit}
    assert len(frames) == 1


def _frame(text: str, core: list[str]) -> str:
    """Mask the core words by their role, and the articles before them."""
    for word in core:
        mask = "@" if word in ATTRIBUTES else "#"
        text = re.sub(rf"(?<![\w-]){re.escape(word)}(?![\w-])", mask, text, flags=re.IGNORECASE)
    return re.sub(r"\b[Aa]n?(?= [@#])", "~", text)


@settings(deadline=None)
@given(samples())
def test_sentences_start_with_a_capital_and_articles_fit(sample: Sample) -> None:
    for text in assembled(sample).orbit:
        assert text[0].isupper() or text[0] in "“8"
        words = find_words(text)
        for word, following in pairwise(words):
            if word.text.casefold() in ("a", "an"):
                assert word.text.casefold() == indefinite(following.text)


@settings(deadline=None)
@given(samples())
def test_attributes_stand_beside_objects_only_where_they_should(sample: Sample) -> None:
    example = assembled(sample)
    construction = example.plan.construction
    detached = construction == "predicative" or construction.startswith("deferred")
    evidence = gather(example, CHECKERS[construction], {})
    for caption in evidence.captions:
        touching = [
            noun.word
            for noun in caption.objects
            for span in caption.attributes
            if span.end == noun.start or (detached and noun.end == span.start)
        ]
        assert len(touching) == (0 if detached else len(caption.objects))


@settings(deadline=None)
@given(samples())
def test_draws_over_the_orbit_yield_each_member_once_in_each_place(sample: Sample) -> None:
    construction = CONSTRUCTIONS[sample.plan.construction]
    size = len(sample.assembled().orbit)
    drawn = [assembled(sample.but(None, orbit_draw=draw)) for draw in range(size)]
    for place in ("positive", "negative_attribute", "negative_object"):
        assert {getattr(example, place) for example in drawn} == set(drawn[0].orbit)
    assert size == (9 if construction.name == "triple_bind_cycle" else 4)


@settings(deadline=None)
@given(samples(), st.integers(min_value=0, max_value=8))
def test_the_query_follows_the_positive(sample: Sample, draw: int) -> None:
    example = assembled(sample.but(None, orbit_draw=draw))
    places = [example.positive.casefold().index(pair.object.casefold()) for pair in example.pairs]
    ranks = [sorted(places).index(place) for place in places]
    assert tuple(ranks) == example.plan.query_order
    evidence = gather(example, CHECKERS[example.plan.construction], {})
    assert evidence.said[0] == evidence.queried


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_a_draft_or_a_violation(raw: str) -> None:
    outcome = parse_draft(raw, SAMPLES["pair_swap"].plan)
    assert isinstance(outcome, tuple)
    assert outcome


@settings(deadline=None)
@given(st.text(max_size=120), st.sampled_from(sorted(SAMPLES)))
def test_any_caption_is_judged_without_an_error(positive: str, name: str) -> None:
    sample = SAMPLES[name]
    draft = sample.but(f"{sample.positive}{positive}").draft
    outcome = assemble(sample.plan, draft, CONSTRUCTIONS[name])
    if isinstance(outcome, Assembled):
        structural_violations(outcome)
