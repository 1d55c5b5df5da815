"""Rules on the captions of a scene and on the looks that its attributes take.

Knows the captions taken apart; how that is done is `phrases`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from artifacts.reports import RuleReport, judge
from validators.benchmark.articles import expected_article
from validators.benchmark.tables import Benchmark, Question, Scene

#: Words that place one thing relative to another or in the picture: a mirrored image would belie
#: some of them, and all of them are a cue that isn't a binding.
_SPATIAL = frozenset(
    """
    above across adjacent against ahead along alongside amid among around at atop away back
    background behind below beneath beside besides between beyond bottom by center central centre
    close corner down east edge facing far foreground front horizontally in inside left leftmost
    middle near nearby nearest next north off on onto opposite out outside over right rightmost row
    side south surrounding top toward towards under underneath up upon vertically west within
    """.split()  # noqa: SIM905 (a list of ninety quoted words hides the words)
)
_TOKEN = re.compile(r"[^\W_]+")


def text_says_the_bindings(benchmark: Benchmark) -> RuleReport:
    """The text caption is one sentence of the scene's bindings, in their order."""

    def check(scene: Scene) -> str | None:
        phrases = benchmark.captions[scene.scene_id].text
        if len(phrases) == len(scene.bindings) and all(
            binding in phrase.readings
            for binding, phrase in zip(scene.bindings, phrases, strict=True)
        ):
            return None
        return f"{scene.scene_id}: {scene.text!r} doesn't say {_list(scene)}"

    return judge("text_says_the_bindings", benchmark.scenes, check)


def generation_text_says_the_bindings(benchmark: Benchmark) -> RuleReport:
    """The generation caption is the same sentence, each attribute in one of its own forms."""
    forms = _forms(benchmark)

    def check(scene: Scene) -> str | None:
        if len(list(_looks(benchmark, forms, scene))) == len(scene.bindings):
            return None
        return f"{scene.scene_id}: {scene.generation_text!r} isn't a look of {_list(scene)}"

    return judge("generation_text_says_the_bindings", benchmark.scenes, check)


def articles_follow_the_sound(benchmark: Benchmark) -> RuleReport:
    """Each "a" stands before a consonant sound and each "an" before a vowel, in both captions."""

    def check(scene: Scene) -> str | None:
        captions = benchmark.captions[scene.scene_id]
        wrong = [
            f"{phrase.article} {phrase.words}"
            for phrase in (*captions.text, *captions.generation)
            if phrase.article != expected_article(phrase.words)
        ]
        return f"{scene.scene_id}: {', '.join(wrong)}" if wrong else None

    return judge("articles_follow_the_sound", benchmark.scenes, check)


def no_spatial_words_in_captions(benchmark: Benchmark) -> RuleReport:
    """No text says where a thing is; a vocabulary word ("spinning top") may sound like it."""
    vocabulary = benchmark.expected.vocabulary
    forms = (
        form for attribute in vocabulary.attributes for form in (attribute.name, *attribute.forms)
    )
    own_words = set(_TOKEN.findall(" ".join((*vocabulary.objects, *forms)).casefold()))
    spatial = _SPATIAL - own_words

    def check(scene: Scene) -> str | None:
        texts = f"{scene.text} {scene.generation_text} {scene.scattered_text or ''}"
        found = spatial.intersection(_TOKEN.findall(texts.casefold()))
        return f"{scene.scene_id}: {', '.join(sorted(found))}" if found else None

    return judge("no_spatial_words_in_captions", benchmark.scenes, check)


def one_look_per_attribute_in_a_question(benchmark: Benchmark) -> RuleReport:
    """An attribute has the same form in all five scenes of a question."""
    forms = _forms(benchmark)

    def check(question: Question) -> str | None:
        clash = _clash(benchmark, forms, question.scenes)
        return clash and f"{question.question_id}: {clash}"

    return judge("one_look_per_attribute_in_a_question", benchmark.questions, check)


def one_look_per_attribute_in_a_chain(benchmark: Benchmark) -> RuleReport:
    """An attribute has the same form all along a chain: growth changes no earlier look."""
    forms = _forms(benchmark)

    def check(chain: tuple[str, tuple[Question, ...]]) -> str | None:
        chain_id, steps = chain
        clash = _clash(benchmark, forms, (scene for step in steps for scene in step.scenes))
        return clash and f"{chain_id}: {clash}"

    return judge("one_look_per_attribute_in_a_chain", benchmark.chains.items(), check)


def _forms(benchmark: Benchmark) -> Mapping[str, frozenset[str]]:
    attributes = benchmark.expected.vocabulary.attributes
    return {attribute.name: frozenset(attribute.forms) for attribute in attributes}


def _looks(
    benchmark: Benchmark, forms: Mapping[str, frozenset[str]], scene: Scene
) -> Iterator[tuple[str, str]]:
    """Yield (attribute, form) for each binding that the generation caption says in its place."""
    phrases = benchmark.captions[scene.scene_id].generation
    if len(phrases) != len(scene.bindings):
        return
    for (attribute, name), phrase in zip(scene.bindings, phrases, strict=True):
        own_forms = forms.get(attribute, frozenset())
        look = next(
            (form for form, thing in phrase.readings if thing == name and form in own_forms), None
        )
        if look is not None:
            yield attribute, look


def _clash(
    benchmark: Benchmark, forms: Mapping[str, frozenset[str]], scenes: Iterable[Scene]
) -> str | None:
    looks: dict[str, str] = {}
    for scene in scenes:
        for attribute, look in _looks(benchmark, forms, scene):
            if looks.setdefault(attribute, look) != look:
                return f"{attribute} is {looks[attribute]!r}, and {look!r} in {scene.scene_id}"
    return None


def _list(scene: Scene) -> str:
    return ", ".join(f"{attribute} {name}" for attribute, name in scene.bindings)
