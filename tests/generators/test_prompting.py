"""What a model is asked: the prompts of both styles, and the schema of a reply.

The requests in `tests/golden/prompts` are whole prompts, so that none changes unnoticed; after a
change that is meant, `python -m tests.generators.test_prompting` writes them anew.
"""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from artifacts.errors import GenerationError
from artifacts.words import words_of
from generators.constructions import CONSTRUCTIONS
from generators.drafts import MAX_CAPTION_CHARACTERS, MAX_PHRASE_CHARACTERS
from generators.hints import Hints
from generators.prompting import ChatRequest, PromptStyle, prompt_checksum, requests
from generators.prompting.fields import list_banned
from tests.generators.asking import CASES, HINTS, STYLES, ask, golden_plan, parts_of, planned
from tests.validators.samples import BASE
from validators.rules.captions import LEAKED_MARKS, LEAKED_PHRASES
from vocab.dataset_words import load_word_bank
from vocab.phrases import load_registers
from vocab.prompts import load_prompts

GOLDEN = Path(__file__).parents[1] / "golden" / "prompts"


def golden_text(name: str, style: PromptStyle) -> str:
    request = ask(golden_plan(name), style)
    return json.dumps(asdict(request), indent=1, ensure_ascii=False) + "\n"


def golden_path(name: str, style: PromptStyle) -> Path:
    return GOLDEN / f"{name}_{style}.json"


@pytest.mark.parametrize(("name", "style"), CASES)
def test_no_prompt_changes_unnoticed(name: str, style: PromptStyle) -> None:
    stored = golden_path(name, style).read_text(encoding="utf-8")
    assert golden_text(name, style) == stored


# ---- the schema of a reply ----


@pytest.mark.parametrize(("name", "style"), CASES)
def test_every_part_of_a_schema_is_bounded(name: str, style: PromptStyle) -> None:
    for plan in planned(name, style, 20):
        for part in parts_of(ask(plan, style).schema):
            match part["type"]:
                case "object":
                    assert part["additionalProperties"] is False
                    assert part["required"] == list(part["properties"])
                case "array":
                    assert 1 <= part["minItems"] == part["maxItems"] <= 3
                case kind:
                    assert kind == "string"
                    assert 1 == part["minLength"] < part["maxLength"] <= MAX_CAPTION_CHARACTERS


def test_a_schema_asks_for_what_the_construction_has() -> None:
    for name, construction in CONSTRUCTIONS.items():
        schema: Any = ask(planned(name, "free", 1)[0], "free").schema
        pairs = schema["properties"]["pairs"]
        attributes = pairs["items"]["properties"]["attributes"]
        assert pairs["maxItems"] == construction.objects
        assert attributes["maxItems"] == construction.attributes_per_object
        assert pairs["items"]["properties"]["object"]["maxLength"] <= MAX_PHRASE_CHARACTERS


def test_words_are_settled_before_the_text_is_written() -> None:
    schema: Any = ask(golden_plan("pair_swap"), "free").schema
    assert list(schema["properties"]) == ["pairs", "distractors", "positive"]
    without: Any = ask(replace(golden_plan("pair_swap"), distractor_count=0), "free").schema
    assert list(without["properties"]) == ["pairs", "positive"]


# ---- the prompts ----


def prose_of(request: ChatRequest) -> str:
    """Return what is said in a request, without the lines of JSON that examples answer with."""
    lines = f"{request.system}\n{request.user}".splitlines()
    return "\n".join(line for line in lines if not line.startswith("{"))


@pytest.mark.parametrize(("name", "style"), CASES)
def test_the_system_prompt_is_a_constant_prefix(name: str, style: PromptStyle) -> None:
    asked = [ask(plan, style) for plan in planned(name, style, 20)]
    assert len({request.system for request in asked}) == 1
    assert len({request.user for request in asked}) == 20
    assert {request.schema_name for request in asked} == {f"{name}_{style}"}


@pytest.mark.parametrize(("name", "style"), CASES)
def test_no_prompt_holds_what_costs_a_draft_if_echoed(name: str, style: PromptStyle) -> None:
    for register in load_registers():
        prose = prose_of(ask(replace(golden_plan(name), register=register), style)).casefold()
        spoken = f" {' '.join(words_of(prose))} "
        assert not [mark for mark in LEAKED_MARKS if mark in prose]
        assert not [phrase for phrase in LEAKED_PHRASES if f" {phrase} " in spoken]


@pytest.mark.parametrize(("name", "style"), CASES)
def test_a_prompt_is_compact(name: str, style: PromptStyle) -> None:
    pool = [word for words in load_word_bank().families.values() for word in words]
    hints = Hints(
        suggestions={family: words[-3:] for family, words in load_word_bank().families.items()},
        avoid=tuple(pool[:140]),
        ban=tuple(pool[100:400]),
    )
    for plan in planned(name, style, 20):
        request = ask(plan, style, hints)
        assert len(request.system) < 4 * 700
        assert len(request.user) < 4 * (600 if style == "free" else 120)


def test_a_prompt_says_what_was_drawn() -> None:
    plan = replace(golden_plan("deferred_bind_anaphoric"), described_first=1, distractor_count=2)
    free, given = ask(plan, "free").user, ask(plan, "given").user
    for text in (free, given):
        assert "Setting: on the porch of a bungalow, around noon\n" in text
        assert "Length: 16 to 22 words\nDistance: 3 to 6 words\n" in text
        assert "named second before the other" in text
    assert "Side pairs: 2" in free
    assert "Say: the tunic is red; the shroud is icy\nAlso mention: a blue parasol\nText:" in given
    other = ask(replace(plan, described_first=0), "free").user
    assert "named first before the other" in other
    assert "Say: a red tunic; an icy shroud\n" in ask(golden_plan("pair_swap"), "given").user


def test_the_bare_style_tells_what_to_say_and_no_rule() -> None:
    request = ask(golden_plan("deferred_bind_anaphoric"), "bare")
    assert request.user == (
        "Order: describe the object that was named first before the other.\n"
        "Say: on the porch of a bungalow, around noon, the tunic is red; the shroud is icy; "
        "a blue parasol\nText:"
    )
    assert not any(word in request.system for word in ("Length", "Distance", "- "))


def test_labels_are_those_of_the_prompts() -> None:
    told = {
        line.partition(":")[0]
        for name, style in CASES
        for line in ask(golden_plan(name), style).user.splitlines()
        if ": " in line and line[0].isupper()
    }
    assert told <= set(load_prompts().labels)


def test_side_pairs_are_spoken_of_only_where_they_are_taken() -> None:
    for name, construction in CONSTRUCTIONS.items():
        request = ask(golden_plan(name), "free")
        assert ("Side pairs" in request.system) == construction.takes_distractors
        assert ("Side pairs" in request.user) == construction.takes_distractors


def test_without_hints_no_words_are_listed() -> None:
    user = ask(golden_plan("pair_swap"), "free", None).user
    assert user.startswith("Setting: ")
    assert "in a pair" not in user


def test_words_are_suggested_avoided_and_banned_once_each() -> None:
    user = ask(golden_plan("pair_swap"), "free").user
    assert "color: teal, cyan\nsize: tiny, huge\n" in user  # jade is to be avoided, old too
    assert "rather not in a pair: jade, ring, old\n" in user
    banned = user.split("Never use in a pair: ")[1].splitlines()[0]
    assert banned.startswith("lamp, ")  # used lately, so the likeliest to come again
    assert sorted(banned.split(", ")) == ["blue", "lamp", "red"]


def test_a_long_ban_list_is_cut_but_every_word_is_named_now_and_then() -> None:
    hints = replace(HINTS, ban=tuple(f"word{number}" for number in range(100)), avoid=("word99",))
    lists = [list_banned(replace(BASE, seed=seed), hints, 40) for seed in range(50)]
    assert {(len(words), len(set(words)), words[0]) for words in lists} == {(40, 40, "word99")}
    assert {word for words in lists for word in words} == set(hints.ban)


@pytest.mark.parametrize("style", ["given", "bare"])
def test_a_style_that_gives_pairs_needs_them(style: PromptStyle) -> None:
    with pytest.raises(GenerationError, match="expected a plan with pairs"):
        ask(BASE, style)


def test_a_checksum_stands_for_all_that_a_style_says(monkeypatch: pytest.MonkeyPatch) -> None:
    checksums = {style: prompt_checksum(style) for style in STYLES}
    assert len(set(checksums.values())) == len(STYLES)
    prompts = load_prompts()
    free = prompts.free.model_copy(update={"examples": 2})
    monkeypatch.setattr(requests, "load_prompts", lambda: prompts.model_copy(update={"free": free}))
    changed = {style: prompt_checksum.__wrapped__(style) for style in STYLES}
    assert changed["free"] != checksums["free"]
    assert changed["given"] == checksums["given"]
    assert changed["bare"] == checksums["bare"]


if __name__ == "__main__":
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for case in CASES:
        golden_path(*case).write_text(golden_text(*case), encoding="utf-8")
