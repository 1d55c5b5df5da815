"""The gallery: the relevance table, and how many positives a query may have."""

from tests.validators.benchmark.tiny_build import findings, rows_of, tiny_drafts


def test_a_positive_that_is_not_listed_is_found() -> None:
    rows = rows_of(tiny_drafts())
    rows.relevance.remove({"question_id": "c2", "scene_id": "c3-preserving"})
    assert findings(rows) == {
        "relevance_is_containment": ["c2: c3-preserving is a positive, unlisted"]
    }


def test_a_listed_scene_that_is_no_positive_is_found() -> None:
    rows = rows_of(tiny_drafts())
    rows.relevance.append({"question_id": "c3", "scene_id": "c2-preserving"})
    assert findings(rows) == {
        "relevance_is_containment": ["c3: c2-preserving is listed, no positive"]
    }


def test_the_gallery_holds_no_queries() -> None:
    rows = rows_of(tiny_drafts())
    rows.relevance.append({"question_id": "i2", "scene_id": "i2-query"})
    assert findings(rows) == {"relevance_is_containment": ["i2: i2-query is listed, no positive"]}


def test_an_independent_query_with_a_second_positive_is_found() -> None:
    drafts = tiny_drafts()
    drafts["i2"].query = [("transparent", "teapot"), ("glowing", "boot")]
    found = findings(rows_of(drafts))
    assert found["independent_query_has_one_positive"] == [
        "i2: positives c2-preserving, c3-preserving"
    ]


def test_an_independent_query_without_its_own_candidate_is_found() -> None:
    drafts = tiny_drafts()
    drafts["i2"].candidates["preserving"] = [("striped", "kite"), ("blue", "cube")]
    found = findings(rows_of(drafts))
    assert found["independent_query_has_one_positive"] == ["i2: positives none"]


def test_a_nested_query_that_a_later_candidate_does_not_hold_is_found() -> None:
    drafts = tiny_drafts()
    drafts["c3"].candidates["preserving"] = [
        ("sandy", "boot"),
        ("glowing", "unicycle"),
        ("transparent", "teapot"),
    ]
    found = findings(rows_of(drafts))
    assert found["nested_query_has_later_positives"] == [
        "c2: not c3-preserving",
        "c3: not c3-preserving",
    ]
