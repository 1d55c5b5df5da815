"""Rules on chains: their lengths, their growth and their orders."""

from collections import defaultdict
from itertools import pairwise
from math import factorial

from artifacts.reports import RuleReport, judge, tally
from validators.benchmark.tables import Benchmark, Question, Scene
from validators.chance import is_too_often


def one_question_per_n_in_every_chain(benchmark: Benchmark) -> RuleReport:
    """A chain has one question for each N, from the smallest to the largest."""
    lengths = benchmark.expected.chain_lengths

    def check(chain: tuple[str, tuple[Question, ...]]) -> str | None:
        found = [step.n for step in chain[1]]
        return None if found == lengths else f"{chain[0]}: expected N {lengths}, found {found}"

    return judge("one_question_per_n_in_every_chain", benchmark.chains.items(), check)


def every_step_adds_one_binding(benchmark: Benchmark) -> RuleReport:
    """Each query of a chain holds the bindings of the query before it and one more."""

    def check(step: tuple[Question, Question]) -> str | None:
        before, after = step[0].query.binding_set, step[1].query.binding_set
        if before < after and len(after) == len(before) + 1:
            return None
        return (
            f"{step[1].question_id}: loses {len(before - after)} bindings of "
            f"{step[0].question_id} and adds {len(after - before)}"
        )

    return judge("every_step_adds_one_binding", _steps(benchmark), check)


def earlier_order_survives_by_chance_only(benchmark: Benchmark) -> RuleReport:
    """A step keeps the order of the pairs before it no more often than a shuffle would."""
    survivals: dict[int, list[bool]] = defaultdict(list)
    for before, after in _steps(benchmark):
        survivals[after.n].append(_keeps_order(before.query, after.query))
    counts = {n: (sum(kept), len(kept), 1 / factorial(n - 1)) for n, kept in survivals.items()}
    kept, steps = sum(c[0] for c in counts.values()), sum(c[1] for c in counts.values())
    chance = sum(trials * rate for _, trials, rate in counts.values()) / max(steps, 1)
    findings = [
        f"{place}: the earlier order survives in {successes} of {trials} steps, "
        f"a shuffle keeps it in {trials * rate:.2f}"
        for place, (successes, trials, rate) in [
            *((f"N={n}", count) for n, count in sorted(counts.items())),
            ("all chains", (kept, steps, chance)),
        ]
        if is_too_often(successes, trials, rate)
    ]
    return tally("earlier_order_survives_by_chance_only", steps, findings)


def _steps(benchmark: Benchmark) -> list[tuple[Question, Question]]:
    return [step for chain in benchmark.chains.values() for step in pairwise(chain)]


def _keeps_order(before: Scene, after: Scene) -> bool:
    earlier = [binding for binding in after.bindings if binding in before.binding_set]
    return earlier == list(before.bindings)
