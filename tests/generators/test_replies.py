"""Plans that leave the words to a model, and replies that go the whole way to a verdict."""

import json
from dataclasses import replace

import pytest

from artifacts.plans import Assembled, Draft, Plan
from generators.assembly import assemble
from generators.constructions import CONSTRUCTIONS
from generators.drafts import parse_draft
from generators.embedded.writer import EmbeddedWriter
from generators.planning import MOST_DISTRACTORS
from generators.prompting.examples import chosen_reply, example_plan, given_reply
from tests.generators.asking import ask, fits, planned, planner
from validators.judge import judge, structural_violations
from validators.ledger import Ledger
from vocab.prompts import PromptExample, load_prompts

EXAMPLES = [
    (name, example)
    for name, prompt in load_prompts().constructions.items()
    for example in prompt.examples
]


# ---- plans that leave the words to the writer ----


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_a_free_plan_has_everything_but_words(name: str) -> None:
    plans = planned(name, "free", 60)
    assert {(plan.pairs, plan.distractors) for plan in plans} == {((), ())}
    counts = {plan.distractor_count for plan in plans}
    takes = CONSTRUCTIONS[name].takes_distractors
    assert counts == (set(range(MOST_DISTRACTORS + 1)) if takes else {0})
    assert len({plan.register for plan in plans}) > 20
    for draw in CONSTRUCTIONS[name].draws:
        assert len({getattr(plan, draw) for plan in plans}) > 1


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_a_free_plan_follows_from_seed_construction_and_index(name: str) -> None:
    ledger = Ledger(4)
    first = planner(name, chooses_words=False)
    plans = [first.plan(attempt, ledger) for attempt in range(10)]
    again = planner(name, chooses_words=False)
    assert [again.plan(attempt, ledger) for attempt in reversed(range(10))] == plans[::-1]
    other = planner(name, chooses_words=False, seed=4)
    assert [other.plan(attempt, ledger) for attempt in range(10)] != plans


# ---- replies ----


def reply_to(plan: Plan, raw: str) -> Assembled:
    draft = parse_draft(raw, plan)
    assert isinstance(draft, Draft), draft
    example = assemble(plan, draft, CONSTRUCTIONS[plan.construction])
    assert isinstance(example, Assembled), example
    return example


def without_words(plan: Plan) -> Plan:
    return replace(plan, pairs=(), distractors=())


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_an_example_passes_every_rule_in_every_arrangement(
    name: str, example: PromptExample
) -> None:
    plan = example_plan(CONSTRUCTIONS[name], example)
    chosen = reply_to(without_words(plan), chosen_reply(example))
    given = reply_to(plan, given_reply(example))
    assert judge(chosen, Ledger(4)).violations == judge(given, Ledger(4)).violations == ()
    assert judge(given, Ledger(4)).remarks == ()
    assert plan.band.low <= judge(given, Ledger(4)).length_words <= plan.band.high
    assert CONSTRUCTIONS[name].admits(plan.band, plan.window)
    assert plan.band in CONSTRUCTIONS[name].bands
    assert plan.window in CONSTRUCTIONS[name].windows


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_an_example_answers_in_the_form_that_is_asked_for(
    name: str, example: PromptExample
) -> None:
    plan = example_plan(CONSTRUCTIONS[name], example)
    assert fits(ask(plan, "free").schema, json.loads(chosen_reply(example)))
    assert fits(ask(plan, "given").schema, json.loads(given_reply(example)))
    assert given_reply(example) in ask(plan, "given").system
    assert given_reply(example) in ask(plan, "bare").system


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_a_writer_s_text_goes_the_whole_way_in_both_styles(name: str) -> None:
    writer = EmbeddedWriter()
    for plan in planned(name, "given", 30):
        raw: dict[str, object] = json.loads(writer.write(plan))
        given = json.dumps({"positive": raw["positive"]})
        chosen = {key: value for key, value in raw.items() if value != []}
        assert fits(ask(plan, "given").schema, json.loads(given))
        assert fits(ask(without_words(plan), "free").schema, chosen)
        example = reply_to(plan, given)
        assert structural_violations(example) == ()
        freely = reply_to(without_words(plan), json.dumps(chosen))
        assert replace(freely, plan=plan) == example
        assert judge(freely, Ledger(4)).violations == ()
