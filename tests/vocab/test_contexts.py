"""The packaged contexts, word by word, and what the loader refuses."""

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from vocab.contexts import PACKAGED_FOLDER, Contexts, load_contexts
from vocab.errors import VocabularyError

WORD = re.compile(r"[A-Za-z0-9]+(?:[-'][A-Za-z0-9]+)*")
FORBIDDEN = {
    *("first", "second", "former", "latter", "respectively", "it", "they", "and", "or"),
    *("left", "right", "this", "that", "these", "those", "one", "two", "three"),
}
NO_TIME_OR_WEATHER = {
    *("dawn", "morning", "noon", "afternoon", "evening", "night", "midnight", "day", "today"),
    *("spring", "summer", "autumn", "winter", "rain", "snow", "fog", "wind", "storm", "sun"),
}
LINKING = {
    *("a", "an", "the", "in", "on", "at", "of", "to", "by", "from", "for", "inside", "outside"),
    *("behind", "beside", "between", "beneath", "below", "above", "under", "near", "next"),
    *("across", "along", "aboard", "among", "around", "within", "down"),
}


def words(phrase: str) -> list[str]:
    return WORD.findall(phrase)


def every_phrase() -> list[str]:
    contexts = load_contexts()
    return [*contexts.scenes, *contexts.times, *contexts.weathers]


def write_folder(
    folder: Path,
    *,
    scenes: str = "at a mill\n",
    times: str = "at noon\n",
    weathers: str = "in fog\n",
) -> Path:
    for name, text in (("scenes", scenes), ("times", times), ("weathers", weathers)):
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


def test_the_packaged_lists_span_81_000_contexts() -> None:
    contexts = load_contexts()
    assert (len(contexts.scenes), len(contexts.times), len(contexts.weathers)) == (1_000, 8, 8)
    assert len(contexts.scenes) * (1 + len(contexts.times)) * (1 + len(contexts.weathers)) == 81_000


def test_no_two_phrases_are_alike() -> None:
    assert len({phrase.casefold() for phrase in every_phrase()}) == 1_016


def test_no_two_scenes_share_their_content_words() -> None:
    content = [frozenset(words(scene)) - LINKING for scene in load_contexts().scenes]
    assert len(set(content)) == len(content)


@pytest.mark.parametrize(
    ("kind", "fewest", "most"), [("scenes", 3, 6), ("times", 2, 4), ("weathers", 3, 5)]
)
def test_word_counts(kind: str, fewest: int, most: int) -> None:
    phrases: tuple[str, ...] = getattr(load_contexts(), kind)
    assert [phrase for phrase in phrases if not fewest <= len(words(phrase)) <= most] == []


def test_phrases_are_plain_ascii_of_single_spaced_words() -> None:
    shape = re.compile(r"[a-z]+(?:['-][a-z]+)*'?(?: [a-z]+(?:['-][a-z]+)*'?)*")
    assert [phrase for phrase in every_phrase() if not shape.fullmatch(phrase)] == []


def test_no_phrase_holds_a_word_that_a_construction_relies_on() -> None:
    assert [phrase for phrase in every_phrase() if FORBIDDEN & set(words(phrase))] == []


def test_scenes_name_no_time_and_no_weather() -> None:
    scenes = load_contexts().scenes
    assert [scene for scene in scenes if NO_TIME_OR_WEATHER & set(words(scene))] == []


def test_scenes_open_in_many_ways() -> None:
    openings = [scene.split()[0] for scene in load_contexts().scenes]
    assert len(set(openings)) >= 15
    assert openings.count("in") < 600


def test_no_phrase_holds_an_adjective_of_the_pool() -> None:
    pool = tomllib.loads((PACKAGED_FOLDER / "adjectives.toml").read_text(encoding="utf-8"))
    adjectives = {adjective for family in pool["families"].values() for adjective in family}
    clashes = {phrase: adjectives & set(words(phrase)) for phrase in every_phrase()}
    assert {phrase: found for phrase, found in clashes.items() if found} == {}


def test_no_noun_of_the_pool_rules_out_many_scenes() -> None:
    pool = tomllib.loads((PACKAGED_FOLDER / "nouns.toml").read_text(encoding="utf-8"))
    nouns = {noun for group in pool["group"] for noun in group["nouns"]}
    held = [nouns & set(words(scene)) for scene in load_contexts().scenes]
    scenes_of = Counter(noun for found in held for noun in found)
    assert {noun: count for noun, count in scenes_of.items() if count > 20} == {}
    assert sum(not found for found in held) >= 500


def test_a_folder_of_any_size_loads_in_its_order(tmp_path: Path) -> None:
    folder = write_folder(
        tmp_path, scenes="# places\n\n  on a quay  \r\nat a mill\n", weathers="\ufeffin fog\n"
    )
    assert load_contexts(folder) == Contexts(("on a quay", "at a mill"), ("at noon",), ("in fog",))


def test_the_packaged_contexts_are_read_once() -> None:
    assert load_contexts() is load_contexts()


def test_a_missing_file_names_itself(tmp_path: Path) -> None:
    write_folder(tmp_path)
    (tmp_path / "times.txt").unlink()
    with pytest.raises(VocabularyError, match=r"times\.txt: expected a file .* found no such file"):
        load_contexts(tmp_path)


def test_a_missing_folder_is_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match=r"scenes\.txt: .* found no such file"):
        load_contexts(tmp_path / "nowhere")


@pytest.mark.parametrize("text", ["", "\n\n", "# in fog\n"])
def test_a_file_without_phrases_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(VocabularyError, match=r"weathers\.txt: expected at least one phrase"):
        load_contexts(write_folder(tmp_path, weathers=text))


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    write_folder(tmp_path)
    (tmp_path / "scenes.txt").write_bytes(b"at a caf\xe9\n")
    with pytest.raises(VocabularyError, match=r"scenes\.txt: expected a readable UTF-8 text file"):
        load_contexts(tmp_path)


def test_a_repeated_phrase_names_both_lines(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, scenes="at a mill\n# again\nat A Mill\n")
    with pytest.raises(VocabularyError, match=r"scenes\.txt:3: .* again \(first on line 1\)"):
        load_contexts(folder)


def test_phrases_that_differ_in_one_word_are_distinct(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, scenes="at a mill\nat the mill\n")
    assert load_contexts(folder).scenes == ("at a mill", "at the mill")


@pytest.mark.parametrize(
    ("refused", "accepted"),
    [
        ("At a mill", "at a Mill"),
        ("'neath a mill", "beneath a mill"),
        ("4 miles out", "four miles out"),
        ("at mill 4", "at mill four"),
        ("at a mill, outside", "at a mill outside"),
        ("at a mill.", "at a mill"),
        ("at a mill; outside", "at a well-known mill"),
        ("at a miller’s", "at a miller's"),
        ("at a mill_house", "at a caf\u00e9"),
    ],
)
def test_a_line_that_would_break_a_sentence_is_refused(
    tmp_path: Path, refused: str, accepted: str
) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.mkdir()
    bad.mkdir()
    assert load_contexts(write_folder(good, times=f"{accepted}\n")).times == (accepted,)
    with pytest.raises(VocabularyError, match=r"times\.txt:2: expected .* found .*; re"):
        load_contexts(write_folder(bad, times=f"at noon\n{refused}\n"))
