"""A finished build validated from its bytes up, and repaired where it failed: the nightly stage.

First every listed file by its checksum, then, where all are whole, every rule. What failed is
marked in the manifests, repaired from the log, and validated again. What isn't finished is not
judged. Knows builds one at a time; who holds them and who is told is the flow's business.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from artifacts.builds import STAGES, Build
from artifacts.errors import DamagedFileError, SaberError
from artifacts.files import FileEntry
from artifacts.manifest import Manifest, Stage, read_manifest
from artifacts.reports import RuleReport
from artifacts.settings import DatasetSettings
from artifacts.shards import shard_states
from flows.logs import log_event
from flows.progress import Progress
from flows.stages.benchmark import check_benchmark
from flows.stages.benchmark_repair import remake_benchmark, repair_benchmark
from flows.stages.build_repair import repair_dataset
from flows.stages.dataset_check import check_dataset, failing_shards
from flows.stages.marking import mark_failed, stage_manifests
from flows.stages.repairing import Repair
from flows.stages.run_repair import repair_runs
from flows.stages.unfinished import require_manifest, why_unfinished

#: A repair of bytes brings rows back that the rules are still to judge, so there may be a second.
_MOST_REPAIRS = 2


@dataclass(slots=True)
class StageNight:
    """What one night did to one stage of a build."""

    build: str
    stage: str
    #: whole, repaired, failed; or skipped, where the stage isn't finished.
    outcome: str = "whole"
    #: Why it was skipped, or why it is failed still.
    why: str = ""
    #: What was found, by file: missing, short, corrupt, failed.
    found: dict[str, str] = field(default_factory=dict)
    #: The rules that were broken, each with what it found first.
    broken: dict[str, str] = field(default_factory=dict)
    repairs: list[Repair] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Findings:
    """What one look at a stage found; nothing where it is whole."""

    files: dict[str, str]
    rules: list[RuleReport]

    def __bool__(self) -> bool:
        return bool(self.files or self.rules)


@dataclass(frozen=True, slots=True)
class _Stage:
    """How a stage is judged and repaired."""

    rules: Callable[[], list[RuleReport]]
    #: Names of the files with rows that break a rule.
    failing: Callable[[], set[str]]
    repair: Callable[[], list[Repair]]


def watch_build(build: Build, settings: DatasetSettings, progress: Progress) -> list[StageNight]:
    """Validate and repair every stage that `build` has; raises for nothing that is wrong with it.

    The caller holds the build. `settings` names the words of a dataset, as for `repair_build`.
    """
    begun = [stage for stage in STAGES if (build.path / stage).is_dir()]
    return [_watch(build, stage, settings, progress) for stage in begun]


def _watch(build: Build, stage: Stage, settings: DatasetSettings, progress: Progress) -> StageNight:
    night = StageNight(build.name, stage)
    progress.step(f"validating the {stage} of build {build.name}")
    try:
        reason = why_unfinished(build, stage)
        if reason:
            night.outcome, night.why = "skipped", reason
        else:
            _validate_and_repair(build, _ways(build, stage, settings, progress), night)
    except SaberError as error:
        night.outcome, night.why = "failed", str(error)
    log_event(
        f"{stage} {night.outcome}",
        build.name,
        found=len(night.found),
        broken=len(night.broken),
        repaired=len(night.repairs),
    )
    return night


def _validate_and_repair(build: Build, ways: _Stage, night: StageNight) -> None:
    findings = _examine(build, ways, night)
    for _ in range(_MOST_REPAIRS):
        if not findings:
            break
        repairs = ways.repair()
        night.repairs += repairs
        findings = _examine(build, ways, night)
        if not repairs:
            break
    if findings:
        first = next(iter(findings.rules), None)
        rest = f"{first.rule}: {first.examples[0]}" if first else ", ".join(findings.files)
        night.outcome, night.why = "failed", f"still failing after the repair: {rest}"
    elif night.repairs:
        night.outcome = "repaired"


def _examine(build: Build, ways: _Stage, night: StageNight) -> _Findings:
    """Look at the bytes, then at the rules; mark what failed and add it to the night's findings."""
    files = dict(_damaged(build, night.stage))
    reports = [] if files else [report for report in ways.rules() if report.failed]
    failing = ways.failing() if reports else set[str]()
    if not files:
        mark_failed(build, night.stage, failing)
    found = files | dict.fromkeys(sorted(failing), "failed")
    night.found = found | night.found
    for report in reports:
        night.broken.setdefault(report.rule, f"{report.failed:,} of {report.checked:,}")
    return _Findings(found, reports)


def _damaged(build: Build, stage: str) -> Iterator[tuple[str, str]]:
    """Yield name and state of every manifest and listed file that isn't as it was written."""
    listed: dict[str, FileEntry] = {}
    for path in stage_manifests(build, stage):
        manifest = _readable(path)
        if manifest is None:
            yield path.relative_to(build.path).as_posix(), "corrupt" if path.exists() else "missing"
        else:
            listed |= {entry.name: entry for entry in manifest.files}
    entries = [listed[name] for name in sorted(listed)]
    for entry, state in zip(entries, shard_states(build.path, entries), strict=True):
        # What an earlier night marked is whole, and judged anew.
        if state not in ("complete", "failed"):
            yield entry.name, state


def _readable(path: Path) -> Manifest | None:
    try:
        return read_manifest(path) if path.exists() else None
    except DamagedFileError:
        return None


def _ways(build: Build, stage: Stage, settings: DatasetSettings, progress: Progress) -> _Stage:
    if stage == "benchmark":
        return _Stage(
            rules=lambda: check_benchmark(build)[0],
            failing=set,
            repair=lambda: repair_benchmark(build) or remake_benchmark(build),
        )
    if stage == "dataset":
        return _Stage(
            rules=lambda: check_dataset(build, settings)[0],
            failing=lambda: failing_shards(build, settings),
            repair=lambda: repair_dataset(build, settings, progress),
        )
    # Nothing here can make a picture again, or a measurement without its model.
    return _Stage(rules=list, failing=set, repair=lambda: _repair_runs(build, stage))


def _repair_runs(build: Build, stage: Stage) -> list[Repair]:
    require_manifest(build, stage)
    return repair_runs(build)
