"""Which run each trained model is held against in a report: its base, scored as alike as can be.

Knows what is recorded of runs; not how two are compared.
"""

from collections.abc import Iterator, Mapping

from evaluation.embedders.adapters import trained_name
from flows.stages.runs import RunRecord

Runs = Mapping[str, RunRecord]

#: What a base must share with the model that was trained on it, so that training alone differs.
_ALIKE = ("revision", "instruction")


def pair_with_bases(scored: Runs, trained: Runs) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """Return the run of the base with that of each trained model, and why others have none.

    Of a model before LiNeS there is no pair: what `saber train` is for is the model after it.
    """
    pairs: list[tuple[str, str]] = []
    unpaired: dict[str, str] = {}
    for run, record in scored.items():
        named = trained_name(_embedder(record))
        if named is None or not named.scaled or named.run not in trained:
            continue
        bases = _runs_of(str(trained[named.run].facts["base"]), scored)
        alike = {name: base for name, base in bases.items() if not any(_unlike(base, record))}
        if alike:
            pairs.append((_most_alike(alike, record), run))
        else:
            unpaired[run] = _reason(bases, record, str(trained[named.run].facts["base"]))
    return pairs, unpaired


def _runs_of(base: str, scored: Runs) -> dict[str, RunRecord]:
    names = (base, f"st:{base}")
    return {run: record for run, record in scored.items() if _embedder(record) in names}


def _unlike(base: RunRecord, record: RunRecord) -> Iterator[str]:
    """Yield in what the base was another model than the one that was trained."""
    for what in _ALIKE:
        found, expected = base.facts[what], record.facts[what]
        if found != expected:
            yield f"{what} {_shown(found)} where the trained model has {_shown(expected)}"
    # A packaged base has no files that are the user's, and nothing is recorded of them.
    if base.inputs.get("model") not in (None, record.inputs.get("model")):
        yield "other files in its folder"


def _most_alike(bases: Runs, record: RunRecord) -> str:
    """Return the run with the most settings in common, of equals the first by name."""
    common = {
        run: sum(base.settings.get(name) == value for name, value in record.settings.items())
        for run, base in bases.items()
    }
    return min(common, key=lambda run: (-common[run], run))


def _reason(bases: Runs, record: RunRecord, base: str) -> str:
    if not bases:
        return f"{base} wasn't scored, or not on what the build holds now"
    found = (f"{run} has {' and '.join(_unlike(each, record))}" for run, each in bases.items())
    return "; ".join(found)


def _shown(value: object) -> str:
    return "none" if value is None else repr(value)


def _embedder(record: RunRecord) -> str:
    return str(record.settings["embedder"])
