"""The packaged words are what the paper counts; a user's words are checked before they are used."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vocab.benchmark_words import Attribute, Vocabulary, load_vocabulary
from vocab.errors import SaberError, VocabularyError

OBJECTS = 'objects = ["mug", "teacup", "kite"]\nconfusable = [["mug", "teacup"]]\n'
ATTRIBUTES = """
palette = ["red", "green", "blue"]
[[attribute]]
name = "striped"
category = "pattern"
type = "two-color"
form = "{color_1} and {color_2} striped"
[[attribute]]
name = "glowing"
category = "effect"
type = "single-color"
form = "{color} glowing"
[[attribute]]
name = "wooden"
category = "material"
type = "fixed-variant"
variants = ["light-brown wooden", "dark-brown wooden"]
[[attribute]]
name = "soap-bubble"
category = "effect"
type = "standalone"
form = "iridescent soap-bubble"
[[attribute]]
name = "pink"
category = "color"
type = "standalone"
"""

Load = Callable[[str, str], Vocabulary]


def write(folder: Path, objects: str, attributes: str) -> Path:
    folder.joinpath("objects.toml").write_text(objects, encoding="utf-8")
    folder.joinpath("attributes.toml").write_text(attributes, encoding="utf-8")
    return folder


@pytest.fixture
def load(tmp_path: Path) -> Load:
    return lambda objects, attributes: load_vocabulary(write(tmp_path, objects, attributes))


def listed(names: list[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def one(type_: str, rest: str = "", *, palette: str = 'palette = ["red", "green"]') -> str:
    """Write an attribute file of one attribute."""
    head = f'{palette}\n[[attribute]]\nname = "shiny"\ncategory = "effect"\n'
    return f'{head}type = "{type_}"\n{rest}\n'


# ---- the packaged words ----


def test_objects_count() -> None:
    assert len(load_vocabulary().objects) == 232


def test_attributes_count_by_category() -> None:
    assert Counter(attribute.category for attribute in load_vocabulary().attributes) == {
        "basic-color": 9,
        "other-color": 2,
        "metallic": 3,
        "material": 19,
        "pattern": 15,
        "effect": 2,
    }


def test_attributes_count_by_type() -> None:
    assert Counter(attribute.type for attribute in load_vocabulary().attributes) == {
        "standalone": 27,
        "single-color": 4,
        "two-color": 6,
        "fixed-variant": 13,
    }


def test_palette_is_the_papers() -> None:
    palette = "red orange yellow green blue purple pink white black"
    assert load_vocabulary().palette == tuple(palette.split())


def test_objects_hold_the_papers() -> None:
    papers = "toothbrush teapot kayak cannon submarine giraffe snowboard cherry cube kite"
    assert set(papers.split()) <= set(load_vocabulary().objects)


def test_attributes_hold_the_papers() -> None:
    papers = (
        "red pink golden tie-dye glowing sandy camouflage transparent soap-bubble striped wooden"
    )
    assert set(papers.split()) <= {attribute.name for attribute in load_vocabulary().attributes}


@pytest.mark.parametrize(
    ("name", "type_", "form"),
    [
        ("striped", "two-color", "white and orange striped"),
        ("striped", "two-color", "orange and white striped"),
        ("glowing", "single-color", "green glowing"),
        ("wooden", "fixed-variant", "dark-brown wooden"),
        ("wooden", "fixed-variant", "light-brown wooden"),
        ("soap-bubble", "standalone", "iridescent soap-bubble"),
        ("red", "standalone", "red"),
    ],
)
def test_forms_of_the_papers_attributes(name: str, type_: str, form: str) -> None:
    attribute = next(a for a in load_vocabulary().attributes if a.name == name)
    assert attribute.type == type_
    assert form in attribute.forms


def test_forms_count_follows_the_type() -> None:
    counts = {"standalone": 1, "single-color": 9, "two-color": 72, "fixed-variant": 2}
    for attribute in load_vocabulary().attributes:
        assert len(attribute.forms) == counts[attribute.type], attribute.name


def test_every_form_ends_with_its_attributes_name() -> None:
    for attribute in load_vocabulary().attributes:
        for form in attribute.forms:
            assert form.split()[-1] == attribute.name


def test_no_form_belongs_to_two_attributes() -> None:
    forms = [form for attribute in load_vocabulary().attributes for form in attribute.forms]
    assert len(forms) == len(set(forms))


def test_attribute_names_are_single_words_in_lower_case() -> None:
    for attribute in load_vocabulary().attributes:
        assert attribute.name.replace("-", "").isalpha()
        assert attribute.name.islower()


def test_object_names_are_one_or_two_words_in_lower_case() -> None:
    for name in load_vocabulary().objects:
        assert name.islower()
        assert 1 <= len(name.split()) <= 2
        assert name.replace("-", "").replace(" ", "").isalpha()


def test_no_object_name_holds_an_attribute() -> None:
    vocabulary = load_vocabulary()
    attributes = {attribute.name for attribute in vocabulary.attributes}
    for name in vocabulary.objects:
        assert not attributes & set(name.replace("-", " ").split()), name


def test_an_object_named_inside_another_is_confusable_with_it() -> None:
    vocabulary = load_vocabulary()
    for name in vocabulary.objects:
        inside = (set(name.split()) - {name}) & set(vocabulary.objects)
        assert inside <= vocabulary.confusable[name]


def test_scenes_of_ten_objects_stay_within_reach() -> None:
    # An object with many look-alikes would be rare in large scenes.
    assert max(len(others) for others in load_vocabulary().confusable.values()) <= 10


def test_the_packaged_words_are_read_once() -> None:
    assert load_vocabulary() is load_vocabulary()


# ---- what a vocabulary is ----


def test_a_users_words(load: Load) -> None:
    vocabulary = load(OBJECTS, ATTRIBUTES)
    assert vocabulary.objects == ("mug", "teacup", "kite")
    assert vocabulary.palette == ("red", "green", "blue")
    assert vocabulary.attributes[1] == Attribute(
        "glowing", "effect", "single-color", ("red glowing", "green glowing", "blue glowing")
    )
    assert vocabulary.attributes[0].forms == (
        "red and green striped",
        "red and blue striped",
        "green and red striped",
        "green and blue striped",
        "blue and red striped",
        "blue and green striped",
    )
    assert [a.forms for a in vocabulary.attributes[2:]] == [
        ("light-brown wooden", "dark-brown wooden"),
        ("iridescent soap-bubble",),
        ("pink",),
    ]


def test_confusable_is_symmetric_and_knows_every_object(load: Load) -> None:
    assert load(OBJECTS, ATTRIBUTES).confusable == {
        "mug": frozenset({"teacup"}),
        "teacup": frozenset({"mug"}),
        "kite": frozenset(),
    }


def test_confusable_groups_may_overlap_without_merging(load: Load) -> None:
    groups = 'objects = ["a", "b", "c"]\nconfusable = [["a", "b"], ["b", "c"]]'
    assert load(groups, ATTRIBUTES).confusable == {
        "a": frozenset("b"),
        "b": frozenset("ac"),
        "c": frozenset("b"),
    }


def test_a_vocabulary_is_immutable(load: Load) -> None:
    vocabulary = load(OBJECTS, ATTRIBUTES)
    with pytest.raises(FrozenInstanceError):
        vocabulary.objects = ()  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        vocabulary.attributes[0].name = "plain"  # type: ignore[misc]
    with pytest.raises(TypeError, match="does not support item assignment"):
        vocabulary.confusable["mug"] = frozenset()  # type: ignore[index]


def test_a_users_words_are_read_anew_each_time(tmp_path: Path) -> None:
    first = load_vocabulary(write(tmp_path, OBJECTS, ATTRIBUTES))
    again = load_vocabulary(write(tmp_path, OBJECTS.replace("kite", "bell"), ATTRIBUTES))
    assert (first.objects[2], again.objects[2]) == ("kite", "bell")


def test_a_small_vocabulary(load: Load) -> None:
    objects = [f"thing{number}" for number in range(12)]
    entries = "".join(
        f'[[attribute]]\nname = "look{number}"\ncategory = "any"\ntype = "standalone"\n'
        for number in range(11)
    )
    vocabulary = load(f"objects = {listed(objects)}", entries)
    assert (len(vocabulary.objects), len(vocabulary.attributes)) == (12, 11)


def test_a_large_vocabulary_loads_fast(load: Load) -> None:
    objects = [f"thing{number}" for number in range(5_000)]
    pairs = ", ".join(listed(objects[at : at + 2]) for at in range(0, 5_000, 2))
    started = time.perf_counter()
    vocabulary = load(f"objects = {listed(objects)}\nconfusable = [{pairs}]", ATTRIBUTES)
    assert len(vocabulary.objects) == 5_000
    assert time.perf_counter() - started < 2


words = st.text(st.characters(categories=["L"]), min_size=1, max_size=8)


def distinct(minimum: int) -> st.SearchStrategy[list[str]]:
    return st.lists(words, min_size=minimum, max_size=8, unique_by=str.casefold)


@settings(max_examples=40)
@given(objects=distinct(2), palette=distinct(2), variants=distinct(1))
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory,
    objects: list[str],
    palette: list[str],
    variants: list[str],
) -> None:
    # A hyphen keeps drawn words clear of "and" and of the attributes' names.
    objects = [f"o-{name}" for name in objects]
    attributes = (
        f"palette = {listed([f'c-{name}' for name in palette])}\n"
        '[[attribute]]\nname = "a"\ncategory = "x"\ntype = "two-color"\n'
        'form = "{color_2} on {color_1}"\n'
        '[[attribute]]\nname = "b"\ncategory = "x"\ntype = "fixed-variant"\n'
        f"variants = {listed(variants)}\n"
    )
    folder = write(
        tmp_path_factory.mktemp("words"),
        f"objects = {listed(objects)}\nconfusable = [{listed(objects)}]",
        attributes,
    )
    vocabulary = load_vocabulary(folder)
    assert vocabulary.objects == tuple(objects)
    assert vocabulary.attributes[1].forms == tuple(variants)
    assert vocabulary.attributes[0].forms == tuple(
        f"c-{second} on c-{first}" for first, second in permutations(palette, 2)
    )
    for name, others in vocabulary.confusable.items():
        assert others == set(objects) - {name}


# ---- what is refused, next to the nearest thing that isn't ----


@pytest.mark.parametrize(
    ("accepted", "refused", "message"),
    [
        ('objects = ["mug"]', "objects = []", "objects: expected at least 1, found []; add to"),
        ('objects = ["mug"]', "", "objects: expected this key, found none in {}; add it"),
        ('objects = ["mug"]', 'objects = "mug"', "objects: expected a list, found 'mug'; put it"),
        ('objects = ["1"]', "objects = [1]", "objects #1: expected a text, found 1; put it"),
        (
            'objects = ["mug"]',
            'objects = ["mug", " "]',
            "objects #2: expected some text, found ' '",
        ),
        ('objects = ["mug"]', 'objects = [""]', "objects #1: expected some text, found ''; fill"),
        (
            'objects = ["mug", "mugs"]',
            'objects = ["mug", "Mug"]',
            "objects: expected each name once, whatever its case, found 'Mug'; remove",
        ),
        (
            'objects = ["mug"]\nconfusable = []',
            'objects = ["mug"]\nconfuseable = []',
            "confuseable: expected one of the keys objects, confusable, found this one; remove",
        ),
        ('objects = ["fire hydrant"]', 'objects = [" hydrant"]', "by single spaces, found ' hydr"),
        (
            'objects = ["fire hydrant"]',
            'objects = ["hydrant "]',
            "by single spaces, found 'hydrant",
        ),
        ('objects = ["fire hydrant"]', 'objects = ["fire  hydrant"]', "parted by single spaces"),
        ('objects = ["fire hydrant"]', 'objects = ["fire\\thydrant"]', r"found 'fire\thydrant'"),
        ('objects = ["fire hydrant"]', 'objects = ["fire\\u200bhydrant"]', "by single spaces"),
        ('objects = ["mug-tree"]', 'objects = ["mug, tree"]', "words without punctuation"),
        ('objects = ["mr mug"]', 'objects = ["mr. mug"]', "words without punctuation"),
        ('objects = ["mug"]', 'objects = ["{mug}"]', "expected a text with no braces"),
        ('objects = ["sand bucket"]', 'objects = ["cup and saucer"]', 'without the word "and"'),
        ('objects = ["cup-and-ball"]', 'objects = ["cup AND ball"]', 'without the word "and"'),
        (
            'objects = ["a", "b"]\nconfusable = [["a", "b"]]',
            'objects = ["a", "b"]\nconfusable = [["a"]]',
            "confusable #1: expected at least 2, found ['a']; add to the list",
        ),
        (
            'objects = ["a", "b"]\nconfusable = [["a", "b"]]',
            'objects = ["a", "b"]\nconfusable = [["a", "a"]]',
            "confusable #1: expected each name once, whatever its case, found 'a'",
        ),
        (
            'objects = ["a", "b"]\nconfusable = [["a", "b"]]',
            'objects = ["a", "b"]\nconfusable = [["a", "b"], ["b", "c"]]',
            "expected in confusable #2 names that objects lists, found 'c'; add it to objects",
        ),
        (
            'objects = ["a"]\nconfusable = []',
            'objects = ["a"]\nconfusable = "a"',
            "expected a list",
        ),
        (
            'objects = ["kite", "stripe"]',
            'objects = ["kite", "Striped"]',
            "objects #2: expected an object that is no attribute of attributes.toml, found 'Str",
        ),
        ('objects = ["mug"]', 'objects = ["mug"', "objects.toml: expected TOML in UTF-8, found"),
    ],
)
def test_objects_refused(load: Load, accepted: str, refused: str, message: str) -> None:
    assert load(accepted, ATTRIBUTES)
    assert message in fault_of(load, refused, ATTRIBUTES, "objects.toml")


TWO = one("two-color", 'form = "{color_1} and {color_2} shiny"')
ONE = one("single-color", 'form = "{color} shiny"')
FIXED = one("fixed-variant", 'variants = ["very shiny", "fairly shiny"]')
PLAIN = one("standalone")


@pytest.mark.parametrize(
    ("accepted", "refused", "message"),
    [
        (PLAIN, "", "attribute: expected this key, found none"),
        (PLAIN, "attribute = []", "attribute: expected at least 1, found []"),
        (PLAIN, "attribute = [1]", "attribute #1: expected a table, found 1"),
        (PLAIN, PLAIN + "colour = 1", "attribute #1, colour: expected one of the keys name, "),
        (PLAIN, "colour = 1\n" + PLAIN, "colour: expected one of the keys palette, attribute"),
        (PLAIN, PLAIN.replace('"shiny"', "1"), "attribute #1, name: expected a text, found 1"),
        (PLAIN, PLAIN.replace('"shiny"', '""'), "attribute #1, name: expected some text"),
        (PLAIN, PLAIN.replace('"shiny"', '"shiny, "'), "attribute #1, name: expected words"),
        (PLAIN, PLAIN.replace('"shiny"', '"red and blue"'), 'without the word "and"'),
        (PLAIN, PLAIN.replace('"shiny"', '"{color}"'), "expected a text with no braces"),
        (PLAIN, PLAIN.replace('"effect"', '" "'), "attribute #1, category: expected some text"),
        (PLAIN, PLAIN.replace('"effect"', "[]"), "attribute #1, category: expected a text"),
        (PLAIN, PLAIN.replace('name = "shiny"', ""), "attribute #1, name: expected this key"),
        (PLAIN, PLAIN.replace('type = "standalone"', ""), "attribute #1: expected a type out of"),
        (PLAIN, one("three-color"), "standalone, single-color, two-color, fixed-variant, found"),
        (PLAIN, PLAIN.replace('"standalone"', "3"), "attribute #1: expected a type out of"),
        (PLAIN, PLAIN.replace('"standalone"', "[3]"), "attribute #1: expected a type out of"),
        (
            ATTRIBUTES,
            ATTRIBUTES.replace('"pink"', '"Striped"'),
            "attribute: expected each name once, whatever its case, found 'Striped'",
        ),
        # standalone
        (one("standalone", 'form = "x"'), one("standalone", 'form = ""'), "form: expected some"),
        (one("standalone", 'form = "x"'), one("standalone", "form = 2"), "form: expected a text"),
        (PLAIN, one("standalone", 'form = "{color} x"'), "form: expected a text with no braces"),
        (PLAIN, one("standalone", 'form = "a, x"'), "form: expected words without punctuation"),
        (PLAIN, one("standalone", 'variants = ["x"]'), "variants: expected one of the keys name,"),
        # single-color
        (ONE, one("single-color"), "attribute #1, form: expected this key, found none in {"),
        (ONE, ONE.replace("{color} ", ""), "a text with {color} once, found 'shiny'; mend its"),
        (ONE, ONE.replace("{color}", "{colour}"), "with {color} once, found '{colour} shiny'"),
        (ONE, ONE.replace("{color}", "{}"), "with {color} once, found '{} shiny'; mend"),
        (ONE, ONE.replace("{color}", "{color"), "with {color} once, found '{color shiny'"),
        (ONE, ONE.replace("{color}", "{{color}}"), "with {color} once, found '{{color}} shiny'"),
        (
            ONE,
            ONE.replace("{color}", "{color!r}"),
            "without punctuation (. , ; : ! ?), found '{color!r}",
        ),
        (ONE, ONE.replace("{color}", "{color} {color}"), "with {color} once"),
        (ONE, ONE.replace("{color}", "{color_1}"), "with {color} once, found '{color_1} shiny'"),
        (ONE, ONE.replace("{color}", "{sentence}"), "found '{sentence} shiny'"),
        (ONE, ONE + 'variants = ["x"]', "variants: expected one of the keys name, category, type"),
        (
            one("single-color", 'form = "{color} x"', palette='palette = ["red"]'),
            one("single-color", 'form = "{color} x"', palette=""),
            "expected a palette of at least 1 for the single-color 'shiny', found []; add colors",
        ),
        # two-color
        (TWO, one("two-color"), "attribute #1, form: expected this key"),
        (TWO, TWO.replace("{color_2}", "{color_1}"), "with {color_1} once and {color_2} once"),
        (TWO, TWO.replace("{color_2}", "{color_3}"), "with {color_1} once and {color_2} once"),
        (TWO, TWO.replace(" and {color_2}", ""), "with {color_1} once and {color_2} once"),
        (
            TWO,
            TWO.replace('"red", "green"', '"red"'),
            "expected a palette of at least 2 for the two-color 'shiny', found ['red']",
        ),
        # fixed-variant
        (FIXED, one("fixed-variant"), "attribute #1, variants: expected this key, found none"),
        (FIXED, one("fixed-variant", "variants = []"), "variants: expected at least 1, found []"),
        (FIXED, one("fixed-variant", 'variants = "x"'), "variants: expected a list, found 'x'"),
        (FIXED, one("fixed-variant", "variants = [1]"), "variants #1: expected a text, found 1"),
        (FIXED, one("fixed-variant", 'variants = ["x", ""]'), "variants #2: expected some text"),
        (FIXED, one("fixed-variant", 'variants = ["x", "X"]'), "variants: expected each name once"),
        (FIXED, one("fixed-variant", 'variants = ["{x}"]'), "variants #1: expected a text with no"),
        (FIXED, one("fixed-variant", 'form = "x"'), "attribute #1, variants: expected this key"),
        (FIXED, FIXED + 'form = "x"', "attribute #1, form: expected one of the keys name, categ"),
        # palette
        (PLAIN, one("standalone", palette="palette = []"), "palette: expected at least 1, found"),
        (PLAIN, one("standalone", palette='palette = "red"'), "palette: expected a list, found"),
        (PLAIN, one("standalone", palette='palette = [""]'), "palette #1: expected some text"),
        (
            PLAIN,
            one("standalone", palette='palette = ["red", "Red"]'),
            "palette: expected each name once, whatever its case, found 'Red'; remove",
        ),
        (PLAIN, PLAIN + "name = 2", "attributes.toml: expected TOML in UTF-8, found Cannot over"),
    ],
)
def test_attributes_refused(load: Load, accepted: str, refused: str, message: str) -> None:
    assert load(OBJECTS, accepted)
    assert message in fault_of(load, OBJECTS, refused, "attributes.toml")


def fault_of(load: Load, objects: str, attributes: str, file: str) -> str:
    """Return the message of a load that must fail: one line that begins with its file."""
    with pytest.raises(VocabularyError) as caught:
        load(objects, attributes)
    message = str(caught.value)
    assert "\n" not in message
    assert f"{file}: " in message
    assert "expected" in message
    assert "found" in message
    assert len(message) < 500
    return message


def test_a_free_text_variant_may_name_any_color(load: Load) -> None:
    vocabulary = load(OBJECTS, one("fixed-variant", 'variants = ["mauve and teal shiny"]'))
    assert vocabulary.attributes[0].forms == ("mauve and teal shiny",)


def test_colors_are_needed_only_where_a_form_has_a_slot(load: Load) -> None:
    assert load(OBJECTS, one("standalone", palette="")).palette == ()


@pytest.mark.parametrize("missing", ["objects.toml", "attributes.toml"])
def test_a_missing_file(tmp_path: Path, missing: str) -> None:
    write(tmp_path, OBJECTS, ATTRIBUTES).joinpath(missing).unlink()
    with pytest.raises(VocabularyError, match=rf"{missing}: expected a readable file, found none"):
        load_vocabulary(tmp_path)


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match="name the folder that holds"):
        load_vocabulary(tmp_path / "absent")


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    file = write(tmp_path, OBJECTS, ATTRIBUTES) / "objects.toml"
    with pytest.raises(VocabularyError, match="expected a readable file"):
        load_vocabulary(file)


def test_a_file_in_another_encoding(tmp_path: Path) -> None:
    write(tmp_path, OBJECTS, ATTRIBUTES)
    tmp_path.joinpath("objects.toml").write_bytes('objects = ["piñata"]'.encode("latin-1"))
    with pytest.raises(VocabularyError, match=r"objects\.toml: expected TOML in UTF-8, found"):
        load_vocabulary(tmp_path)


def test_several_faults_are_counted(load: Load) -> None:
    message = fault_of(load, 'objects = ["", "a.", 3]', ATTRIBUTES, "objects.toml")
    assert message.endswith("(and 2 more)")


def test_a_long_value_is_cut(load: Load) -> None:
    fault_of(
        load,
        f'objects = ["{"very " * 1_000}long"]\nx = "{"y" * 5_000}"',
        ATTRIBUTES,
        "objects.toml",
    )


def test_the_fault_is_one_of_the_projects_own() -> None:
    assert issubclass(VocabularyError, SaberError)
