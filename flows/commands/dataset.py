"""`saber dataset`: build the binding text dataset."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from artifacts.errors import SaberError, SettingsError
from artifacts.settings import DatasetSettings
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
from flows.commands.reports import print_json, print_parses, print_rows, print_samples
from flows.settings import Settings

if TYPE_CHECKING:
    from flows.dataset import DatasetRun
    from flows.llm.preview import PreviewedAttempt

QuotaOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Examples of every construction. [default: the paper's, 100,000 in all]",
        show_default=False,
    ),
]

ParseOption = Annotated[
    bool | None,
    typer.Option(
        "--parse/--no-parse",
        help="Record what spaCy's parser sees in each example. [default: parse]",
        show_default=False,
    ),
]

WriterOption = Annotated[
    str | None,
    typer.Option(help="embedded, a grammar, or llm, a model behind a server. [default: embedded]"),
]
ServerOption = Annotated[
    str | None, typer.Option(help="Base URL of the model's server. [default: 127.0.0.1:8000/v1]")
]
ModelOption = Annotated[
    str | None, typer.Option(help="The model. [default: google/gemma-4-31b-it]")
]
StyleOption = Annotated[
    str | None,
    typer.Option(
        help="free: the model chooses the words; given: the plan does; bare: given, for a model "
        "that follows no instructions. [default: free]"
    ),
]
BudgetTokensOption = Annotated[
    int | None, typer.Option(help="Most tokens of this run, in and out, of all constructions.")
]
BudgetAttemptsOption = Annotated[
    int | None, typer.Option(help="Most attempts of one construction, over all runs.")
]
PreviewOption = Annotated[
    int | None,
    typer.Option(min=1, help="Show so many attempts with prompts and verdicts; write nothing."),
]


def dataset(
    root: RootOption = None,
    build: BuildOption = None,
    settings: SettingsOption = None,
    quota: QuotaOption = None,
    parse: ParseOption = None,
    seed: SeedOption = None,
    writer: WriterOption = None,
    server: ServerOption = None,
    model: ModelOption = None,
    style: StyleOption = None,
    budget_tokens: BudgetTokensOption = None,
    budget_attempts: BudgetAttemptsOption = None,
    preview: PreviewOption = None,
    force: ForceOption = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Build the binding text dataset: seven constructions, every example judged by every rule.

    Writes shards to ROOT/BUILD/dataset. Stopped at any moment, the same command goes on where it
    was; a larger quota continues the build; any other changed setting asks for another --build, or
    --force. More settings are in the settings file, sections [dataset] and [dataset.llm].

    With --writer llm a model behind any server with an OpenAI API writes the captions. Its key is
    read from SABER_LLM_KEY or OPENAI_API_KEY.
    """
    llm = {"base_url": server, "model": model, "style": style, "budget_tokens": budget_tokens}
    flags: dict[str, object] = {
        "quota": quota,
        "seed": seed,
        "parse": parse,
        "writer": writer,
        "budget_attempts": budget_attempts,
        "llm": {name: value for name, value in llm.items() if value is not None} or None,
    }
    chosen = settings_of(settings, root, build, dataset=flags)
    if preview is not None:
        _preview(chosen.dataset, preview, json=json)
    else:
        _build(chosen, force=force, quiet=quiet, json=json)


def _build(chosen: Settings, *, force: bool, quiet: bool, json: bool) -> None:
    """Run the flow and print what came of it; what ended it early comes last, as an error."""
    from flows.dataset import collecting_runs, dataset_flow
    from flows.orchestration import short_runs
    from flows.progress import showing_progress
    from flows.stages.dataset import require_same_dataset

    if not force:
        # The flow asks again; here nobody has waited for Prefect to start before being refused.
        require_same_dataset(build_of(chosen), chosen.dataset)
    with collecting_runs() as runs:
        why = None
        try:
            with showing_progress(quiet=quiet), short_runs():
                dataset_flow(chosen.root, chosen.build, chosen.dataset, force)
        except SaberError as error:
            why = str(error)
            raise
        finally:
            for run in runs:
                _tell(chosen, run, json=json, why=why)


def _tell(chosen: Settings, run: "DatasetRun", *, json: bool, why: str | None) -> None:
    """Print what a run did; `why` it ended early is part of the JSON."""
    from flows.dataset import stream_rows, usage_rows

    if not json:
        print_dataset(chosen, run)
        return
    rows, usage = stream_rows(run.outcome.streams), usage_rows(run, chosen.dataset)
    print_json({**_as_json(run, rows), "usage": usage, "parses": run.parses, "stopped": why})


def print_dataset(chosen: Settings, run: "DatasetRun") -> None:
    """Print what a run did: accepted and rejected, asked of a server, said by the parser."""
    from flows.dataset import stream_rows, told_of_pending, usage_rows

    rows, usage = stream_rows(run.outcome.streams), usage_rows(run, chosen.dataset)
    folder = build_of(chosen).dataset
    if rows:
        print_rows(f"examples in {folder}", rows)
        print(told_of_pending(run.outcome.streams), end="")
    else:
        print(f"nothing to do: {folder} has these examples already")
    if usage:
        print_rows("asked of the server", usage)
    print_parses(run.parses)


def _as_json(run: "DatasetRun", rows: list[dict[str, str | int]]) -> dict[str, object]:
    """Return what was built, and of each construction why it rejected and stopped, in full."""
    manifest = run.outcome.manifest
    constructions = [
        {**row, "reasons": dict(stream.reasons.most_common()), "stopped": stream.stopped}
        for row, stream in zip(rows, run.outcome.streams, strict=True)
    ]
    return {
        "built": run.outcome.built,
        "counts": manifest.counts if manifest else {},
        "constructions": constructions,
    }


def _preview(settings: DatasetSettings, count: int, *, json: bool) -> None:
    """Print attempts as a build would make them."""
    from flows.llm.identity import require_client

    if settings.writer != "llm":
        raise SettingsError(
            "--preview: expected a model's server to ask, found the embedded writer; add "
            "--writer llm"
        )
    require_client()
    from flows.llm.preview import preview_attempts

    attempts, usage = preview_attempts(settings, count)
    rows = usage.rows(settings.llm)
    if json:
        print_json({"attempts": attempts, "usage": rows})
        return
    for attempt in attempts:
        _print_attempt(attempt)
    print_rows("asked of the server", rows)


def _print_attempt(attempt: "PreviewedAttempt") -> None:
    """Print one attempt part by part; what it becomes looks as in the output of `saber run`."""
    print(f"## {attempt.construction}, attempt {attempt.attempt}")
    for part, text in (("system", attempt.system), ("user", attempt.user), ("reply", attempt.raw)):
        print(f"\n### {part}\n\n{text}")
    print(f"\n### verdict: {attempt.verdict}")
    if attempt.violations:
        print("", *attempt.violations, sep="\n")
    if attempt.verdict == "accepted":
        print_samples([{name: text or "" for name, text in asdict(attempt).items()}])
    print()
