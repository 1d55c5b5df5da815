"""Reports: what a rule's findings add up to."""

from artifacts.reports import EXAMPLES_KEPT, RuleReport, judge, tally


def odd(number: int) -> str | None:
    return f"{number} is odd" if number % 2 else None


def test_a_judged_rule_counts_items_and_failures() -> None:
    assert judge("even", iter([1, 2, 4]), odd) == RuleReport("even", 3, 1, ("1 is odd",))


def test_a_rule_with_nothing_to_check_has_not_failed() -> None:
    assert judge("even", [], odd) == RuleReport("even", 0, 0, ())


def test_all_failures_count_and_the_first_are_shown() -> None:
    report = tally("even", 40, (f"{number}" for number in range(30)))
    assert (report.failed, report.examples) == (30, ("0", "1", "2", "3", "4"))
    assert len(report.examples) == EXAMPLES_KEPT
