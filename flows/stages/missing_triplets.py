"""Why a run of the evaluation has no triplets, though it was asked for them.

Knows what is recorded of runs, and whether a dataset is finished; scores nothing.
"""

from artifacts.builds import Build
from artifacts.model_settings import EvaluationSettings
from flows.stages.runs import RunRecord
from flows.stages.unfinished import why_no_dataset


def why_no_triplets(
    build: Build,
    settings: EvaluationSettings,
    record: RunRecord,
    before: RunRecord | None = None,
) -> str:
    """Return why a run has none, and whether it replaces one that had; empty where none lack."""
    if "dataset" in record.inputs or not _reads_text(settings, record):
        return ""
    had = before is not None and "dataset" in before.inputs
    why = why_no_dataset(build) or "the dataset wasn't finished"
    return f"no triplets were scored{', as they were before' if had else ''}: {why}"


def _reads_text(settings: EvaluationSettings, record: RunRecord) -> bool:
    """Whether triplets are wanted of an embedder that could be asked for any text."""
    modalities = record.facts["modalities"]
    is_stored = settings.embedder.startswith("vectors:")
    embeds = isinstance(modalities, list) and "text" in modalities
    return bool(settings.triplets) and embeds and not is_stored
