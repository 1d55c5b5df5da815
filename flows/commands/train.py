"""`saber train`: finetune an embedder on the triplets."""

from typing import Annotated

import typer

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
from flows.commands.reports import print_json, print_rows

RunOption = Annotated[str | None, typer.Option(help="Name of the run. [default: minilm]")]
PresetOption = Annotated[
    str | None,
    typer.Option(
        help="The backbone: minilm, qwen3-vl-2b, qwen3-vl-8b, or custom. [default: minilm]"
    ),
]
OverlapOption = Annotated[
    str | None,
    typer.Option(
        help="Triplets by the words that SABER has, too: all, none of them, only those. "
        "[default: all]"
    ),
]
TripletsOption = Annotated[
    int | None, typer.Option("--triplets", help="Train on this many. [default: all there are]")
]


def train(
    run: RunOption = None,
    preset: PresetOption = None,
    overlap: OverlapOption = None,
    triplets: TripletsOption = None,
    root: RootOption = None,
    build: BuildOption = None,
    settings: SettingsOption = None,
    force: ForceOption = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Finetune an embedder on the build's triplets: LoRA, then LiNeS.

    Writes two adapters to ROOT/BUILD/training/RUN, as trained and scaled by LiNeS, with curves and
    a card. Stopped at any moment, the same command goes on from its last checkpoint. Everything
    else is in the settings file, section [training]. Needs the extra `train`.
    """
    from flows.orchestration import short_runs
    from flows.progress import showing_progress
    from flows.stages.training import require_same_run
    from flows.training import curve_rows, has_risen, training_flow

    flags: dict[str, object] = {
        "run": run,
        "preset": preset,
        "overlap": overlap,
        "max_triplets": triplets,
    }
    chosen = settings_of(settings, root, build, training=flags)
    if not force:
        require_same_run(build_of(chosen), chosen.training)
    with showing_progress(quiet=quiet), short_runs():
        trained = training_flow(chosen.root, chosen.build, chosen.training, force)
    if json:
        print_json({"run": trained.run, "built": trained.built, "facts": trained.record.facts})
        return
    if not trained.built:
        print("nothing to do: the run has these settings and this dataset already")
    place = build_of(chosen).training / trained.run
    print_rows(f"{trained.record.facts['triplets']:,} triplets, {place}", curve_rows(trained))
    if not has_risen(trained):
        print(
            "warning: the accuracy on validation triplets has not risen; a lower learning_rate or "
            "a larger batch_size may help"
        )
    print(f"score it with `saber evaluate trained:{trained.run}`")
