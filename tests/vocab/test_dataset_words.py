"""The packaged words are what the design counts; a user's words are checked before use."""

import random
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from itertools import combinations, count
from pathlib import Path

import pytest

from vocab.contexts import load_contexts
from vocab.dataset_words import Noun, WordBank, load_word_bank
from vocab.errors import SaberError, VocabularyError

ADJECTIVES = '[families]\ncolor = ["red", "navy"]\nwear = ["torn", "moth-eaten"]\n'
NOUNS = """
[[group]]
domain = "cloth"
families = ["color", "wear"]
nouns = ["flag", "banner"]
[[group]]
domain = "metal"
families = ["color"]
nouns = ["kettle"]
"""

Load = Callable[[str, str], WordBank]


def write(folder: Path, adjectives: str, nouns: str) -> Path:
    folder.joinpath("adjectives.toml").write_text(adjectives, encoding="utf-8")
    folder.joinpath("nouns.toml").write_text(nouns, encoding="utf-8")
    return folder


@pytest.fixture
def load(tmp_path: Path) -> Load:
    # A folder of its own for each call: a folder's words are read once per process.
    numbers = count()

    def write_and_load(adjectives: str, nouns: str) -> WordBank:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        return load_word_bank(write(folder, adjectives, nouns))

    return write_and_load


@pytest.fixture(scope="module")
def bank() -> WordBank:
    return load_word_bank()


def group(domain: str = '"x"', families: str = '["color"]', nouns: str = '["mug"]') -> str:
    return f"[[group]]\ndomain = {domain}\nfamilies = {families}\nnouns = {nouns}\n"


# ---- the packaged words ----


def test_the_paper_counts_772_adjectives_in_19_families(bank: WordBank) -> None:
    assert len(bank.families) == 19
    assert sum(map(len, bank.families.values())) == 772


def test_the_families_that_the_paper_names_are_there(bank: WordBank) -> None:
    named = {"color", "texture", "material", "condition", "size", "age", "value"}
    assert named <= bank.families.keys()


def test_there_are_enough_nouns_for_the_caps(bank: WordBank) -> None:
    assert len(bank.nouns) >= 1_550


def test_no_adjective_occurs_twice(bank: WordBank) -> None:
    assert len(bank.family_of) == 772


def test_no_noun_occurs_twice(bank: WordBank) -> None:
    assert len({noun.word for noun in bank.nouns}) == len(bank.nouns)


def test_no_noun_is_an_adjective(bank: WordBank) -> None:
    assert not {noun.word for noun in bank.nouns} & bank.family_of.keys()


def test_family_of_agrees_with_families(bank: WordBank) -> None:
    listed = {word: family for family, words in bank.families.items() for word in words}
    assert dict(bank.family_of) == listed


def test_every_family_has_a_choice_of_words(bank: WordBank) -> None:
    assert all(len(words) >= 25 for words in bank.families.values())


def test_packaged_words_are_lower_case_and_rarely_hyphenated(bank: WordBank) -> None:
    adjectives = list(bank.family_of)
    nouns = [noun.word for noun in bank.nouns]
    assert all(word.islower() for word in adjectives + nouns)
    assert all(word.isascii() and word.isalpha() for word in nouns)
    assert sum("-" in word for word in adjectives) <= 0.05 * len(adjectives)


# A text says these of its own accord; as core words they would occur twice or mislead.
FUNCTION_WORDS = {
    *("first", "second", "third", "former", "latter", "last", "one", "two", "other", "another"),
    *("respective", "same", "both", "each", "main", "left", "right", "front", "back", "top"),
    *("bottom", "near", "far", "like", "can", "may", "light", "well", "stand", "match"),
}


def test_no_packaged_word_is_a_function_word(bank: WordBank) -> None:
    words = bank.family_of.keys() | {noun.word for noun in bank.nouns}
    assert not words & FUNCTION_WORDS


def test_no_noun_is_a_word_of_time_or_weather(bank: WordBank) -> None:
    contexts = load_contexts()
    said = {word for phrase in contexts.times + contexts.weathers for word in phrase.split()}
    assert not said & {noun.word for noun in bank.nouns}


def test_every_noun_accepts_seven_families(bank: WordBank) -> None:
    assert min(len(noun.families) for noun in bank.nouns) >= 7


def test_every_family_is_accepted_by_enough_nouns(bank: WordBank) -> None:
    for family in bank.families:
        assert sum(family in noun.families for noun in bank.nouns) >= 40, family


@pytest.mark.parametrize(
    "exclusive", [{"fabric", "metal", "wood", "material"}, {"condition", "wear"}]
)
def test_no_noun_accepts_two_families_that_contradict(bank: WordBank, exclusive: set[str]) -> None:
    # Else attr_bundle could write of a steel oaken table, or of a flawless torn flag.
    assert exclusive <= bank.families.keys()
    assert all(len(noun.families & exclusive) <= 1 for noun in bank.nouns)


def test_any_two_nouns_share_four_families(bank: WordBank) -> None:
    kinds = {noun.families for noun in bank.nouns}
    assert min(len(one & other) for one, other in combinations(kinds, 2)) >= 4


def test_random_noun_triples_share_many_families(bank: WordBank) -> None:
    draw = random.Random(0)
    shared = [
        len(frozenset.intersection(*(noun.families for noun in draw.sample(bank.nouns, 3))))
        for _ in range(2_000)
    ]
    assert min(shared) >= 3
    assert sum(shared) / len(shared) >= 6


def test_the_packaged_words_are_read_once_and_read_only(bank: WordBank) -> None:
    assert load_word_bank() is bank
    with pytest.raises(TypeError):
        bank.families["color"] = ()  # type: ignore[index]
    with pytest.raises(TypeError):
        bank.family_of["red"] = "size"  # type: ignore[index]
    with pytest.raises(FrozenInstanceError):
        bank.nouns[0].word = "hat"  # type: ignore[misc]


# ---- a user's words ----


def test_a_small_folder_is_read_in_file_order(load: Load) -> None:
    bank = load(ADJECTIVES, NOUNS)
    assert list(bank.families.items()) == [
        ("color", ("red", "navy")),
        ("wear", ("torn", "moth-eaten")),
    ]
    assert bank.family_of == {"red": "color", "navy": "color", "torn": "wear", "moth-eaten": "wear"}
    assert bank.nouns == (
        Noun("flag", "cloth", frozenset({"color", "wear"})),
        Noun("banner", "cloth", frozenset({"color", "wear"})),
        Noun("kettle", "metal", frozenset({"color"})),
    )


def test_family_of_is_keyed_by_lower_case(load: Load) -> None:
    bank = load('families.color = ["Prussian"]', group())
    assert bank.families["color"] == ("Prussian",)
    assert bank.family_of == {"prussian": "color"}


def families_file(words: str) -> str:
    return f"[families]\ncolor = {words}\n"


@pytest.mark.parametrize(
    ("broken", "mended", "expected"),
    [
        ('["red", "red"]', '["red", "reddish"]', "found 'red'; remove the repetition"),
        ('["red", "Red"]', '["red", "reddish"]', "found 'Red'; remove the repetition"),
        ('["red"]\nsize = ["red"]', '["red"]\nsize = ["big"]', "which color lists too"),
        ("[]", '["red"]', "families, color: expected at least one entry, found []"),
        ('["dark red"]', '["dark-red"]', "color #1: expected a single word"),
        ('["red,"]', '["red"]', "expected a single word (letters, inner hyphens), found 'red,'"),
        ('[""]', '["red"]', "expected a single word (letters, inner hyphens), found ''"),
        ('["red-"]', '["red-hot"]', "found 'red-'; use one word or join it"),
        ('["{x}"]', '["x"]', "found '{x}'"),
        ('["and"]', '["andean"]', "expected a word that is no article or conjunction"),
        ("[7]", '["7"]', "expected a text, found 7; put it in quotes"),
        ('"red"', '["red"]', "expected a list, found 'red'; put it in square brackets"),
        ('["red"]\n"two words" = ["x"]', '["red"]\ntwo = ["x"]', "found 'two words'"),
        ('["red"]\n[other]', '["red"]', "expected one of the keys families"),
        ('["red"', '["red"]', "expected TOML in UTF-8"),
    ],
)
def test_an_adjective_file_is_rejected_until_it_is_mended(
    load: Load, broken: str, mended: str, expected: str
) -> None:
    with pytest.raises(VocabularyError) as caught:
        load(families_file(broken), group())
    assert "adjectives.toml: " in str(caught.value)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)
    load(families_file(mended), group())


@pytest.mark.parametrize(
    ("broken", "mended", "expected"),
    [
        (group(nouns='["mug", "Mug"]'), group(nouns='["mug", "jug"]'), "found 'Mug'; remove the"),
        (
            group() + group(),
            group() + group(nouns='["jug"]'),
            "group #2, nouns: expected nouns of no other group, found 'mug', which group #1 lists",
        ),
        (
            group(families='["colour"]'),
            group(families='["color"]'),
            "group #1, families: expected families of adjectives.toml (color, wear), found 'colou",
        ),
        (
            group(families='["color", "color"]'),
            group(families='["color", "wear"]'),
            "families: expected each word once",
        ),
        (
            group(nouns='["torn"]'),
            group(nouns='["horn"]'),
            "found 'torn', which its family wear lists",
        ),
        (group(nouns="[]"), group(), "group #1, nouns: expected at least one entry, found []"),
        (group(families="[]"), group(), "group #1, families: expected at least one entry"),
        (
            group(nouns='["tea cup"]'),
            group(nouns='["teacup"]'),
            "group #1, nouns #1: expected a single word (letters, inner hyphens), found 'tea cup'",
        ),
        (group(domain="3"), group(domain='"three"'), "group #1, domain: expected a text, found 3"),
        (
            group() + 'colour = "red"\n',
            group(),
            "group #1, colour: expected one of the keys domain, families, nouns",
        ),
        (
            group().replace('domain = "x"', ""),
            group(),
            "group #1, domain: expected this key, found none",
        ),
        ("", group(), "group: expected this key, found none"),
        ("group = []", group(), "group: expected at least one entry"),
        ("group = [1]", group(), "group #1: expected a table, found 1"),
        ("[group]", group(), "group: expected a list"),
        ("[[group]\n", group(), "expected TOML in UTF-8"),
    ],
)
def test_a_noun_file_is_rejected_until_it_is_mended(
    load: Load, broken: str, mended: str, expected: str
) -> None:
    with pytest.raises(VocabularyError) as caught:
        load(ADJECTIVES, broken)
    assert "nouns.toml: " in str(caught.value)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)
    load(ADJECTIVES, mended)


@pytest.mark.parametrize("name", ["adjectives.toml", "nouns.toml"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    write(tmp_path, ADJECTIVES, NOUNS).joinpath(name).unlink()
    with pytest.raises(SaberError, match=rf"{name}: expected a readable file, found none"):
        load_word_bank(tmp_path)


def test_bytes_that_are_not_utf8_are_named(tmp_path: Path) -> None:
    write(tmp_path, ADJECTIVES, NOUNS).joinpath("nouns.toml").write_bytes(b"# caf\xe9\n")
    with pytest.raises(VocabularyError, match=r"nouns\.toml: expected TOML in UTF-8"):
        load_word_bank(tmp_path)
