"""`saber validate`: check a finished build, from the checksums up."""

from artifacts.builds import Build, find_build
from artifacts.errors import BuildMissingError, ValidationFailedError
from artifacts.reports import RuleReport
from flows.commands.options import (
    BuildOption,
    JsonOption,
    RootOption,
    SettingsOption,
    settings_of,
)
from flows.commands.reports import print_coverage, print_json, print_rules, print_statistics
from flows.settings import Settings


def validate(
    root: RootOption = None,
    build: BuildOption = None,
    settings: SettingsOption = None,
    json: JsonOption = False,
) -> None:
    """Check a finished build from its files: checksums, schemas, then every rule.

    Checks the stages that the build has, prints each rule with its count of checked and failed,
    and exits 1 when one failed, or when benchmark or dataset were begun and aren't finished. Of
    training and evaluation every listed file is held against its checksum, and runs that were begun
    and aren't finished are named.
    """
    from flows.stages.publishing import require_passed

    named = settings_of(settings, root, build)
    chosen = find_build(named.root, named.build)
    reports: list[RuleReport] = []
    told: dict[str, object] = {"build": chosen.name}
    if chosen.benchmark.is_dir():
        reports += _check_benchmark(chosen, told, quiet=json)
    if chosen.dataset.is_dir():
        reports += _check_dataset(chosen, named, told, quiet=json)
    if not (reports or chosen.finished_stages()):
        raise BuildMissingError(f"nothing in {chosen.path} to validate; run `saber run`")
    begun = _begun(chosen)
    if json:
        print_json({**told, "rules": reports, "begun": begun})
    elif begun:
        print(f"begun and not finished, so not checked: {', '.join(begun)}")
    require_passed(reports)
    _check_runs(chosen)
    if not json:
        checked = sum(report.checked for report in reports)
        print(f"{len(reports)} rules passed on {checked:,} checks; build {chosen.name!r} is sound")


def _begun(build: Build) -> list[str]:
    from flows.stages.runs import RUN_STAGES, begun_runs

    return [f"{stage} {run}" for stage in RUN_STAGES for run in begun_runs(build, stage)]


def _check_runs(build: Build) -> None:
    """Look at every byte of training and evaluation: no rule is about them."""
    from flows.stages.run_repair import damaged_files
    from flows.stages.runs import RUN_STAGES

    damaged = [entry.name for stage in RUN_STAGES for entry, _ in damaged_files(build, stage)]
    if damaged:
        raise ValidationFailedError(
            f"{len(damaged)} files of training and evaluation aren't as they were written: "
            f"{', '.join(damaged[:5])}; `saber rerun-failed` says what makes them again"
        )


def _check_benchmark(build: Build, told: dict[str, object], *, quiet: bool) -> list[RuleReport]:
    from flows.stages.benchmark import check_benchmark

    reports, coverage = check_benchmark(build)
    told["coverage"] = coverage
    if not quiet:
        print_rules(f"rules on {build.benchmark}", reports)
        print_coverage(coverage)
    return reports


def _check_dataset(
    build: Build, settings: Settings, told: dict[str, object], *, quiet: bool
) -> list[RuleReport]:
    from flows.stages.dataset_check import check_dataset

    reports, statistics = check_dataset(build, settings.dataset)
    told["statistics"] = statistics
    if not quiet:
        print_rules(f"rules on {build.dataset}", reports)
        print_statistics(f"examples in {build.dataset}", statistics)
    return reports
