"""The report of a build's evaluations, and two runs held against each other.

Knows where figures are stored and which runs belong together; how they are told is the evaluation
package's business.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import JsonValue

from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.errors import BuildMissingError, SettingsError
from artifacts.records import Outcome
from evaluation.comparison import Unit, compare, only_in_one
from evaluation.report import REPORT_NAME, Compared, Scored, make_report
from flows.stages.evaluation import STAGE, read_outcomes, read_results, trained_run_of
from flows.stages.runs import (
    REPORT,
    RunRecord,
    contents,
    find_run,
    is_report_current,
    read_runs,
    replace_report,
)
from flows.stages.training import STAGE as TRAINING

#: Embedders that need no model: shown beside the others, and never ranked among them.
BASELINES = frozenset({"constant", "random", "bag-of-words", "bigrams"})

_SCALED = re.compile(r"trained:([^/]+)")
_TRIPLETS = "triplet_accuracy_"


def report_path(build: Build) -> Path:
    """Return where the report of a build's evaluations is."""
    return build.evaluation / REPORT / REPORT_NAME


def is_current(build: Build) -> bool:
    """Whether the report is there, whole, and of just the runs that there are."""
    return is_report_current(build, STAGE)


def write_report(build: Build) -> Path:
    """Write the report of all evaluations of a build anew, and return where it is.

    Raises BuildMissingError where nothing was evaluated.
    """
    runs = read_runs(build, STAGE)
    if not runs:
        raise BuildMissingError(f"no evaluation in build {build.name!r}: run `saber evaluate`")
    stale = {run: why for run, record in runs.items() if (why := why_stale(build, record))}
    results = [row for row in read_results(build) if row.run not in stale]
    baselines = {run for run, record in runs.items() if _embedder(record) in BASELINES}
    pair = _before_and_after(build, {run: runs[run] for run in runs if run not in stale})
    scored = Scored(
        results=[row for row in results if row.run not in baselines],
        baselines=[row for row in results if row.run in baselines],
        facts={
            run: {"left out": stale[run]} if run in stale else _facts(record)
            for run, record in runs.items()
        },
        compared=_compared(build, *pair) if pair else None,
    )
    replace_report(build, STAGE, make_report(scored))
    return report_path(build)


def why_stale(build: Build, record: RunRecord) -> str:
    """Return what a run was scored on that isn't there any more; empty where all is.

    Pictures and files outside of the build are looked at when it is scored again, not here.
    """
    now: dict[str, JsonValue] = {"benchmark": contents(build, "benchmark")}
    if "dataset" in record.inputs:
        there = "dataset" in build.finished_stages()
        now["dataset"] = contents(build, "dataset") if there else None
    trained = trained_run_of(_embedder(record))
    if trained:
        now["adapters"] = contents(build, TRAINING, f"{trained}/")
    earlier = [name for name, found in now.items() if record.inputs.get(name) != found]
    again = f"run `saber evaluate {_embedder(record)}` again"
    return f"scored on earlier {' and '.join(earlier)}; {again}" if earlier else ""


def compare_runs(build: Build, before: str, after: str, seed: int = 0) -> Compared:
    """Return what the run `after` has over the run `before`, with 95 % intervals.

    Either may be named by its embedder, where one run alone has scored that.

    Raises BuildMissingError where one isn't there, SettingsError where they weren't asked the same.
    """
    before, after = (_called(build, name) for name in (before, after))
    first, second = (find_run(build, STAGE, run, "saber evaluate") for run in (before, after))
    for what in ("benchmark", "dataset", "pictures"):
        found = {first.inputs.get(what), second.inputs.get(what)} - {None}
        if len(found) > 1:
            raise SettingsError(
                f"{before} and {after} were scored on different {what}: evaluate both again on "
                "what the build holds now"
            )
    return _compared(build, before, after, seed)


def _called(build: Build, name: str) -> str:
    """Return the run of that name, or the one that scored the embedder of that name."""
    runs = read_runs(build, STAGE)
    if name in runs:
        return name
    scored = [run for run, record in runs.items() if _embedder(record) == name]
    return scored[0] if len(scored) == 1 else name


def _compared(build: Build, before: str, after: str, seed: int = 0) -> Compared:
    first, second = read_outcomes(build, before), read_outcomes(build, after)
    comparisons = compare(first, second, _units(build, [*first, *second]), seed=seed)
    return Compared(before, after, comparisons, only_in_one(first, second))


def _units(build: Build, outcomes: Iterable[Outcome]) -> dict[str, Unit]:
    """Return what is drawn together: a chain's questions, and the triplets of an example."""
    with connect(build, {"questions"}) as connection:
        rows = connection.execute("SELECT question_id, n, subset, chain_id FROM questions")
        units = {
            question: Unit(n, subset, chain or question)
            for question, n, subset, chain in rows.fetchall()
        }
    for row in outcomes:
        if row.metric.startswith(_TRIPLETS):
            units[row.item] = Unit(None, "all", row.item.rpartition("/")[0])
    return units


def _before_and_after(build: Build, runs: Mapping[str, RunRecord]) -> tuple[str, str] | None:
    """Return the evaluations of a trained model and of its base; None where there aren't both."""
    trained = read_runs(build, TRAINING)
    by_embedder = {_embedder(record): run for run, record in runs.items()}
    for embedder, run in by_embedder.items():
        match = _SCALED.fullmatch(embedder)
        base = str(trained[match[1]].facts["base"]) if match and match[1] in trained else ""
        before = by_embedder.get(base) or by_embedder.get(f"st:{base}")
        if before:
            return before, run
    return None


def _embedder(record: RunRecord) -> str:
    return str(record.settings["embedder"])


def _facts(record: RunRecord) -> dict[str, str]:
    pictures = record.facts.get("pictures")
    facts = {
        "questions": f"{record.facts['questions']:,}",
        "gallery": f"{record.facts['gallery']:,}",
        "pictures": "none" if pictures is None else f"{pictures:,}",
        "revision": record.settings.get("revision"),
        "instruction": record.settings.get("instruction"),
    }
    return {name: str(value) for name, value in facts.items() if value is not None}
