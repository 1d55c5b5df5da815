"""The packaged phrases, and what a wrong phrase file is answered."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from artifacts.words import words_of
from vocab.dataset_words import load_word_bank
from vocab.errors import VocabularyError
from vocab.phrases import (
    PACKAGED_FOLDER,
    load_openers,
    load_phrases,
    load_registers,
)

FORMS = re.compile(r"\{([^{}]*\|[^{}]*)\}")
#: A text with two objects must not say "it"; one with back-references has no other "second".
FORBIDDEN = {"it", "its", "they", "them", "their", "itself", "themselves"}
BACK_REFERENCES = {"first", "second", "former", "latter"}


def banks() -> dict[str, tuple[str, ...]]:
    return {name: value for name, value in load_phrases() if name != "reference"}


def register_phrases() -> Iterator[str]:
    for register in load_registers().values():
        yield from register.leads
        yield from register.heads
        yield from register.heads_portable
        yield from register.closings


def opener_phrases() -> Iterator[str]:
    for opener in load_openers().values():
        yield from opener.phrases


def all_phrases() -> Iterator[str]:
    for bank in banks().values():
        yield from bank
    yield from register_phrases()
    yield from opener_phrases()


def test_the_counts_of_section_b_3() -> None:
    assert len(load_registers()) == 32
    assert len(load_openers()) == 16


def test_every_register_is_recognisable() -> None:
    leads = [lead for register in load_registers().values() for lead in register.leads]
    assert len(leads) == len(set(leads))
    for register in load_registers().values():
        assert len(register.leads) >= 6
        assert len(register.heads) >= 4
        assert len(register.closings) >= 6
        assert len(register.description) > 20


def test_an_opener_has_phrases_or_is_the_bare_start() -> None:
    bare = [name for name, opener in load_openers().items() if not opener.phrases]
    assert bare == ["bare start"]
    contexts = {opener.context for opener in load_openers().values()}
    assert contexts == {None, "scene", "time", "weather"}


def test_inflected_forms_have_one_length() -> None:
    for phrase in all_phrases():
        for match in FORMS.finditer(phrase):
            forms = match.group(1).split("|")
            assert len(forms) in (2, 4), phrase
            assert len({len(words_of(form)) for form in forms}) == 1, phrase


def test_no_phrase_refers_ambiguously() -> None:
    for phrase in all_phrases():
        words = {word.casefold() for word in words_of(phrase)}
        assert not words & (FORBIDDEN | BACK_REFERENCES), phrase


def test_phrases_are_distinct_within_a_bank() -> None:
    # What is listed twice in these is drawn twice as often.
    weighted = {"between", "bind", "bind_looks", "be", "be_looks"}
    for name, bank in banks().items():
        assert name in weighted or len(bank) == len(set(bank)), name


def test_sentences_are_punctuated_as_their_place_needs() -> None:
    for name in ("aside", "contrast", "roll", "roll_terse", "setting", "setting_terse"):
        assert all(phrase.endswith(".") for phrase in banks()[name])
    for name in ("roll", "roll_terse", "setting", "setting_terse", "company", "escort", "ahead"):
        assert all(phrase.count("@") == 1 for phrase in banks()[name])
    for register in load_registers().values():
        assert all(lead[-1] in ":,!?" for lead in register.leads)
        assert all(re.search(r"[.!?]$|#\w+$", closing) for closing in register.closings)
        assert not any(head[-1] in ".,:" for head in register.heads)
    assert all(phrase[-1] in ",.!?" for phrase in opener_phrases())


def test_fillers_seldom_use_a_word_that_an_example_might_ask_for() -> None:
    bank = load_word_bank()
    core = {noun.word.casefold() for noun in bank.nouns} | set(bank.family_of)
    phrases = [phrase for bank in banks().values() for phrase in bank]
    clashing = [
        phrase for phrase in phrases if core & {word.casefold() for word in words_of(phrase)}
    ]
    assert len(clashing) < 0.05 * len(phrases)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("registers.toml", "openers.toml", "phrases.toml"):
        shutil.copy(PACKAGED_FOLDER / name, tmp_path / name)
    return tmp_path


def test_a_user_s_folder_is_read(folder: Path) -> None:
    assert load_registers(folder) == load_registers()
    assert load_openers(folder) == load_openers()
    assert load_phrases(folder) == load_phrases()


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "openers.toml").unlink()
    with pytest.raises(VocabularyError, match=r"openers\.toml: expected a TOML file"):
        load_openers(folder)


def test_broken_toml_is_reported(folder: Path) -> None:
    (folder / "phrases.toml").write_text("trait = [", encoding="utf-8")
    with pytest.raises(VocabularyError, match=r"phrases\.toml: expected a readable"):
        load_phrases(folder)


def test_a_wrong_entry_is_located(folder: Path) -> None:
    path = folder / "registers.toml"
    text = path.read_text(encoding="utf-8").replace('tense = "past"', 'tense = "future"', 1)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(VocabularyError, match=r"register\.1\.tense"):
        load_registers(folder)


def test_a_name_given_twice_is_rejected(folder: Path) -> None:
    path = folder / "openers.toml"
    text = path.read_text(encoding="utf-8").replace('name = "adverb"', 'name = "question"')
    path.write_text(text, encoding="utf-8")
    with pytest.raises(VocabularyError, match="distinct names, found 'question' twice"):
        load_openers(folder)
