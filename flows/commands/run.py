"""`saber run`: the whole pipeline in one go."""

from typing import Annotated

import typer

from artifacts.errors import ValidationFailedError
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
    print_samples,
    print_statistics,
)

#: Examples of every construction unless the settings say otherwise: a build to look at.
_SMALL_QUOTA = 1_000
_SAMPLES = 5


def run(
    full: Annotated[
        bool, typer.Option("--full", help="Build the paper's 100,000 examples, not 7,000.")
    ] = False,
    root: RootOption = None,
    build: BuildOption = None,
    settings: SettingsOption = None,
    force: ForceOption = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Build SABER and the text dataset, validate both, audit the dataset, show what came out.

    Every stage does only what is missing, so a second run ends at once and a broken-off one goes
    on. Without --full the dataset has 1,000 examples of each construction.
    """
    from flows.orchestration import short_runs
    from flows.pipeline import pipeline_flow
    from flows.progress import showing_progress
    from flows.stages.sampling import sample_examples
    from validators.audit import failed_gates

    chosen = settings_of(settings, root, build)
    dataset = chosen.dataset
    if not full and dataset.quota is None:
        dataset = dataset.model_copy(update={"quota": _SMALL_QUOTA})
    with showing_progress(quiet=quiet), short_runs():
        done = pipeline_flow(chosen.root, chosen.build, chosen.benchmark, dataset, force)
    samples = sample_examples(build_of(chosen), _SAMPLES)
    rules = done.benchmark.reports + done.dataset_rules
    if json:
        print_json({"statistics": done.statistics, "rules": rules, "audit": done.audit})
    else:
        print_counts(
            f"SABER in {build_of(chosen).benchmark}", done.benchmark.outcome.manifest.counts
        )
        print_statistics(f"examples in {build_of(chosen).dataset}", done.statistics)
        print_parses(done.dataset.parses)
        print_audit(done.audit)
        print_samples(samples)
        checked = sum(report.checked for report in rules)
        print(f"{len(rules)} rules passed on {checked:,} checks; build {chosen.build!r} is ready")
    failed = failed_gates(done.audit)
    if failed:
        raise ValidationFailedError(f"{len(failed)} gates failed: {'; '.join(failed)}")
