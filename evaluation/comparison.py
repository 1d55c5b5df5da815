"""Whether one run is better than another: paired bootstrap over what both runs scored.

Questions are resampled, not scores, so both runs always answer the same ones. What isn't
independent is resampled together: a chain's nested questions, an example's triplets. The caller
says which items those are. Knows nothing of models, files or tables.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from artifacts.errors import SettingsError
from artifacts.records import Outcome, Pairing

Subset = Literal["all", "independent", "nested"]

#: Metrics whose figure is of one subset; all others are of all questions together (table 2).
_BY_SUBSET = frozenset({"map", "subset_above_exact", "subset_above_superset", "top_four"})

#: How many draws are held in memory at a time.
_DRAWS_AT_A_TIME = 4_000_000

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Unit:
    """What an item is, as far as resampling must know."""

    #: Bindings; None for a triplet.
    n: int | None
    subset: Subset
    #: What it is drawn together with: its chain, its example, or itself.
    cluster: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """A figure of two runs, in percent, and the 95 % interval of its difference."""

    pairing: Pairing
    metric: str
    subset: Subset
    before: float
    after: float
    #: None where a subset has one cluster only: nothing can be said of chance.
    low: float | None
    high: float | None
    items: int
    clusters: int

    @property
    def difference(self) -> float:
        """What the second run has more than the first."""
        return self.after - self.before

    @property
    def excludes_zero(self) -> bool:
        """Whether chance alone hardly explains the difference."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


class Figure(NamedTuple):
    """What two runs may both have been scored on."""

    pairing: Pairing
    metric: str

    def __str__(self) -> str:
        return f"{self.metric} {self.pairing}"


@dataclass(frozen=True, slots=True)
class _Stratum:
    """The clusters of a subset: what each sums up and counts for every N, in a fixed order."""

    sums: _Floats
    counts: _Floats


def compare(
    before: Iterable[Outcome],
    after: Iterable[Outcome],
    units: Mapping[str, Unit],
    *,
    seed: int = 0,
    resamples: int = 10_000,
) -> tuple[Comparison, ...]:
    """Return every figure that both runs have, with the interval of its difference.

    A figure is the mean over N of the means at each N. The order of outcomes has no influence.

    Raises:
        SettingsError: the runs have no figure in common, or scored other items; or no unit is
            given for an item.

    """
    first, second = _values(before), _values(after)
    common = [key for key in first if key in second]
    if not common:
        raise SettingsError(
            "expected two runs that scored the same metric for the same pairing, found none in "
            f"common: {_listed(map(str, first))} against {_listed(map(str, second))}; "
            "evaluate both runs with the same settings"
        )
    return tuple(
        _compared(key, subset, first[key], second[key], chosen, (seed, resamples))
        for key in sorted(common)
        for subset, chosen in _by_subset(key, _checked(key, first[key], second[key], units))
    )


def disagreements(
    before: Iterable[Outcome], after: Iterable[Outcome], *, same_pictures: bool = True
) -> dict[Figure, str]:
    """Return the figures that two runs can't be compared by, each with the reason.

    `same_pictures`: whether both were shown the same.
    """
    first, second = _values(before), _values(after)
    reasons = {
        key: _disagreement(key, first.get(key), second.get(key), same_pictures=same_pictures)
        for key in sorted(first.keys() | second.keys())
    }
    return {key: reason for key, reason in reasons.items() if reason}


def without(outcomes: Iterable[Outcome], figures: Container[Figure]) -> list[Outcome]:
    """Return the outcomes that are of other figures."""
    return [row for row in outcomes if Figure(row.pairing, row.metric) not in figures]


# ---- pairing ----


def _values(outcomes: Iterable[Outcome]) -> dict[Figure, dict[str, float]]:
    values: dict[Figure, dict[str, float]] = {}
    for row in outcomes:
        values.setdefault(Figure(row.pairing, row.metric), {})[row.item] = row.value
    return values


def _disagreement(
    key: Figure,
    before: Mapping[str, float] | None,
    after: Mapping[str, float] | None,
    *,
    same_pictures: bool,
) -> str:
    """Return why two runs can't be compared by a figure; empty where they can."""
    if before is None or after is None:
        return "only one of the two has it"
    if before.keys() != after.keys():
        what = "triplets" if key.metric.startswith("triplet_") else "questions"
        return f"the two were asked different {what}"
    return "" if same_pictures or key.pairing == "t2t" else "the two were shown different pictures"


def _checked(
    key: Figure, before: Mapping[str, float], after: Mapping[str, float], units: Mapping[str, Unit]
) -> dict[str, Unit]:
    """Return the unit of every item, in order of the items."""
    for name, others in (
        ("only the first has", before.keys() - after.keys()),
        ("only the second has", after.keys() - before.keys()),
        ("no unit is given for", before.keys() - units.keys()),
    ):
        if others:
            raise SettingsError(
                f"expected two runs that scored the same items, but of {key} "
                f"{name} {len(others)}: {_listed(sorted(others))}; evaluate both runs on the "
                "same build with the same settings"
            )
    return {item: units[item] for item in sorted(before)}


def _by_subset(key: Figure, units: Mapping[str, Unit]) -> Iterator[tuple[Subset, dict[str, Unit]]]:
    if key.metric.removeprefix("scattered_") not in _BY_SUBSET:
        yield "all", dict(units)
        return
    for subset in sorted({unit.subset for unit in units.values()}):
        yield subset, {item: unit for item, unit in units.items() if unit.subset == subset}


def _listed(names: Iterable[str]) -> str:
    found = list(names)
    return ", ".join(found[:5]) + (", …" if len(found) > 5 else "")


# ---- resampling ----


def _compared(
    key: Figure,
    subset: Subset,
    before: Mapping[str, float],
    after: Mapping[str, float],
    units: Mapping[str, Unit],
    draws: tuple[int, int],
) -> Comparison:
    differences = {item: after[item] - before[item] for item in units}
    strata = _strata(differences, units)
    low, high = _interval(strata, *draws)
    return Comparison(
        pairing=key.pairing,
        metric=key.metric,
        subset=subset,
        before=_figure(before, units),
        after=_figure(after, units),
        low=low,
        high=high,
        items=len(units),
        clusters=sum(len(stratum.sums) for stratum in strata),
    )


def _figure(values: Mapping[str, float], units: Mapping[str, Unit]) -> float:
    at: dict[int | None, list[float]] = {}
    for item, unit in units.items():
        at.setdefault(unit.n, []).append(values[item])
    return float(np.mean([np.mean(found) for found in at.values()]))


def _strata(values: Mapping[str, float], units: Mapping[str, Unit]) -> list[_Stratum]:
    """Return the clusters by subset: how many questions each subset has is not left to chance."""
    columns = {n: i for i, n in enumerate(sorted({u.n or 0 for u in units.values()}))}
    strata = []
    for subset in sorted({unit.subset for unit in units.values()}):
        chosen = {item: unit for item, unit in units.items() if unit.subset == subset}
        rows = {c: i for i, c in enumerate(sorted({unit.cluster for unit in chosen.values()}))}
        stratum = _Stratum(*np.zeros((2, len(rows), len(columns))))
        for item, unit in chosen.items():
            place = rows[unit.cluster], columns[unit.n or 0]
            stratum.sums[place] += values[item]
            stratum.counts[place] += 1
        strata.append(stratum)
    return strata


def _interval(
    strata: list[_Stratum], seed: int, resamples: int
) -> tuple[float, float] | tuple[None, None]:
    if min(len(stratum.sums) for stratum in strata) < 2:
        return None, None
    rng = np.random.default_rng(seed)
    shape = resamples, strata[0].sums.shape[1]
    sums, counts = np.zeros(shape), np.zeros(shape)
    for stratum in strata:
        start = 0
        for weights in _draws(rng, len(stratum.sums), resamples):
            chunk = slice(start, start := start + len(weights))
            sums[chunk] += weights @ stratum.sums
            counts[chunk] += weights @ stratum.counts
    low, high = np.percentile(_mean_over_n(sums, counts), [2.5, 97.5])
    return float(low), float(high)


def _draws(rng: np.random.Generator, clusters: int, resamples: int) -> Iterator[_Floats]:
    """Yield, a batch of resamples at a time, how often each drew each cluster."""
    batch = max(1, _DRAWS_AT_A_TIME // clusters)
    for start in range(0, resamples, batch):
        size = min(batch, resamples - start)
        drawn = rng.integers(clusters, size=(size, clusters))
        drawn += np.arange(size)[:, None] * clusters
        counted = np.bincount(drawn.ravel(), minlength=size * clusters)
        yield counted.reshape(size, clusters).astype(np.float64)


def _mean_over_n(sums: _Floats, counts: _Floats) -> _Floats:
    """Return the mean over N of each resample; an N that it left empty does not count."""
    present = counts > 0
    means = np.divide(sums, counts, out=np.zeros_like(sums), where=present)
    averaged: _Floats = means.sum(axis=1) / present.sum(axis=1)
    return averaged
