"""`saber benchmark`: build SABER."""

from flows.commands.options import (
    BuildOption,
    ForceOption,
    JsonOption,
    QuietOption,
    RootOption,
    SeedOption,
    SettingsOption,
    build_of,
    settings_of,
)
from flows.commands.reports import print_counts, print_coverage, print_json


def benchmark(
    root: RootOption = None,
    build: BuildOption = None,
    settings: SettingsOption = None,
    seed: SeedOption = None,
    force: ForceOption = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Build the SABER benchmark: questions, candidates, captions, image prompts, relevance.

    Writes Parquet to ROOT/BUILD/benchmark and checks it by rules of its own. A second run with the
    same settings does nothing; with other settings it asks for another --build, or --force.
    Sizes, N and the vocabulary are set in the settings file, section [benchmark].
    """
    from flows.benchmark import benchmark_flow
    from flows.orchestration import short_runs
    from flows.progress import showing_progress
    from flows.stages.benchmark import require_same_benchmark

    chosen = settings_of(settings, root, build, benchmark={"seed": seed})
    if not force:
        # The flow asks again; here nobody has waited for Prefect to start before being refused.
        require_same_benchmark(build_of(chosen), chosen.benchmark)
    with showing_progress(quiet=quiet), short_runs():
        run = benchmark_flow(chosen.root, chosen.build, chosen.benchmark, force)
    counts = run.outcome.manifest.counts
    if json:
        print_json({"built": run.outcome.built, "counts": counts, "coverage": run.coverage})
        return
    print_counts(f"SABER in {build_of(chosen).benchmark}", counts)
    print_coverage(run.coverage)
    checked = sum(report.checked for report in run.reports)
    print(f"{len(run.reports)} rules passed on {checked:,} checks")
    if not run.outcome.built:
        print("nothing to do: the build has these settings already")
