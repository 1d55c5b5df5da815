"""What goes together in one text: things and scenes, adjectives, openings and clocks."""

import random
import re
from dataclasses import replace

import pytest

from artifacts.plans import Draft, Plan, Range
from generators.constructions import CONSTRUCTIONS
from generators.embedded.writer import EmbeddedWriter
from generators.planning import Planner, PlanWords
from generators.plausibility import LARGE_DOMAINS, has_room, in_natural_order, is_large
from tests.generators.embedded_checker import draw_plan
from vocab.contexts import load_contexts
from vocab.dataset_words import load_word_bank
from vocab.phrases import load_openers, load_registers


class EmptyView:
    """A ledger without rows."""

    accepted = 0
    cap = 10

    def count(self, role: str, word: str) -> int:
        return 0

    def is_capped(self, role: str, word: str) -> bool:
        return False


def plans(name: str, count: int) -> list[Plan]:
    words = PlanWords(
        bank=load_word_bank(),
        contexts=load_contexts(),
        registers=tuple(load_registers()),
        openers=tuple(load_openers()),
    )
    planner = Planner(CONSTRUCTIONS[name], words, 3, counterbalance=True)
    return [planner.plan(attempt, EmptyView()) for attempt in range(count)]  # type: ignore[arg-type]


@pytest.mark.parametrize("scene", ["on a quay by the customhouse", "in a salvage yard"])
def test_a_scene_in_the_open_has_room(scene: str) -> None:
    assert has_room(scene)


@pytest.mark.parametrize(
    "scene", ["in a chess club", "at a post office counter", "aboard a minibus"]
)
def test_a_scene_under_a_roof_has_none(scene: str) -> None:
    assert not has_room(scene)


def test_enough_scenes_have_room() -> None:
    share = sum(map(has_room, load_contexts().scenes)) / 1_000
    assert 0.25 < share < 0.45


def test_large_domains_are_domains_of_the_nouns() -> None:
    assert {noun.domain for noun in load_word_bank().nouns} >= LARGE_DOMAINS


def test_adjectives_come_in_their_natural_order() -> None:
    assert in_natural_order(["material", "color", "size", "appeal"]) == [
        *("appeal", "size", "color", "material")
    ]
    assert in_natural_order(["color", "my-own", "size"]) == ["my-own", "size", "color"]


@pytest.mark.parametrize("name", ["pair_swap", "triple_bind_cycle"])
def test_a_plan_s_things_are_of_one_scale_and_suit_the_scene(name: str) -> None:
    large = {noun.word for noun in load_word_bank().nouns if is_large(noun)}
    found = plans(name, 300)
    for plan in found:
        scales = {pair.object in large for pair in (*plan.pairs, *plan.distractors)}
        assert len(scales) == 1
        assert scales == {False} or has_room(plan.scene)
    assert any(plan.pairs[0].object in large for plan in found)


def test_the_slots_of_a_bundle_are_in_natural_order() -> None:
    family_of = load_word_bank().family_of
    for plan in plans("attr_bundle", 100):
        families = [family_of[word] for word in plan.pairs[0].attributes]
        assert families == in_natural_order(families)


def write(plan: Plan) -> str:
    return Draft.model_validate_json(EmbeddedWriter().write(plan)).positive


def test_only_a_sentence_of_its_own_is_capitalised_after_a_label() -> None:
    whole = {
        re.sub(r"\{(\w+)\|(\w+)\}", form, phrase)
        for opener in load_openers().values()
        for phrase in opener.phrases
        if not phrase.endswith(",")
        for form in (r"\1", r"\2")
    }
    for number in range(300):
        text = write(draw_plan("pair_swap", Range(23, 30), Range(0, 2), number))
        _, colon, rest = text.partition(": ")
        if colon and not re.match(r"I\b|[a-z\"“]", rest):
            assert rest.startswith(tuple(whole)), text


@pytest.mark.parametrize(
    ("time", "hours"), [("just before dawn", {4}), ("in the evening", {19, 20, 21})]
)
def test_a_clock_agrees_with_the_time_of_day(time: str, hours: set[int]) -> None:
    registers = [
        name
        for name, register in load_registers().items()
        if any("{h}" in lead for lead in register.leads)
    ]
    rng = random.Random(1)
    shown = set()
    for number in range(150):
        plan = draw_plan("pair_swap", Range(23, 30), Range(0, 2), number)
        plan = replace(plan, time=time, register=rng.choice(registers))
        shown |= {int(hour) for hour in re.findall(r"\b(\d\d):\d\d\b", write(plan))}
    assert shown == hours
