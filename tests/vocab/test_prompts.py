"""The packaged prompts, and what a wrong prompt file is answered."""

import shutil
from pathlib import Path

import pytest

from vocab.errors import VocabularyError
from vocab.phrases import load_openers, load_registers
from vocab.prompts import PACKAGED_FOLDER, fill, load_prompts

PROMPTS = load_prompts()


def test_examples_name_registers_and_openers_that_exist() -> None:
    for prompt in PROMPTS.constructions.values():
        assert {example.kind for example in prompt.examples} <= load_registers().keys()
        assert {example.opening for example in prompt.examples} <= load_openers().keys()


def test_examples_of_a_construction_share_no_word_and_differ_in_length_or_distance() -> None:
    for prompt in PROMPTS.constructions.values():
        words = [word for example in prompt.examples for pair in example.pairs for word in pair]
        assert len(set(words)) == len(words)
        assert len({(example.band, example.window) for example in prompt.examples}) > 1
        assert len({example.opening for example in prompt.examples}) == len(prompt.examples)


def test_as_many_examples_as_a_style_shows() -> None:
    for prompt in PROMPTS.constructions.values():
        assert len(prompt.examples) >= max(
            PROMPTS.free.examples, PROMPTS.given.examples, PROMPTS.bare.examples
        )


def test_where_side_pairs_are_taken_the_example_that_both_styles_show_has_some() -> None:
    for prompt in PROMPTS.constructions.values():
        assert bool(prompt.examples[0].side_pairs) == (prompt.side is not None)


def test_a_line_that_lacks_a_value_is_left_out() -> None:
    lines = ("Place: $place", "Order: $order", "", "Text:")
    assert fill(lines, {"place": "at a pier", "order": None}) == "Place: at a pier\n\nText:"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(PACKAGED_FOLDER / "prompts.toml", tmp_path / "prompts.toml")
    return tmp_path


def replace_in(folder: Path, old: str, new: str) -> None:
    path = folder / "prompts.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_another_folder_is_read(folder: Path) -> None:
    assert load_prompts(folder) == PROMPTS


def test_labels_are_what_lines_and_headings_begin_with() -> None:
    labels = set(PROMPTS.labels)
    assert labels >= {"Setting", "Say", "Also mention", "Text", "Order", "The words"}
    assert "Example for $low to $high words, distance $near to $far" in labels
    assert not {label for label in labels if ":" in label or label.startswith("-")}


@pytest.mark.parametrize("old", ["Setting: $setting", "The words:"])
def test_a_new_label_is_known(folder: Path, old: str) -> None:
    replace_in(folder, old, f"Never Seen{old[old.index(':') :]}")
    assert "Never Seen" in load_prompts(folder).labels


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("version = 2", "version = ", r"prompts\.toml: expected a readable UTF-8 TOML file"),
        ("version = 2", 'version = "one"', r"at version: .*found 'one'"),
        ("Length: $low", "Length: $lowest", r"at free\.user: .*found \$lowest"),
        ("Length: $low", "Length: $ ", r"at free\.user: .*expected placeholders like \$name"),
        ("$article $attributes $object", "$attribute", r"at construction\.pair_swap\.pair: "),
        ("ban = 40", "ban = -1", r"at limits\.ban: "),
        ("[free]", "[free]\nuser_prompt = 1", r"at free\.user_prompt: "),
    ],
)
def test_a_wrong_entry_is_located(folder: Path, old: str, new: str, message: str) -> None:
    replace_in(folder, old, new)
    with pytest.raises(VocabularyError, match=message):
        load_prompts(folder)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match=r"prompts\.toml: expected a TOML file"):
        load_prompts(tmp_path)


def test_a_construction_without_an_entry_is_named() -> None:
    with pytest.raises(VocabularyError, match=r"add \[construction\.mirror\]"):
        PROMPTS.of_construction("mirror")
