"""The image prompt: every phrase, and everything that section A.4 asks for."""

from generators.captions import caption
from generators.image_prompts import image_prompt

PHRASES = ["white and orange striped cube", "iridescent soap-bubble kite", "red {odd} cannon"]


def prompt() -> str:
    return image_prompt(caption(PHRASES), PHRASES)


def test_it_lists_every_phrase_on_a_line_of_its_own() -> None:
    assert [line for line in prompt().splitlines() if line.startswith("- ")] == [
        f"- {phrase}" for phrase in PHRASES
    ]


def test_it_holds_the_generation_caption() -> None:
    assert caption(PHRASES) in prompt()


def test_it_says_how_many_objects_there_are() -> None:
    assert "exactly 3 objects" in prompt()
    assert "exactly 2 objects" in image_prompt(caption(PHRASES[:2]), PHRASES[:2])


def test_it_asks_for_look_layout_and_locality() -> None:
    text = " ".join(prompt().split())
    for requirement in (
        "CLEVR-style 3D",
        "neutral gray background",
        "each appearing exactly once",
        "clearly separated",
        "scattered",
        "not laid out in a row",
        "Colors, materials, patterns, textures and visual effects must not transfer, blend or "
        "bleed across objects",
    ):
        assert requirement in text
