"""The four roles: each way in which a candidate may miss its role, found and named."""

import pytest

from tests.validators.benchmark.tiny_build import Pairs, copies, findings, rows_of, tiny_drafts

I3_PRESERVING = [("orange", "anchor"), ("wooden", "igloo"), ("golden", "cannon")]


@pytest.mark.parametrize(
    ("rule", "question_id", "role", "pairs", "finding"),
    [
        (
            "candidates_permute_the_query",
            "i3",
            "attribute_swap",
            [("golden", "anchor"), ("orange", "igloo"), ("blue", "cannon")],
            "i3 attribute_swap (i3-attribute_swap): other words than the query",
        ),
        (
            "candidates_permute_the_query",
            "i2",
            "object_swap",
            [("striped", "cube"), ("red", "giraffe")],
            "i2 object_swap (i2-object_swap): other words than the query",
        ),
        (
            "assignments_pairwise_distinct",
            "i3",
            "object_swap",
            [("orange", "igloo"), ("wooden", "cannon"), ("golden", "anchor")],
            "i3: the same bindings in attribute_swap, object_swap",
        ),
        (
            "attribute_swap_moves_attributes_only",
            "i3",
            "attribute_swap",
            [("orange", "igloo"), ("golden", "anchor"), ("wooden", "cannon")],
            "i3 (i3-attribute_swap): objects not in the preserving candidate's order",
        ),
        (
            "object_swap_moves_objects_only",
            "i3",
            "object_swap",
            [("wooden", "anchor"), ("orange", "cannon"), ("golden", "igloo")],
            "i3 (i3-object_swap): attributes not in the preserving candidate's order",
        ),
        (
            "joint_swap_moves_both",
            "i3",
            "joint_swap",
            [("golden", "anchor"), ("wooden", "igloo"), ("orange", "cannon")],
            "i3 (i3-joint_swap): objects not moved",
        ),
        (
            "joint_swap_moves_both",
            "i3",
            "joint_swap",
            [("orange", "cannon"), ("wooden", "igloo"), ("golden", "anchor")],
            "i3 (i3-joint_swap): attributes not moved",
        ),
        (
            "joint_swap_of_two_replaces_one_word",
            "i2",
            "joint_swap",
            [("blue", "umbrella"), ("red", "cube")],
            "i2 (i2-joint_swap): not one binding kept and one new word in the other",
        ),
        (
            "joint_swap_of_two_replaces_one_word",
            "i2",
            "joint_swap",
            [("striped", "umbrella"), ("red", "kite")],
            "i2 (i2-joint_swap): not one binding kept and one new word in the other",
        ),
    ],
)
def test_a_candidate_that_misses_its_role_breaks_that_rule_alone(
    rule: str, question_id: str, role: str, pairs: Pairs, finding: str
) -> None:
    drafts = tiny_drafts()
    drafts[question_id].candidates[role] = pairs
    assert findings(rows_of(drafts)) == {rule: [finding]}


def test_a_preserving_candidate_in_the_querys_order_is_found() -> None:
    drafts = tiny_drafts()
    drafts["i3"].query = list(I3_PRESERVING)
    assert findings(rows_of(drafts)) == {
        "preserving_reorders_the_query": ["i3 (i3-preserving): in the query's own order"]
    }


@pytest.mark.parametrize(
    ("rule", "role", "fault"),
    [
        ("attribute_swap_moves_attributes_only", "attribute_swap", "attributes not moved"),
        ("object_swap_moves_objects_only", "object_swap", "objects not moved"),
    ],
)
def test_a_swap_that_swaps_nothing_is_found(rule: str, role: str, fault: str) -> None:
    drafts = tiny_drafts()
    drafts["i3"].candidates[role] = list(I3_PRESERVING)
    assert findings(rows_of(drafts))[rule] == [f"i3 (i3-{role}): {fault}"]


def test_a_build_that_only_replaces_objects_is_found() -> None:
    found = findings(rows_of(copies(tiny_drafts()["i2"], 20)))
    assert found["both_kinds_of_replacement_occur"] == [
        "none of 20 joint swaps of N=2 replaces an attribute"
    ]


def test_a_build_that_replaces_both_passes() -> None:
    drafts = copies(tiny_drafts()["i2"], 10) | copies(tiny_drafts()["c2"], 10)
    assert "both_kinds_of_replacement_occur" not in findings(rows_of(drafts))
