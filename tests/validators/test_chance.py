"""The bound: tight enough to see a bias, wide enough never to fail an honest build."""

from math import comb

import pytest

from validators.chance import is_plausible, is_too_often


@pytest.mark.parametrize("trials", [1, 4, 30, 900])
@pytest.mark.parametrize("probability", [1 / 24, 1 / 4, 1 / 2])
def test_an_honest_count_fails_less_often_than_eight_times_in_a_million(
    trials: int, probability: float
) -> None:
    false_alarm = sum(
        comb(trials, count) * probability**count * (1 - probability) ** (trials - count)
        for count in range(trials + 1)
        if not is_plausible(count, trials, probability)
    )
    assert false_alarm < 8e-6


@pytest.mark.parametrize(
    ("successes", "trials", "probability"),
    [(0, 20, 1 / 2), (20, 20, 1 / 2), (4800, 9000, 1 / 2), (570, 1800, 1 / 4), (330, 1800, 1 / 4)],
)
def test_a_bias_is_seen(successes: int, trials: int, probability: float) -> None:
    assert not is_plausible(successes, trials, probability)


@pytest.mark.parametrize(
    ("successes", "trials"), [(0, 0), (8, 8), (0, 8), (4400, 9000), (4600, 9000)]
)
def test_few_trials_and_small_deviations_pass(successes: int, trials: int) -> None:
    assert is_plausible(successes, trials, 1 / 4 if trials == 8 else 1 / 2)


def test_too_rare_is_not_too_often() -> None:
    assert is_too_often(90, 100, 1 / 2)
    assert not is_too_often(10, 100, 1 / 2)
