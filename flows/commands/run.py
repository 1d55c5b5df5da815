"""`saber run`: the whole pipeline in one go."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from artifacts.errors import SaberError
from artifacts.reports import RuleReport
from flows.commands.dataset import print_dataset
from flows.commands.options import (
    BuildOption,
    ForceOption,
    JsonOption,
    QuietOption,
    RootOption,
    SettingsOption,
    build_of,
    settings_of,
)
from flows.commands.reports import (
    print_audit,
    print_counts,
    print_json,
    print_parses,
    print_rows,
    print_samples,
    print_statistics,
)
from flows.settings import Settings

if TYPE_CHECKING:
    from flows.pipeline import PipelineRun

#: Examples of every construction unless the settings say otherwise: a build to look at.
_SMALL_QUOTA = 1_000
_SAMPLES = 5


def run(
    full: Annotated[
        bool, typer.Option("--full", help="Build the paper's 100,000 examples, not 7,000.")
    ] = False,
    skip: Annotated[
        list[str] | None,
        typer.Option(
            help="Leave a stage out: benchmark, dataset, validation, audit, training, evaluation, "
            "report. May be given several times."
        ),
    ] = None,
    root: RootOption = None,
    build: BuildOption = None,
    settings: SettingsOption = None,
    force: ForceOption = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Build SABER and the text dataset, check both, train on it, score, show what came out.

    Every stage does only what is missing or has changed, so a second run ends at once and a
    broken-off one goes on. Without --full the dataset has 1,000 examples of each construction, or
    as many as it was begun with where these are more.
    Training needs the extra `train` and is left out where that isn't installed; what is scored
    without it are baselines that need no model.
    """
    from flows.orchestration import short_runs
    from flows.pipeline import pipeline_flow
    from flows.progress import current_progress, showing_progress
    from flows.stages.auditing import require_gates

    chosen, begun = settings_of(settings, root, build, pipeline={"skip": skip or None}), ""
    if not full and chosen.dataset.quota is None:
        chosen, begun = _with_a_small_quota(chosen, force=force)
    if not force:
        refuse_other_settings(chosen)
    with _telling_of_the_dataset(chosen, quiet=json), showing_progress(quiet=quiet), short_runs():
        if begun:
            current_progress().step(begun)
        done = pipeline_flow(chosen, force)
    if json:
        print_json(_as_json(done))
    else:
        _print(chosen, done)
    if done.audit:
        require_gates(done.audit)


@contextmanager
def _telling_of_the_dataset(chosen: Settings, *, quiet: bool) -> Iterator[None]:
    """Print what came of the dataset where the run ends in an error: hours may be in it."""
    from flows.dataset import collecting_runs

    with collecting_runs() as runs:
        try:
            yield
        except SaberError:
            for run in [] if quiet else runs:
                print_dataset(chosen, run)
            raise


def _with_a_small_quota(chosen: Settings, *, force: bool) -> tuple[Settings, str]:
    """Return the settings with a quota that nobody asked for, and what there is to say of it.

    A build that was begun with more keeps its quotas, since it was asked for them.
    """
    from flows.stages.dataset_words import quotas_of
    from flows.stages.quotas import begun_quotas

    small = chosen.dataset.model_copy(update={"quota": _SMALL_QUOTA})
    replaced = force or "dataset" in chosen.pipeline.skip
    begun = {} if replaced else begun_quotas(build_of(chosen))
    more = any(begun.get(name, 0) > quota for name, quota in quotas_of(small).items())
    if not more:
        return chosen.model_copy(update={"dataset": small}), ""
    # What someone has set for a construction is wanted, and is refused where it is less.
    kept = small.model_copy(update={"quotas": begun | small.quotas})
    sizes = sorted(set(quotas_of(kept).values()))
    told = (
        f"{sizes[0]:,} of each construction"
        if len(sizes) == 1
        else f"{sum(quotas_of(kept).values()):,} examples"
    )
    step = f"build {chosen.build!r} was begun with more: {told}"
    return chosen.model_copy(update={"dataset": kept}), step


def refuse_other_settings(chosen: Settings) -> None:
    """The stages ask again; here nothing was made, nor Prefect started, before being refused."""
    from flows.stages.benchmark import require_same_benchmark
    from flows.stages.dataset import require_same_dataset
    from flows.stages.evaluation import require_same_evaluation
    from flows.stages.scored_runs import scored_runs, to_be_trained
    from flows.stages.training import require_same_run, why_untrainable

    build, skip = build_of(chosen), chosen.pipeline.skip
    if "benchmark" not in skip:
        require_same_benchmark(build, chosen.benchmark)
    if "dataset" not in skip:
        require_same_dataset(build, chosen.dataset)
    trains = "training" not in skip and not why_untrainable()
    if trains:
        require_same_run(build, chosen.training)
    if "evaluation" not in skip:
        trained = to_be_trained(chosen.training) if trains else None
        for each in scored_runs(chosen.evaluation, chosen.pipeline.embedders, trained):
            require_same_evaluation(build, each)


def _rules(done: "PipelineRun") -> list[RuleReport]:
    return [*(done.benchmark.reports if done.benchmark else []), *done.dataset_rules]


def _as_json(done: "PipelineRun") -> dict[str, object]:
    from flows.evaluation import summary_rows

    return {
        "statistics": done.statistics,
        "rules": _rules(done),
        "audit": done.audit,
        "evaluated": summary_rows(done.evaluated),
        "report": str(done.report) if done.report else None,
        "skipped": done.skipped,
    }


def _print(chosen: Settings, done: "PipelineRun") -> None:
    """Print what every stage found, in their order."""
    from flows.stages.sampling import sample_examples

    build = build_of(chosen)
    if done.benchmark:
        print_counts(f"SABER in {build.benchmark}", done.benchmark.outcome.manifest.counts)
    if done.statistics:
        print_statistics(f"examples in {build.dataset}", done.statistics)
    if done.dataset:
        print_parses(done.dataset.parses)
    if done.audit:
        print_audit(done.audit)
    if done.dataset:
        print_samples(sample_examples(build, _SAMPLES))
    print_evaluations(done)
    rules = _rules(done)
    checked = sum(report.checked for report in rules)
    print(f"{len(rules)} rules passed on {checked:,} checks; build {chosen.build!r} is ready")


def print_evaluations(done: "PipelineRun") -> None:
    """Print the leading figures of what was scored, and what was left out and why."""
    from flows.evaluation import summary_rows

    if done.evaluated:
        print()
        print_rows("scored, in percent", summary_rows(done.evaluated))
        print("bigrams know adjacency alone: on templated captions that is enough for 100 %")
    for why in dict.fromkeys(run.left_out for run in done.evaluated if run.left_out):
        print(why)
    for stage, why in done.skipped.items():
        print(f"no {stage}: {why}")
    if done.report:
        print(f"report: {done.report}")
