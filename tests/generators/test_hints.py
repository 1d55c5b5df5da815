"""Word lists for a model: least-used suggestions, words to avoid, words that are banned."""

from random import Random

from artifacts.ledger_view import FREQUENT_WORDS, RECENT_WORDS, AcceptedWords
from generators.hints import hints
from validators.ledger import LEAST_CAP, Ledger
from vocab.dataset_words import WordBank, load_word_bank

BANK = WordBank(
    families={"color": ("red", "blue", "ivory", "Green"), "state": ("torn", "icy")},
    family_of={},
    nouns=(),
)


def used(**counts: int) -> Ledger:
    """Return a ledger in which attributes occur so often, each with words of no interest."""
    ledger = Ledger(2)
    for word, count in counts.items():
        for number in range(count):
            row = (word, f"{word}-{number}"), (f"o{word}{number}", f"p{word}{number}")
            ledger.record(AcceptedWords(*row))
    return ledger


def test_the_least_used_of_each_family_are_suggested() -> None:
    found = hints(used(red=2, blue=1, torn=1), BANK, Random(0)).suggestions
    assert found == {"color": (*found["color"][:2], "blue"), "state": ("icy", "torn")}
    assert set(found["color"][:2]) == {"ivory", "Green"}


def test_words_of_equal_use_take_turns() -> None:
    firsts = {hints(Ledger(2), BANK, Random(n)).suggestions["color"][0] for n in range(40)}
    assert firsts == set(BANK.families["color"])


def test_the_same_draw_suggests_the_same() -> None:
    bank = load_word_bank()
    assert hints(Ledger(2), bank, Random(5)) == hints(Ledger(2), bank, Random(5))


def test_a_capped_word_is_banned_and_not_suggested_however_it_is_written() -> None:
    found = hints(used(green=LEAST_CAP, red=LEAST_CAP - 1), BANK, Random(0))
    assert found.ban == ("green",)
    assert set(found.suggestions["color"]) == {"red", "blue", "ivory"}


def test_a_family_without_a_free_word_suggests_none() -> None:
    assert hints(used(torn=LEAST_CAP, icy=LEAST_CAP), BANK, Random(0)).suggestions["state"] == ()


def test_a_capped_object_is_banned() -> None:
    ledger = Ledger(2)
    for number in range(LEAST_CAP):
        ledger.record(AcceptedWords((f"a{number}", f"b{number}"), ("tunic", f"o{number}")))
    assert hints(ledger, BANK, Random(0)).ban == ("tunic",)


def test_recent_and_frequent_words_are_to_be_avoided_each_once() -> None:
    ledger = used(red=9, blue=8)
    for number in range(60):
        ledger.record(AcceptedWords((f"x{number}", f"y{number}"), (f"u{number}", f"v{number}")))
    avoid = hints(ledger, BANK, Random(0)).avoid
    assert avoid == tuple(dict.fromkeys((*ledger.recent(), *ledger.frequent())))
    assert set(avoid) == {*ledger.recent(), *ledger.frequent()}
    assert len(ledger.recent()) == RECENT_WORDS
    assert len(ledger.frequent()) == FREQUENT_WORDS
    assert len(avoid) == len(set(avoid))
    assert avoid[0] == "v59"
    assert "red" in avoid


def test_the_first_attempt_has_nothing_to_avoid() -> None:
    found = hints(Ledger(2), load_word_bank(), Random(0))
    assert (found.avoid, found.ban) == ((), ())
    assert all(len(words) == 3 for words in found.suggestions.values())
