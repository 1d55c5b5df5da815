"""`saber audit`: what a scorer that never sees the query could exploit."""

from pathlib import Path
from typing import Annotated

import typer

from artifacts.builds import find_build
from flows.commands.options import (
    BuildOption,
    JsonOption,
    RootOption,
    SettingsOption,
    settings_of,
)
from flows.commands.reports import print_audit, print_json


def audit(
    pairs: Annotated[
        Path | None,
        typer.Argument(help="Audit this file of pairs instead: Parquet, CSV, JSON or JSON lines."),
    ] = None,
    positive: Annotated[
        str, typer.Option(help="Column of the positive, in a file of pairs.")
    ] = "positive",
    negative: Annotated[
        str, typer.Option(help="Column of the negative, in a file of pairs.")
    ] = "negative",
    sample: Annotated[
        int, typer.Option(min=0, help="Most pairs that one fit learns from; 0: all.")
    ] = 60_000,
    root: RootOption = None,
    build: BuildOption = None,
    settings: SettingsOption = None,
    json: JsonOption = False,
) -> None:
    """Measure what a caption-only scorer can exploit, in a build or in any file of pairs.

    Logistic regressions on surface features, word n-grams and a bag of words guess which caption
    of a pair is the positive; duplicates, vocabulary and positions are counted. Gates hold over
    all constructions pooled, from 10,000 pairs up; exits 1 when one fails.
    """
    from flows.stages.auditing import audit_build, audit_file, require_gates

    chosen = settings_of(settings, root, build)
    if pairs is not None:
        report = audit_file(pairs, positive, negative, sample)
    else:
        found = find_build(chosen.root, chosen.build)
        report = audit_build(found, chosen.dataset, sample)
    if json:
        print_json(report)
    else:
        print_audit(report)
    require_gates(report)
