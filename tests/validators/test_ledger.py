"""Cap arithmetic at its edges, the words that prompts avoid, and replaying what was accepted."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from artifacts.ledger_view import AcceptedWords, LedgerView
from validators.ledger import Ledger, cap_of


def rows(count: int, attributes: int = 2) -> Iterator[AcceptedWords]:
    """Yield accepted rows that share no word."""
    for row in range(count):
        yield AcceptedWords(
            tuple(f"a{row}-{slot}" for slot in range(attributes)), (f"o{row}", f"p{row}")
        )


def view_of(ledger: Ledger) -> LedgerView:
    return ledger


def test_the_tenth_occurrence_is_admitted_and_the_eleventh_is_not() -> None:
    ledger = Ledger(2)
    for row in rows(9):
        ledger.record(row._replace(attributes=("red", row.attributes[1])))
    assert ledger.count("attribute", "red") == 9
    assert not ledger.is_capped("attribute", "RED")
    ledger.record(AcceptedWords(("red", "icy"), ("tunic", "shroud")))
    assert ledger.count("attribute", "red") == 10
    assert ledger.is_capped("attribute", "red")
    assert not ledger.is_capped("object", "red")
    assert ledger.capped("attribute") == ("red",)


@pytest.mark.parametrize(
    ("attributes", "accepted", "cap"),
    [
        (2, 0, 10),
        (2, 666, 10),  # 1.5 % of 666 is 9.99
        (2, 667, 10),  # passes ten: 10.005, floor 10
        (2, 733, 10),
        (2, 734, 11),  # 11.01
        (2, 1_000, 15),
        (2, 20_000, 300),
        (3, 444, 10),
        (3, 488, 10),  # 2.25 % of 488 is 10.98
        (3, 489, 11),
        (3, 10_048, 226),
        (4, 366, 10),
        (4, 367, 11),  # 3 % of 367 is 11.01
        (4, 20_000, 600),
    ],
)
def test_the_cap_is_ten_or_the_floor_of_the_share(attributes: int, accepted: int, cap: int) -> None:
    assert cap_of(accepted, attributes) == cap


def test_a_capped_word_comes_free_when_enough_is_accepted() -> None:
    ledger = Ledger(2)
    for row in rows(733):
        number = ledger.accepted
        ledger.record(row if number >= 10 else row._replace(attributes=("red", f"b{number}")))
    assert ledger.cap == 10
    assert ledger.is_capped("attribute", "red")
    ledger.record(AcceptedWords(("icy", "old"), ("tunic", "shroud")))
    assert ledger.accepted == 734
    assert not ledger.is_capped("attribute", "red")


def test_recent_words_are_distinct_and_the_latest_comes_first() -> None:
    ledger = Ledger(2)
    for row in rows(40):
        ledger.record(row)
    ledger.record(AcceptedWords(("a39-0", "new"), ("lamp", "o39")))
    recent = ledger.recent()
    assert len(recent) == len(set(recent)) == 100
    assert recent[:4] == ("o39", "lamp", "new", "a39-0")


def test_frequent_words_count_both_roles_and_break_ties_by_alphabet() -> None:
    ledger = Ledger(2)
    ledger.record(AcceptedWords(("orange", "icy"), ("lamp", "tunic")))
    ledger.record(AcceptedWords(("red", "icy"), ("orange", "cup")))
    ledger.record(AcceptedWords(("old", "orange"), ("hat", "rug")))
    assert ledger.frequent()[:4] == ("orange", "icy", "cup", "hat")
    for row in rows(30):
        ledger.record(row)
    assert len(ledger.frequent()) == 40


def test_a_duplicate_has_the_same_attributes_and_objects_however_they_are_paired() -> None:
    ledger = Ledger(4)
    ledger.record(AcceptedWords(("red", "silk", "blue", "wool"), ("hat", "rug")))
    assert ledger.holds(AcceptedWords(("blue", "wool", "red", "silk"), ("rug", "hat")))
    assert ledger.holds(AcceptedWords(("red", "wool", "blue", "silk"), ("hat", "rug")))
    assert not ledger.holds(AcceptedWords(("red", "wool", "blue", "icy"), ("hat", "rug")))
    assert not ledger.holds(AcceptedWords(("red", "silk", "blue", "wool"), ("hat", "cup")))


words = st.sampled_from(["red", "icy", "old", "new", "torn", "odd"])
histories = st.lists(
    st.builds(AcceptedWords, st.tuples(words, words), st.tuples(words, words)), max_size=60
)


@settings(deadline=None)
@given(histories)
def test_replaying_gives_the_same_ledger(history: list[AcceptedWords]) -> None:
    live = Ledger(2)
    for row in history:
        live.record(row)
    again = Ledger.replay(2, history)
    assert vars(again) == vars(live)
    assert list(again.recent()) == list(live.recent())
    assert all(view_of(again).holds(row) for row in history)


@settings(deadline=None)
@given(histories)
def test_counts_are_those_of_the_history(history: list[AcceptedWords]) -> None:
    ledger = Ledger.replay(2, history)
    for word in ("red", "torn"):
        used = sum(row.objects.count(word) for row in history)
        assert ledger.count("object", word) == used
        assert ledger.is_capped("object", word) == (used >= 10)
