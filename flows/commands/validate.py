"""`saber validate`: check a finished build, from the checksums up."""

from artifacts.builds import find_build
from flows.commands.options import (
    BuildOption,
    JsonOption,
    RootOption,
    SettingsOption,
    settings_of,
)
from flows.commands.reports import print_coverage, print_json, print_rules


def validate(
    root: RootOption = None,
    build: BuildOption = None,
    settings: SettingsOption = None,
    json: JsonOption = False,
) -> None:
    """Check a finished build from its files: checksums, schemas, then every rule.

    Prints each rule with its count of checked and failed, and exits 1 when one failed.
    """
    from flows.stages.benchmark import check_benchmark
    from flows.stages.publishing import require_passed

    named = settings_of(settings, root, build)
    chosen = find_build(named.root, named.build)
    reports, coverage = check_benchmark(chosen)
    if json:
        print_json({"build": chosen.name, "rules": reports, "coverage": coverage})
    else:
        print_rules(f"rules on {chosen.benchmark}", reports)
        print_coverage(coverage)
    require_passed(reports)
