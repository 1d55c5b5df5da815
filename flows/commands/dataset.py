"""`saber dataset`: build the binding text dataset."""

from typing import Annotated

import typer

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
from flows.commands.reports import print_json, print_parses, print_rows

QuotaOption = Annotated[
    int | None,
    typer.Option(help="Examples of every construction. [default: the paper's, 100,000 in all]"),
]

ParseOption = Annotated[
    bool | None,
    typer.Option(
        "--parse/--no-parse",
        help="Record what spaCy's parser sees in each example. [default: parse]",
        show_default=False,
    ),
]


def dataset(
    root: RootOption = None,
    build: BuildOption = None,
    settings: SettingsOption = None,
    quota: QuotaOption = None,
    parse: ParseOption = None,
    seed: SeedOption = None,
    force: ForceOption = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Build the binding text dataset: seven constructions, every example judged by every rule.

    Writes shards to ROOT/BUILD/dataset. Stopped at any moment, the same command goes on where it
    was; a larger quota continues the build; any other changed setting asks for another --build, or
    --force. More settings are in the settings file, section [dataset].
    """
    from flows.dataset import dataset_flow, stream_rows
    from flows.orchestration import short_runs
    from flows.progress import showing_progress

    chosen = settings_of(
        settings, root, build, dataset={"quota": quota, "seed": seed, "parse": parse}
    )
    with showing_progress(quiet=quiet), short_runs():
        run = dataset_flow(chosen.root, chosen.build, chosen.dataset, force)
    outcome = run.outcome
    counts = outcome.manifest.counts if outcome.manifest else {}
    rows = stream_rows(outcome.streams)
    if json:
        told = {"built": outcome.built, "counts": counts, "constructions": rows}
        print_json({**told, "parses": run.parses})
        return
    if rows:
        print_rows(f"examples in {build_of(chosen).dataset}", rows)
    else:
        print(f"nothing to do: {build_of(chosen).dataset} has these examples already")
    print_parses(run.parses)
