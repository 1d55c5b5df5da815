"""The report of a build's evaluations, and two runs held against each other.

Knows where figures are stored and which runs belong together; how they are told is the evaluation
package's business.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import JsonValue

from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.errors import BuildMissingError, SettingsError
from artifacts.manifest import Stage
from artifacts.records import Outcome
from evaluation.comparison import Unit, compare, disagreements, without
from evaluation.embedders.adapters import trained_name
from evaluation.report import REPORT_NAME, Compared, Scored, make_report
from flows.stages.evaluation import STAGE, asked_in, is_told, read_outcomes, read_results
from flows.stages.held_against import pair_with_bases
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
    current = {run: record for run, record in runs.items() if run not in stale}
    pairs, unpaired = pair_with_bases(current, read_runs(build, TRAINING))
    scored = Scored(
        results=[row for row in results if row.run not in baselines],
        baselines=[row for row in results if row.run in baselines],
        facts={
            run: {"left out": stale[run]} if run in stale else _facts(record)
            for run, record in runs.items()
        },
        scopes={run: scope for run, record in current.items() if (scope := scope_of(record))},
        compared=[_compared_as_far(build, runs, *pair) for pair in pairs],
        unpaired=unpaired,
    )
    replace_report(build, STAGE, make_report(scored))
    return report_path(build)


def why_stale(build: Build, record: RunRecord) -> str:
    """Return what a run was scored on that isn't there any more; empty where all is.

    Pictures and files outside of the build are looked at when it is scored again, not here.
    """
    again = f"run `saber evaluate {_embedder(record)}` again"
    if not is_told(record):
        return f"recorded by an earlier version, without what it was asked; {again}"
    now: dict[str, JsonValue] = {"benchmark": _contents(build, "benchmark")}
    if "dataset" in record.inputs:
        now["dataset"] = _contents(build, "dataset")
    trained = trained_name(_embedder(record))
    if trained:
        there = trained.run in read_runs(build, TRAINING)
        now["adapters"] = _contents(build, TRAINING, f"{trained.run}/") if there else None
    lost = [name for name, found in now.items() if found is None]
    if lost:
        return f"scored on {' and '.join(lost)} that the build lacks now; when it's there, {again}"
    earlier = [name for name, found in now.items() if record.inputs.get(name) != found]
    return f"scored on earlier {' and '.join(earlier)}; {again}" if earlier else ""


def _contents(build: Build, stage: Stage, below: str = "") -> str | None:
    """Return the checksum of what a stage holds; None where the build has it no more."""
    return contents(build, stage, below) if stage in build.finished_stages() else None


def scope_of(record: RunRecord) -> str:
    """Return what part of SABER a run was asked; empty where it was all."""
    parts = [one for one in asked_in(record) if one.questions < one.of_questions]
    shown = _each_once(_part(one.questions, one.of_questions) for one in parts)
    return f"{shown} questions" if shown else ""


def compare_runs(build: Build, before: str, after: str, seed: int = 0) -> Compared:
    """Return what the run `after` has over the run `before`, with 95 % intervals.

    Either may be named by its embedder, where one run alone has scored that.

    Raises BuildMissingError where one isn't there, SettingsError where they weren't asked the same.
    """
    before, after = (_called(build, name) for name in (before, after))
    records = [find_run(build, STAGE, run, "saber evaluate") for run in (before, after)]
    for what in ("benchmark", "dataset", "pictures"):
        found = {record.inputs.get(what) for record in records} - {None}
        if len(found) > 1:
            raise SettingsError(
                f"{before} and {after} were scored on different {what}: evaluate both again on "
                "what the build holds now"
            )
    first, second = read_outcomes(build, before), read_outcomes(build, after)
    comparisons = compare(first, second, _units(build, [*first, *second]), seed=seed)
    left_out = disagreements(first, second)
    return Compared(before, after, comparisons, {str(key): why for key, why in left_out.items()})


def _called(build: Build, name: str) -> str:
    """Return the run of that name, or the one that scored the embedder of that name."""
    runs = read_runs(build, STAGE)
    if name in runs:
        return name
    scored = [run for run, record in runs.items() if _embedder(record) == name]
    return scored[0] if len(scored) == 1 else name


def _compared_as_far(
    build: Build, runs: Mapping[str, RunRecord], before: str, after: str
) -> Compared:
    """Return what of two runs can be compared, and why the rest can't: a report fails by neither.

    The runs are there, and so is much that a reader wants of them.
    """
    pictures = {runs[run].inputs.get("pictures") for run in (before, after)} - {None}
    first, second = read_outcomes(build, before), read_outcomes(build, after)
    left_out = disagreements(first, second, same_pictures=len(pictures) < 2)
    first, second = without(first, left_out), without(second, left_out)
    comparisons = compare(first, second, _units(build, [*first, *second])) if first else ()
    return Compared(before, after, comparisons, {str(key): why for key, why in left_out.items()})


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


def _embedder(record: RunRecord) -> str:
    return str(record.settings["embedder"])


def _facts(record: RunRecord) -> dict[str, str]:
    asked = asked_in(record)
    looked = [f"{each.pictures:,} ({each.pairing})" for each in asked if each.pictures]
    facts = {
        "questions": _each_once(_part(one.questions, one.of_questions) for one in asked),
        "gallery": _each_once(_part(one.gallery, one.of_gallery) for one in asked),
        "pictures": ", ".join(looked) or "none",
        "revision": record.facts["revision"],
        "instruction": record.facts["instruction"],
    }
    return {name: str(value) for name, value in facts.items() if value is not None}


def _part(some: int, of: int) -> str:
    return f"{some:,}" if some == of else f"{some:,} of {of:,}"


def _each_once(texts: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(texts))
