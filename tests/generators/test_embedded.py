"""The embedded writer, judged by a checker of its own that shares no code with it."""

import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from artifacts.plans import Draft, Plan, Range
from generators.constructions import CONSTRUCTIONS
from generators.embedded.pen import Pen, Sentence, core_of, noun_phrase
from generators.embedded.room import distractor_room
from generators.embedded.writer import EmbeddedWriter
from tests.generators.embedded_checker import draw_plan, faults_of, frame_of

PLANS_PER_CELL = 25
CELLS = [
    (name, band, window)
    for name, construction in CONSTRUCTIONS.items()
    for band in construction.bands
    for window in construction.windows
    if construction.admits(band, window)
]
CELL_IDS = [f"{name}-{band.low}-{window.low}" for name, band, window in CELLS]


@cache
def writer() -> EmbeddedWriter:
    return EmbeddedWriter()


@cache
def drafts(name: str, band: Range, window: Range) -> tuple[tuple[Plan, str], ...]:
    plans = [draw_plan(name, band, window, number) for number in range(PLANS_PER_CELL)]
    return tuple((plan, Draft.model_validate_json(writer().write(plan)).positive) for plan in plans)


@pytest.mark.parametrize(("name", "band", "window"), CELLS, ids=CELL_IDS)
def test_every_draft_is_without_fault(name: str, band: Range, window: Range) -> None:
    wrong = [
        (fault, text)
        for plan, text in drafts(name, band, window)
        for fault in faults_of(plan, text)
    ]
    assert not wrong


@pytest.mark.parametrize(("name", "band", "window"), CELLS, ids=CELL_IDS)
def test_frames_differ_even_in_the_tightest_cells(name: str, band: Range, window: Range) -> None:
    frames = Counter(frame_of(plan, text) for plan, text in drafts(name, band, window))
    assert len(frames) > 0.9 * PLANS_PER_CELL


def test_the_draft_reports_the_plan_s_pairs() -> None:
    plan = draw_plan("pair_swap", Range(31, 42), Range(3, 6), 3)
    draft = Draft.model_validate_json(writer().write(plan))
    assert [(tuple(pair.attributes), pair.object) for pair in draft.pairs] == [
        (pair.attributes, pair.object) for pair in plan.pairs
    ]
    assert [pair.object for pair in draft.distractors] == [pair.object for pair in plan.distractors]


def test_a_text_is_a_function_of_its_plan_under_any_hash_seed() -> None:
    program = (
        "from tests.generators.test_embedded import *\n"
        "for name, band, window in CELLS: print(writer().write(draw_plan(name, band, window, 7)))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_an_impossible_plan_still_gets_a_text() -> None:
    plan = draw_plan("pair_swap", Range(10, 15), Range(14, 26), 1)
    assert json.loads(writer().write(plan))["positive"].endswith((".", "!", "?"))


def test_an_eighth_construction_is_one_entry_of_the_registry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def say_yes(pen: Pen) -> Sentence:
        first, second = pen.plan.pairs
        return Sentence(f"yes , {noun_phrase(first)} and {noun_phrase(second)}", distance=2)

    toy = replace(CONSTRUCTIONS["pair_swap"], name="toy", realise=say_yes)
    monkeypatch.setitem(CONSTRUCTIONS, "toy", toy)
    plan = replace(draw_plan("pair_swap", Range(10, 15), Range(0, 2), 5), construction="toy")
    text = json.loads(writer().write(plan))["positive"]
    assert re.search(
        rf"[Yy]es, an? {core_of(plan.pairs[0])} and an? {core_of(plan.pairs[1])}", text
    )


def test_planners_learn_how_many_distractors_fit() -> None:
    assert distractor_room(CONSTRUCTIONS["pair_swap"], Range(31, 42), Range(0, 2)) == 3
    assert distractor_room(CONSTRUCTIONS["pair_swap"], Range(16, 22), Range(14, 26)) == 0
    assert distractor_room(CONSTRUCTIONS["attr_bundle"], Range(31, 42), Range(0, 2)) == 0
