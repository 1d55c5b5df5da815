"""What is asked of the image model."""

import pytest

from tests.validators.benchmark.tiny_build import findings, rows_of, tiny_drafts


@pytest.mark.parametrize(
    "instead", ["dark-brown wooden", "wooden igloo", "dark-brown wooden igloos"]
)
def test_a_prompt_without_a_phrase_is_found(instead: str) -> None:
    rows = rows_of(tiny_drafts())
    scene = rows.scene("i3-query")
    scene["image_prompt"] = str(scene["image_prompt"]).replace("dark-brown wooden igloo", instead)
    assert findings(rows) == {
        "prompt_names_every_binding": ["i3-query: the prompt lacks dark-brown wooden igloo"]
    }


@pytest.mark.parametrize(
    ("sign", "requirement"),
    [
        ("gray", "a gray background"),
        ("exactly once", "each object exactly once"),
        ("in a row", "scattered, not in a row"),
        ("bleed", "no bleeding across objects"),
    ],
)
def test_a_prompt_without_a_requirement_is_found(sign: str, requirement: str) -> None:
    rows = rows_of(tiny_drafts())
    scene = rows.scene("i3-query")
    scene["image_prompt"] = str(scene["image_prompt"]).replace(sign, "")
    assert findings(rows) == {
        "prompt_states_the_requirements": [f"i3-query: the prompt lacks {requirement}"]
    }


def test_a_build_without_flips_is_found() -> None:
    rows = rows_of(tiny_drafts())
    for scene in rows.scenes:
        scene["flip"] = False
    assert findings(rows) == {"half_of_the_images_flipped": ["0 of 20 scenes are flipped"]}
