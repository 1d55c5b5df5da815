"""The audit of a build's examples, or of any file of pairs."""

from pathlib import Path

from artifacts.builds import Build
from artifacts.errors import ValidationFailedError
from artifacts.manifest import read_manifest
from artifacts.settings import DatasetSettings
from flows.stages.dataset_check import read_examples
from flows.stages.dataset_words import load_words
from flows.stages.kept_words import settings_of_build
from flows.stages.shard_files import STAGE
from validators.audit import AuditReport, audit, failed_gates, pairs_of_examples, read_pairs

_COLUMNS = (
    "construction, query, positive, negative_attribute, negative_object, pairs, described_first"
)


def audit_build(build: Build, settings: DatasetSettings, sample: int) -> AuditReport:
    """Audit a finished dataset; raises BuildMissingError if it isn't finished."""
    pairs = pairs_of_examples(read_examples(build, _COLUMNS))
    manifest = read_manifest(build.manifest(STAGE))
    chosen = settings_of_build(build, manifest.settings, settings)
    families = load_words(chosen).plan_words.bank.family_of
    return audit(pairs, family_of=families, max_pairs=sample)


def require_gates(report: AuditReport) -> None:
    """Raise ValidationFailedError naming the gates that failed."""
    failed = failed_gates(report)
    if failed:
        raise ValidationFailedError(f"{len(failed)} gates failed: {'; '.join(failed)}")


def audit_file(path: Path, positive: str, negative: str, sample: int) -> AuditReport:
    """Audit a file of pairs; raises SettingsError or StoreError if it holds none."""
    pairs = read_pairs(path, positive_column=positive, negative_column=negative)
    return audit(pairs, max_pairs=sample)
