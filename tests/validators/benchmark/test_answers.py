"""The columns that describe the candidates, against their bindings."""

from tests.validators.benchmark.tiny_build import copies, findings, rows_of, tiny_drafts


def test_an_answer_that_points_elsewhere_is_found() -> None:
    rows = rows_of(tiny_drafts())
    rows.question("i2")["answer"] = 0
    assert findings(rows) == {
        "exactly_one_correct_candidate": ["i2: answer 0, correct are: preserving at 1"]
    }


def test_a_second_correct_candidate_is_found() -> None:
    drafts = tiny_drafts()
    drafts["c2"].candidates["joint_swap"] = drafts["c2"].query
    found = findings(rows_of(drafts))
    assert found["exactly_one_correct_candidate"] == [
        "c2: answer 0, correct are: preserving at 0, joint_swap at 3"
    ]


def test_a_question_without_a_correct_candidate_is_found() -> None:
    drafts = tiny_drafts()
    drafts["c2"].candidates["preserving"] = [("camouflage", "boot"), ("transparent", "teapot")]
    assert findings(rows_of(drafts))["exactly_one_correct_candidate"] == [
        "c2: answer 0, correct are: none"
    ]


def test_a_wrong_number_of_kept_bindings_is_found() -> None:
    rows = rows_of(tiny_drafts())
    rows.candidate("i3", "joint_swap")["bindings_kept"] = 2
    assert findings(rows) == {
        "bindings_kept_recomputed": ["i3 position 0 (i3-joint_swap): bindings_kept 2, it holds 1"]
    }


def test_a_wrong_assignment_is_found() -> None:
    rows = rows_of(tiny_drafts())
    rows.candidate("i2", "joint_swap")["objects_from"] = [1, 0]
    assert findings(rows) == {
        "assignments_recomputed": [
            "i2 position 2 (i2-joint_swap): objects_from [1, 0], attributes_from [1, 0]; "
            "expected [1, -1], [1, 0]"
        ]
    }


def test_a_role_always_in_one_place_is_found() -> None:
    found = findings(rows_of(copies(tiny_drafts()["i3"], 10)))
    assert "joint_swap at position 0: 10 of 10 questions" in found["roles_spread_over_positions"]


def test_roles_in_every_place_alike_pass() -> None:
    drafts = copies(tiny_drafts()["i3"], 40)
    for number, draft in enumerate(drafts.values()):
        presented = list(draft.candidates.items())
        turn = number % 4
        draft.candidates = dict(presented[turn:] + presented[:turn])
    assert "roles_spread_over_positions" not in findings(rows_of(drafts))
