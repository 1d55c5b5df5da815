"""`saber evaluate` and `saber compare`: figures of one embedder, and of two held side by side."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from evaluation.comparison import Comparison

EmbedderArgument = Annotated[
    str | None,
    typer.Argument(
        help="constant, random, bag-of-words, bigrams, minilm, efficientnet-lite0, st:NAME, "
        "open-clip:ARCHITECTURE/WEIGHTS, openai:MODEL, vectors:FILE, trained:RUN or "
        "trained:RUN/unscaled. [default: bag-of-words]"
    ),
]
ImagesOption = Annotated[
    Path | None, typer.Option(help="Folder of pictures named by their scene_id.")
]


def evaluate(
    embedder: EmbedderArgument = None,
    run: Annotated[
        str | None, typer.Option(help="Name of the run. [default: the embedder's]")
    ] = None,
    images: ImagesOption = None,
    triplets: Annotated[
        int | None,
        typer.Option(min=0, help="Most triplets of each held-out part; 0: none. [default: 2000]"),
    ] = None,
    root: RootOption = None,
    build: BuildOption = None,
    settings: SettingsOption = None,
    force: ForceOption = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Score an embedder on SABER, its scattered captions, and triplets that nobody trained on.

    Writes ROOT/BUILD/evaluation/RUN, and a report of all runs: tables as in the paper, in Markdown
    and LaTeX, plots, and the paper's own figures beside them. Which pairings are scored depends on
    what the embedder embeds and whether there are pictures. The key of an openai: embedder is read
    from SABER_EMBEDDING_KEY. Models need the extra `train`.
    """
    from evaluation.embedders.opening import require_revision_taken
    from flows.evaluation import evaluation_flow, mean_rows
    from flows.orchestration import short_runs
    from flows.progress import showing_progress
    from flows.stages.evaluation import require_same_evaluation
    from flows.stages.reporting import report_path, scope_of

    flags: dict[str, object] = {
        "embedder": embedder,
        "run": run,
        "images": images,
        "triplets": triplets,
    }
    chosen = settings_of(settings, root, build, evaluation=flags)
    require_revision_taken(chosen.evaluation)
    if not force:
        require_same_evaluation(build_of(chosen), chosen.evaluation)
    with showing_progress(quiet=quiet), short_runs():
        evaluated = evaluation_flow(chosen.root, chosen.build, chosen.evaluation, force)
    rows = mean_rows(evaluated.results)
    if json:
        told = {"run": evaluated.run, "built": evaluated.built, "facts": evaluated.record.facts}
        print_json({**told, "means": rows, "left_out": evaluated.left_out or None})
        return
    if not evaluated.built:
        print("nothing to do: the run has these settings and reads these files already")
    scope = scope_of(evaluated.record)
    print_rows(f"{evaluated.run}, means over every N{scope and f'; {scope}'}", rows)
    if evaluated.left_out:
        print(evaluated.left_out)
    print(f"report: {report_path(build_of(chosen))}")


def compare(
    before: Annotated[str, typer.Argument(help="An evaluation run, or what it scored.")],
    after: Annotated[str, typer.Argument(help="Another, held against it.")],
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resamples.")] = 0,
    root: RootOption = None,
    build: BuildOption = None,
    settings: SettingsOption = None,
    json: JsonOption = False,
) -> None:
    """Hold an evaluation run against another: differences with 95 % bootstrap intervals.

    Paired: both must have been asked the same questions. Questions of one chain are drawn together,
    and so are the triplets of one example.
    """
    from flows.stages.reporting import compare_runs

    chosen = settings_of(settings, root, build)
    compared = compare_runs(build_of(chosen), before, after, seed)
    if json:
        told = [
            {**asdict(one), "difference": one.difference, "excludes_zero": one.excludes_zero}
            for one in compared.comparisons
        ]
        print_json({"comparisons": told, "left_out": list(compared.left_out)})
        return
    print_rows(f"{after} against {before}, in percent", _rows(compared.comparisons))
    if compared.left_out:
        print(f"only one of the two has: {', '.join(compared.left_out)}")


def _rows(comparisons: "Sequence[Comparison]") -> list[dict[str, str | float]]:
    return [
        {
            "figure": f"{one.metric} {one.pairing}"
            + ("" if one.subset == "all" else f" {one.subset}"),
            "before": one.before,
            "after": one.after,
            "difference": one.difference,
            "from": "-" if one.low is None else one.low,
            "to": "-" if one.high is None else one.high,
            "not chance": "yes" if one.excludes_zero else "no",
        }
        for one in comparisons
    ]
