"""Statistics of examples: duplicates, vocabulary, positions, query order, the side described."""

import pyarrow as pa
import pytest

from artifacts.errors import StoreError
from artifacts.records import Example
from artifacts.schema import arrow_fields
from tests.validators.audit.made_pairs import OBJECTS
from validators.audit import AuditReport, Statistic, audit, failed_gates, pairs_of_examples

Row = dict[str, object]

PAIRS = [{"attributes": ["red"], "object": "kite"}, {"attributes": ["Old"], "object": "Cube"}]


def row(**changes: object) -> Row:
    return {
        "construction": "pair_swap",
        "positive": "A red kite by an old cube.",
        "negative_attribute": "An old kite by a red cube.",
        "negative_object": "A red cube by an old kite.",
        "pairs": PAIRS,
        "described_first": None,
        **changes,
    }


def examples(*rows: Row) -> pa.Table:
    names = set(rows[0])
    schema = pa.schema([field for field in arrow_fields(Example) if field.name in names])
    return pa.Table.from_pylist(list(rows), schema=schema)


def report_on(*rows: Row, **family_of: str) -> AuditReport:
    return audit(pairs_of_examples(examples(*rows)), family_of=family_of)


def found(report: AuditReport, name: str, construction: str | None = None) -> list[Statistic]:
    return [
        statistic
        for statistic in report.statistics
        if (statistic.name, statistic.construction) == (name, construction)
    ]


def value(report: AuditReport, name: str, construction: str | None = None) -> float:
    (statistic,) = found(report, name, construction)
    return statistic.value


def test_an_example_is_two_pairs_of_one_group() -> None:
    other = [{"attributes": ["red"], "object": "cube"}, {"attributes": ["old"], "object": "kite"}]
    pairs = pairs_of_examples(examples(row(), row(pairs=other, construction="predicative")))
    assert len(pairs) == 4
    # Another pairing of the same words is no other set.
    assert pairs.groups.tolist() == [0, 0, 0, 0]
    assert pairs.constructions == ["pair_swap", "pair_swap", "predicative", "predicative"]
    assert pairs.negatives[:2] == ["An old kite by a red cube.", "A red cube by an old kite."]


def test_duplicates_are_counted_within_a_construction() -> None:
    again = row(positive="By an old cube a red kite.", pairs=PAIRS[::-1])
    elsewhere = row(construction="predicative")
    report = report_on(row(), again, elsewhere)
    assert value(report, "duplicate_positives") == 1
    assert value(report, "duplicate_positives", "pair_swap") == 0
    assert value(report, "duplicate_sets") == value(report, "duplicate_sets", "pair_swap") == 1
    assert value(report, "duplicate_sets", "predicative") == 0
    assert value(report, "duplicate_pairs") == 2


def test_words_and_families_are_measured_case_folded() -> None:
    wet = [{"attributes": ["wet"], "object": "kite"}, {"attributes": ["red"], "object": "egg"}]
    other = row(pairs=wet, positive="A wet kite, a red egg.")
    report = report_on(row(), other, red="color", dim="color", OLD="age")
    assert value(report, "distinct_words") == 6
    assert value(report, "top_100_share") == 100.0
    age, color = found(report, "family_entropy")
    assert (age.subject, age.value, age.expected, age.counted) == ("age", 0.0, 0.0, 1)
    assert (color.subject, color.value, color.expected, color.counted) == ("color", 0.0, 1.0, 2)


def test_entropy_is_in_bits() -> None:
    report = report_on(row(), red="any", old="any", dim="any", wet="any")
    (entropy,) = found(report, "family_entropy")
    assert (entropy.value, entropy.expected, entropy.unit) == (1.0, 2.0, "bits")


def test_the_hundred_most_frequent_words_share_what_they_share() -> None:
    rows = []
    for number in range(150):
        core = [
            {"attributes": ["red"], "object": f"thing{number}"},
            {"attributes": ["old"], "object": "cube"},
        ]
        rows.append(row(pairs=core, positive=f"A red thing{number} by an old cube."))
    # 3 words 150 times, then 97 of the 150 that occur once.
    assert value(report_on(*rows), "top_100_share") == pytest.approx(100 * (450 + 97) / 600)


def test_positions_are_relative_and_by_place_in_the_query() -> None:
    first, second = found(report_on(row(pairs=PAIRS[::-1])), "mention_position")
    # "A red kite by an old cube": the old cube stands sixth of seven words, the red kite second.
    assert (first.subject, second.subject) == ("pair 1", "pair 2")
    assert (first.value, second.value) == pytest.approx((500 / 7, 100 / 7))


def test_the_query_order_is_compared_with_that_of_the_objects() -> None:
    report = report_on(row(), row(pairs=PAIRS[::-1]), row(pairs=PAIRS[::-1]))
    (order,) = found(report, "query_order_share")
    assert (order.value, order.expected) == pytest.approx((100 / 3, 50))


def test_three_pairs_keep_their_order_one_time_in_six() -> None:
    three = [{"attributes": [a], "object": o} for a, o in zip("xyz", OBJECTS, strict=False)]
    text = f"x {OBJECTS[0]}, y {OBJECTS[1]}, z {OBJECTS[2]}"
    (order,) = found(report_on(row(pairs=three, positive=text)), "query_order_share")
    assert (order.value, order.expected) == pytest.approx((100, 100 / 6))


def test_objects_of_several_words_are_found_and_lost_words_counted() -> None:
    boat = [{"attributes": ["red"], "object": "toy boat"}, {"attributes": ["old"], "object": "toy"}]
    text = "An old toy and a red toy boat."
    report = report_on(row(pairs=boat, positive=text), row(pairs=boat, positive="No such thing."))
    assert value(report, "unplaced_examples") == 1
    places = [statistic.value for statistic in found(report, "mention_position")]
    assert places == pytest.approx([500 / 8, 100 / 8])


@pytest.mark.parametrize(
    ("second", "verdict"), [(2_600, "passed"), (2_400, "passed"), (2_601, "failed")]
)
def test_the_second_object_is_described_first_in_half(second: int, verdict: str) -> None:
    name = "deferred_bind_anaphoric"
    rows = [row(construction=name, described_first=int(n < second)) for n in range(5_000)]
    report = report_on(*rows)
    (side,) = found(report, "second_described_first", name)
    assert (side.verdict, side.counted) == (verdict, 5_000)
    assert any("second_described_first" in line for line in failed_gates(report)) == (
        verdict == "failed"
    )


def test_few_examples_give_no_verdict_on_the_side() -> None:
    report = report_on(row(described_first=1))
    (side,) = found(report, "second_described_first", "pair_swap")
    assert (side.value, side.verdict) == (100.0, "too_few")


def test_missing_columns_and_rows_are_named() -> None:
    with pytest.raises(StoreError, match="negative_object"):
        pairs_of_examples(examples(row()).drop_columns(["negative_object"]))
    with pytest.raises(StoreError, match="found 0 rows"):
        pairs_of_examples(examples(row()).slice(0, 0))
