"""Paired bootstrap: it covers the truth as often as it says, and heeds what belongs together."""

from collections.abc import Mapping
from random import Random

import numpy as np
import pytest

from artifacts.errors import SettingsError
from artifacts.records import Outcome
from evaluation.comparison import (
    Comparison,
    Figure,
    Unit,
    compare,
    disagreements,
    without,
)

NUMBERS = range(2, 7)


def outcomes(
    values: Mapping[str, float], metric: str = "mcq_accuracy", run: str = "run"
) -> list[Outcome]:
    return [
        Outcome(run=run, model="model", pairing="t2t", metric=metric, item=item, value=value)
        for item, value in values.items()
    ]


def independent(per_n: int) -> dict[str, Unit]:
    return {f"q{n}-{i}": Unit(n, "independent", f"q{n}-{i}") for n in NUMBERS for i in range(per_n)}


def nested(chains: int) -> dict[str, Unit]:
    return {f"c{i}-{n}": Unit(n, "nested", f"c{i}") for n in NUMBERS for i in range(chains)}


def random_values(units: Mapping[str, Unit], chance: float, seed: int) -> dict[str, float]:
    random = Random(seed)
    return {item: 100.0 * (random.random() < chance) for item in units}


def one(
    before: Mapping[str, float],
    after: Mapping[str, float],
    units: Mapping[str, Unit],
    *,
    resamples: int = 2_000,
) -> Comparison:
    (found,) = compare(outcomes(before), outcomes(after), units, resamples=resamples)
    return found


def bounds(found: Comparison) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


# ---- figures ----


def test_a_figure_is_the_mean_over_n_of_the_means() -> None:
    units = {
        "a": Unit(2, "independent", "a"),
        "b": Unit(2, "independent", "b"),
        "c": Unit(3, "independent", "c"),
    }
    found = one({"a": 100, "b": 0, "c": 0}, {"a": 100, "b": 100, "c": 50}, units)
    assert (found.before, found.after, found.difference) == (25, 75, 50)
    assert (found.items, found.clusters) == (3, 3)


def test_retrieval_is_compared_by_subset_and_accuracy_over_all_questions() -> None:
    units = independent(5) | nested(5)
    values = random_values(units, 0.5, 1)
    rows = [*outcomes(values), *outcomes(values, "map"), *outcomes(values, "scattered_map")]
    found = [(row.metric, row.subset, row.items) for row in compare(rows, rows, units)]
    assert found == [
        ("map", "independent", 25),
        ("map", "nested", 25),
        ("mcq_accuracy", "all", 50),
        ("scattered_map", "independent", 25),
        ("scattered_map", "nested", 25),
    ]


def test_triplets_are_drawn_by_example() -> None:
    units = {
        f"e{i}/{kind}": Unit(None, "all", f"e{i}")
        for i in range(50)
        for kind in ("attribute", "object")
    }
    found = one(random_values(units, 0.6, 1), random_values(units, 0.9, 2), units)
    assert (found.items, found.clusters) == (100, 50)
    assert found.excludes_zero


# ---- intervals ----


def test_identical_runs_differ_by_nothing() -> None:
    units = independent(20) | nested(20)
    values = random_values(units, 0.4, 3)
    found = one(values, values, units)
    assert (found.difference, *bounds(found)) == (0, 0, 0)
    assert not found.excludes_zero


def test_a_swap_of_the_runs_changes_the_sign_alone() -> None:
    units = independent(20) | nested(20)
    first, second = random_values(units, 0.4, 3), random_values(units, 0.6, 4)
    there, back = one(first, second, units), one(second, first, units)
    assert back.difference == -there.difference
    low, high = bounds(there)
    assert bounds(back) == pytest.approx((-high, -low), abs=1e-9)
    assert there.excludes_zero
    assert back.excludes_zero


def test_order_has_no_influence() -> None:
    units = independent(20) | nested(20)
    first, second = random_values(units, 0.4, 3), random_values(units, 0.6, 4)
    shuffled = dict(Random(1).sample(list(units.items()), len(units)))
    backwards = dict(reversed(first.items()))
    assert one(backwards, second, shuffled) == one(first, second, units)


def test_a_seed_draws_the_same_and_another_hardly_differs() -> None:
    units = independent(40)
    first, second = (outcomes(random_values(units, p, 3)) for p in (0.4, 0.6))
    (a,), (b,), (c,) = (compare(first, second, units, seed=seed) for seed in (1, 1, 2))
    assert a == b != c
    assert bounds(a) == pytest.approx(bounds(c), abs=1)


def test_the_interval_is_that_of_the_textbook() -> None:
    """One N, one subset: the difference is a mean, its interval 1.96 standard errors each way."""
    units = {f"q{i}": Unit(2, "independent", f"q{i}") for i in range(400)}
    first, second = random_values(units, 0.4, 5), random_values(units, 0.6, 6)
    found = one(first, second, units, resamples=20_000)
    error = np.std([second[item] - first[item] for item in units]) / 20
    expected = found.difference - 1.96 * error, found.difference + 1.96 * error
    assert bounds(found) == pytest.approx(expected, abs=0.3)


def coverage(units: Mapping[str, Unit], *, heed_clusters: bool) -> float:
    """Return how often the interval holds the true difference, 10, where clusters share a gain."""
    random = Random(7)
    assumed = (
        units
        if heed_clusters
        else {item: Unit(unit.n, unit.subset, item) for item, unit in units.items()}
    )
    hits, rounds = 0, 200
    for _ in range(rounds):
        gains = {
            cluster: random.gauss(10, 8) for cluster in {u.cluster: None for u in units.values()}
        }
        before = {item: random.uniform(30, 40) for item in units}
        after = {
            item: before[item] + gains[unit.cluster] + random.gauss(0, 3)
            for item, unit in units.items()
        }
        clipped = {item: min(100.0, max(0.0, value)) for item, value in after.items()}
        low, high = bounds(one(before, clipped, assumed, resamples=400))
        hits += low <= 10 <= high
    return hits / rounds


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    assert 0.90 <= coverage(independent(8), heed_clusters=True) <= 0.99
    assert 0.88 <= coverage(nested(40), heed_clusters=True) <= 0.99


def test_taking_a_chain_s_questions_for_independent_would_be_too_sure() -> None:
    assert coverage(nested(40), heed_clusters=False) < 0.8


# ---- small and broken input ----


def test_a_resample_that_leaves_an_n_empty_still_counts() -> None:
    units = {f"q{n}": Unit(n, "independent", f"q{n}") for n in NUMBERS}
    found = one(dict.fromkeys(units, 0.0), dict.fromkeys(units, 100.0), units)
    assert bounds(found) == (100, 100)


def test_one_cluster_has_no_interval() -> None:
    units = nested(1)
    found = one(dict.fromkeys(units, 0.0), dict.fromkeys(units, 100.0), units)
    assert (found.difference, found.low, found.high) == (100, None, None)
    assert not found.excludes_zero


@pytest.mark.parametrize("swap", [False, True])
def test_an_item_that_one_run_lacks_is_named(swap: bool) -> None:
    units = independent(3)
    full = random_values(units, 0.5, 1)
    short = {item: value for item, value in full.items() if item != "q2-1"}
    pair = (full, short) if swap else (short, full)
    which = "first" if swap else "second"
    with pytest.raises(SettingsError, match=rf"mcq_accuracy t2t only the {which} has 1: q2-1"):
        one(*pair, units)


def test_an_item_without_a_unit_is_named() -> None:
    units = independent(3)
    values = random_values(units, 0.5, 1)
    del units["q3-0"]
    with pytest.raises(SettingsError, match="no unit is given for 1: q3-0"):
        one(values, values, units)


def test_runs_that_share_no_figure_are_refused_and_others_say_what_is_left_out() -> None:
    units = independent(3)
    values = random_values(units, 0.5, 1)
    accuracy, retrieval = outcomes(values), outcomes(values, "map")
    with pytest.raises(SettingsError, match="none in common: mcq_accuracy t2t against map t2t"):
        compare(accuracy, retrieval, units)
    left_out = disagreements([*accuracy, *retrieval], accuracy)
    assert {str(key): why for key, why in left_out.items()} == {
        "map t2t": "only one of the two has it"
    }
    assert len(compare([*accuracy, *retrieval], accuracy, units)) == 1


def test_figures_of_other_items_or_pictures_are_left_out_and_the_rest_compared() -> None:
    units = independent(3)
    values = random_values(units, 0.5, 1)
    fewer = dict(list(values.items())[1:])
    triplets = "triplet_accuracy_test"
    before = [*outcomes(values), *outcomes(values, "map"), *outcomes({"a/x": 0}, triplets)]
    after = [*outcomes(values), *outcomes(fewer, "map"), *outcomes({"b/x": 0}, triplets)]
    left_out = disagreements(before, after)
    assert left_out == {
        Figure("t2t", "map"): "the two were asked different questions",
        Figure("t2t", triplets): "the two were asked different triplets",
    }
    (found,) = compare(without(before, left_out), without(after, left_out), units)
    assert found.metric == "mcq_accuracy"


def test_of_different_pictures_only_texts_are_compared() -> None:
    values = random_values(independent(3), 0.5, 1)
    text = outcomes(values)
    both = [*text, *(row.model_copy(update={"pairing": "i2i"}) for row in text)]
    assert disagreements(both, both) == {}
    assert disagreements(both, both, same_pictures=False) == {
        Figure("i2i", "mcq_accuracy"): "the two were shown different pictures"
    }
