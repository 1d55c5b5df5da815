"""The evaluation stage: an embedder is scored on SABER and on triplets that nobody trained on.

Knows what a run reads, what of it is recorded, and where the figures go; how they come about is
the evaluation package's business.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import get_args

from pydantic import JsonValue, TypeAdapter, ValidationError

from artifacts.builds import Build
from artifacts.errors import BuildConflictError, SettingsError
from artifacts.manifest import Stage, fingerprint
from artifacts.model_settings import EvaluationSettings, RunName
from artifacts.parquet import write_table
from artifacts.records import Outcome, Record, Result
from artifacts.schema import to_stored_table
from evaluation.embedders.adapters import Adapter, trained_name
from evaluation.embedders.baselines import Bigrams
from evaluation.embedders.embedder import Embedder, Modality
from evaluation.embedders.opening import open_embedder, takes_instruction, takes_revision
from evaluation.pictures import Pictures, find_pictures
from evaluation.saber import Saber, load_saber
from flows.logs import log_event
from flows.progress import Progress
from flows.stages.local_models import local_checksum
from flows.stages.missing_triplets import why_no_triplets
from flows.stages.runs import (
    RunRecord,
    contents,
    is_current,
    publish_run,
    read_records,
    read_runs,
    require_same_settings,
    require_whole,
    unfinished_folder,
)
from flows.stages.scoring import (
    Asked,
    Figures,
    Sources,
    looks_at_pictures,
    possible_pairings,
    score_saber,
    score_triplets,
)
from flows.stages.training import STAGE as TRAINING
from flows.stages.training import find_trained
from trainer.training import ADAPTER, LINES_ADAPTER

STAGE: Stage = "evaluation"
#: Below the root, beside the builds: the same text has the same vector in all of them.
CACHE_FOLDER = ".embeddings"

_ASKED = TypeAdapter(tuple[Asked, ...])
_RUN_NAME: TypeAdapter[str] = TypeAdapter(RunName)
_MODALITIES: tuple[Modality, ...] = get_args(Modality)
#: Where the rest of a specification may be a file or folder.
_LOCAL = re.compile(r"(?:st:|vectors:|open-clip:[^/]+/)(.+)", re.DOTALL)
#: What may differ without making it another run.
_OPERATION = frozenset({"run", "images", "batch_size", "device", "threads", "cache"})


@dataclass(frozen=True, slots=True)
class EvaluatedRun:
    """A run that is there now, and whether it was made just now."""

    run: str
    record: RunRecord
    results: list[Result]
    built: bool
    #: Why no triplets were scored that were asked for; empty where none are missing.
    left_out: str = ""


def evaluate(
    build: Build, settings: EvaluationSettings, progress: Progress, *, force: bool = False
) -> EvaluatedRun:
    """Score the embedder that the settings name; does nothing where the run is there already.

    Scores anew where the benchmark, the dataset, the pictures or the model's files have changed.
    Raises BuildConflictError where the build holds a run of that name made with other settings,
    unless `force` is given, BuildMissingError where there is no finished benchmark.
    """
    run = run_name(settings)
    pictures = find_pictures(settings.images) if settings.images else None
    inputs = _inputs(build, settings, pictures)
    there = None if force else _current(build, settings, inputs)
    if there is not None:
        why = why_no_triplets(build, settings, there)
        return EvaluatedRun(run, there, read_results(build, run), built=False, left_out=why)
    saber = load_saber(build)
    progress.step(f"opening {settings.embedder}")
    embedder = _open(build, settings, saber)
    read = _record(settings, inputs, embedder.modalities)
    figures = Figures(run, embedder.name)
    sources = Sources(pictures, stored=_is_stored(settings))
    asked = score_saber(figures, saber, embedder, settings, sources, progress)
    if "dataset" in read.inputs:
        score_triplets(figures, build, embedder, settings, progress)
    record = read.model_copy(update={"facts": _facts(embedder, asked)})
    why = why_no_triplets(build, settings, record, read_runs(build, STAGE).get(run))
    _publish(build, run, record, figures)
    log_event("run evaluated", build.name, results=len(figures.results))
    return EvaluatedRun(run, record, figures.results, built=True, left_out=why)


def run_name(settings: EvaluationSettings) -> str:
    """Return the name of the run: as set, or made from the embedder's, of a file from its stem."""
    kind, _, argument = settings.embedder.partition(":")
    embedder = f"{kind}-{Path(argument).stem}" if kind == "vectors" else settings.embedder
    made = re.sub(r"[^A-Za-z0-9._]+", "-", embedder).strip("-.")[:100]
    try:
        return settings.run or _RUN_NAME.validate_python(made)
    except ValidationError as error:
        raise SettingsError(
            f"evaluation.run: expected a name that a run may have, found {made!r}, made from "
            f"{settings.embedder}; set another with --run"
        ) from error


def read_results(build: Build, run: str | None = None) -> list[Result]:
    """Return the figures of a finished run, or of all."""
    return read_records(build, Result, run)


def read_outcomes(build: Build, run: str) -> list[Outcome]:
    """Return what each question and triplet scored in a finished run."""
    return read_records(build, Outcome, run)


def require_same_evaluation(build: Build, settings: EvaluationSettings) -> None:
    """Raise BuildConflictError as `evaluate` would; reads none of what it scores."""
    run = run_name(settings)
    known = _modalities(read_runs(build, STAGE).get(run), settings)
    require_same_settings(build, STAGE, run, _recorded(settings, known))


def is_told(record: RunRecord) -> bool:
    """Whether it is recorded what was asked: not in runs of the first version."""
    return "asked" in record.facts


def asked_in(record: RunRecord) -> tuple[Asked, ...]:
    """Return what each pairing of a run was asked."""
    return _ASKED.validate_python(record.facts["asked"])


def _current(
    build: Build, settings: EvaluationSettings, inputs: dict[str, JsonValue]
) -> RunRecord | None:
    """Return the run that is there already, if it is just the one that is wanted.

    Raises BuildConflictError where it was made with other settings.
    """
    run = run_name(settings)
    found = read_runs(build, STAGE).get(run)
    wanted = _record(settings, inputs, _modalities(found, settings))
    if is_current(build, STAGE, run, wanted) and found is not None and is_told(found):
        return found
    return None


def _modalities(found: RunRecord | None, settings: EvaluationSettings) -> Collection[Modality]:
    """Return what the embedder embeds, as a run of it says: opening it takes long; else all."""
    if found is None or found.settings["embedder"] != settings.embedder or not is_told(found):
        return _MODALITIES
    recorded = found.facts["modalities"]
    return [each for each in _MODALITIES if isinstance(recorded, list) and each in recorded]


def _open(build: Build, settings: EvaluationSettings, saber: Saber) -> Embedder:
    def adapter_of(run: str, scaled: bool) -> Adapter:
        facts = find_trained(build, run).facts
        require_whole(build, TRAINING, run)
        return Adapter(
            base=str(facts["base"]),
            revision=_text(facts["revision"]),
            folder=build.training / run / (LINES_ADAPTER if scaled else ADAPTER),
            instruction=_text(facts["prompt"]),
        )

    return open_embedder(
        settings,
        bigrams=lambda: Bigrams(saber.attributes, saber.objects),
        adapter_of=adapter_of,
        cache=build.root / CACHE_FOLDER,
    )


def _record(
    settings: EvaluationSettings, inputs: dict[str, JsonValue], modalities: Collection[Modality]
) -> RunRecord:
    """Return what an embedder of these modalities is scored by, and what of the inputs it reads."""
    read = {
        "dataset": "text" in modalities and not _is_stored(settings),
        "pictures": _looks(settings, modalities),
    }
    return RunRecord(
        settings=_recorded(settings, modalities),
        inputs={name: found for name, found in inputs.items() if read.get(name, True)},
    )


def _recorded(
    settings: EvaluationSettings, modalities: Collection[Modality]
) -> dict[str, JsonValue]:
    """Return the settings that the figures come from: one without an effect makes no other run."""
    recorded: dict[str, JsonValue] = settings.model_dump(mode="json", exclude=set(_OPERATION))
    if not takes_revision(settings.embedder):
        recorded["revision"] = None
    if not takes_instruction(settings.embedder):
        recorded["instruction"] = None
    # Where pictures lie may change; with them and without are two runs.
    return {**recorded, "with_pictures": _looks(settings, modalities)}


def _looks(settings: EvaluationSettings, modalities: Collection[Modality]) -> bool:
    """Whether pictures are looked at, or decide on what is asked."""
    pairings = settings.pairings or possible_pairings(modalities)
    return settings.images is not None and any(map(looks_at_pictures, pairings))


def _inputs(
    build: Build, settings: EvaluationSettings, pictures: Pictures | None
) -> dict[str, JsonValue]:
    """Return checksums of all that the run may read, whatever its embedder embeds."""
    inputs: dict[str, JsonValue] = {"benchmark": contents(build, "benchmark")}
    if settings.triplets and "dataset" in build.finished_stages():
        inputs["dataset"] = contents(build, "dataset")
    if pictures is not None:
        inputs["pictures"] = fingerprint({key: one.sha256 for key, one in pictures.items()})
    trained, local = trained_name(settings.embedder), _LOCAL.fullmatch(settings.embedder)
    if trained:
        inputs["model"] = _same_base(trained.run, find_trained(build, trained.run))
        inputs["adapters"] = contents(build, TRAINING, f"{trained.run}/")
    elif local:
        inputs["model"] = local_checksum(local[1])
    return inputs


def _same_base(run: str, record: RunRecord) -> str | None:
    """Return the checksum of a local base; raises BuildConflictError if it isn't what it was."""
    base = str(record.facts["base"])
    found = local_checksum(base)
    if found != record.inputs.get("model"):
        raise BuildConflictError(
            f"the model {base} has changed since the run {run!r} was trained on it; restore it, or "
            "train again"
        )
    return found


def _is_stored(settings: EvaluationSettings) -> bool:
    return settings.embedder.startswith("vectors:")


def _facts(embedder: Embedder, asked: Sequence[Asked]) -> dict[str, JsonValue]:
    return {
        "model": embedder.name,
        "identity": embedder.identity,
        "revision": embedder.revision,
        "instruction": embedder.instruction,
        "modalities": [*sorted(embedder.modalities)],
        "asked": [asdict(each) for each in asked],
    }


def _publish(build: Build, run: str, record: RunRecord, figures: Figures) -> None:
    folder = unfinished_folder(build, STAGE, run).relative_to(build.path)
    tables: dict[str, str] = {}
    rows: tuple[tuple[type[Record], list[Result] | list[Outcome]], ...] = (
        (Result, figures.results),
        (Outcome, figures.outcomes),
    )
    for record_type, records in rows:
        name = f"{record_type.view}.parquet"
        table = to_stored_table(record_type, records)
        write_table(build.path, f"{folder.as_posix()}/{name}", record_type.view, table)
        tables[name] = record_type.view
    publish_run(build, STAGE, run, record, tables)


def _text(value: JsonValue) -> str | None:
    return None if value is None else str(value)
