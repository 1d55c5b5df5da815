"""The words of a scene: distinct, no look-alikes, all known."""

from tests.validators.benchmark.tiny_build import findings, rows_of, tiny_drafts


def test_an_object_twice_in_a_scene_is_found() -> None:
    drafts = tiny_drafts()
    drafts["i2"].candidates["object_swap"] = [("striped", "cube"), ("red", "cube")]
    assert findings(rows_of(drafts))["n_distinct_words_in_every_scene"] == [
        "i2-object_swap: expected 2 bindings, found 2 of 1 objects and 2 attributes"
    ]


def test_an_attribute_twice_in_a_scene_is_found() -> None:
    drafts = tiny_drafts()
    drafts["i2"].candidates["attribute_swap"] = [("red", "kite"), ("red", "cube")]
    assert findings(rows_of(drafts))["n_distinct_words_in_every_scene"] == [
        "i2-attribute_swap: expected 2 bindings, found 2 of 2 objects and 1 attributes"
    ]


def test_n_has_to_be_the_number_of_bindings() -> None:
    rows = rows_of(tiny_drafts())
    rows.question("i2")["n"] = 3
    assert len(findings(rows)["n_distinct_words_in_every_scene"]) == 5


def test_look_alikes_in_a_scene_are_found() -> None:
    drafts = tiny_drafts()
    drafts["c2"].candidates["joint_swap"] = [("glowing", "boot"), ("transparent", "sneaker")]
    assert findings(rows_of(drafts)) == {
        "no_confusable_objects_in_a_scene": ["c2-joint_swap: boot and sneaker"]
    }


def test_a_word_out_of_the_vocabulary_is_found() -> None:
    drafts = tiny_drafts()
    drafts["c2"].candidates["joint_swap"] = [("glowing", "boot"), ("plaid", "teapot")]
    found = findings(rows_of(drafts))
    assert found["words_come_from_the_vocabulary"] == ["c2-joint_swap: unknown plaid"]
    # Its captions can't be read with the vocabulary either.
    assert set(found) - {"words_come_from_the_vocabulary"} == {
        "text_says_the_bindings",
        "generation_text_says_the_bindings",
    }
