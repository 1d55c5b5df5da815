"""A dataset that grows: what is told of it, what goes on with it, and what is refused."""

import json
import shutil
from pathlib import Path

import pytest

from artifacts.builds import Build
from artifacts.errors import BuildConflictError, DamagedFileError
from flows.progress import Progress, Silent
from flows.stages import dataset
from flows.stages.build_repair import repair_build
from flows.stages.dataset import build_dataset
from flows.stages.quotas import begun_quotas
from flows.stages.status import glance_at
from flows.stages.stream_run import StreamJob, StreamOutcome
from flows.stages.unfinished import why_unfinished
from flows.stages.workers import run_jobs
from generators.constructions import CONSTRUCTIONS
from tests.flows.datasets import contents
from tests.flows.llm.builds import Steps
from tests.flows.nights import DATASET
from tests.flows.test_cli import Saber

SMALL = DATASET.model_copy(update={"quota": 4})
EXAMPLES = "dataset/examples/construction={}/00000.parquet"
#: Of what a run has, only the dataset.
ONLY_THE_DATASET = [
    argument
    for stage in ("benchmark", "validation", "audit", "training", "evaluation", "report")
    for argument in ("--skip", stage)
]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Build:
    build = Build(tmp_path_factory.mktemp("small"), "main")
    build_dataset(build, SMALL, Silent())
    return build


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Build:
    build = Build(tmp_path_factory.mktemp("grown"), "main")
    build_dataset(build, DATASET, Silent())
    return build


def copy_of(build: Build, root: Path) -> Build:
    shutil.copytree(build.path, root / "main")
    return Build(root, "main")


@pytest.fixture
def interrupted(small: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    """A small dataset that was to grow, and of which no construction was begun anew."""
    build = copy_of(small, tmp_path / "builds")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(dataset, "run_jobs", interrupt)
        with pytest.raises(KeyboardInterrupt):
            build_dataset(build, DATASET, Silent())
    return build


@pytest.fixture
def saber(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Saber:
    """The command line in a folder whose settings say no quota; a run would make two of each."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SABER_ROOT", str(tmp_path / "builds"))
    monkeypatch.setattr("flows.commands.run._SMALL_QUOTA", 2)
    lines = "shard_rows = 4\nprocesses = 1\nparse = false\nlag = 8\n"
    (tmp_path / "saber.toml").write_text(f"[dataset]\n{lines}")
    return Saber(monkeypatch, capfd)


# ---- growth ----


def test_a_finished_dataset_says_that_it_grows(small: Build, tmp_path: Path) -> None:
    build, steps = copy_of(small, tmp_path), Steps()
    build_dataset(build, DATASET, steps)
    assert steps.steps[0] == (
        "growing build 'main' from 28 to 56 examples: it is unfinished until then"
    )
    again = Steps()
    build_dataset(build, DATASET, again)
    assert again.steps == []


def test_a_new_dataset_doesn_t(tmp_path: Path) -> None:
    steps = Steps()
    build_dataset(Build(tmp_path, "main"), SMALL.model_copy(update={"quota": 1}), steps)
    assert steps.steps[0] == "writing 7 examples in 7 constructions"


def test_constructions_that_are_not_begun_have_the_quota_that_they_grow_to(
    interrupted: Build,
) -> None:
    assert [stream.quota for stream in glance_at(interrupted).streams] == [8] * 7
    assert why_unfinished(interrupted, "dataset").startswith("unfinished: 0 of 7 constructions")


def test_a_repair_leaves_a_dataset_that_is_to_grow_unfinished(interrupted: Build) -> None:
    assert repair_build(interrupted, DATASET, Silent()) == []
    assert not interrupted.manifest("dataset").exists()
    assert begun_quotas(interrupted) == dict.fromkeys(CONSTRUCTIONS, 8)


def test_nothing_is_left_of_the_mark_when_it_is_there(interrupted: Build, grown: Build) -> None:
    build_dataset(interrupted, DATASET, Silent())
    assert contents(interrupted) == contents(grown)
    assert not (interrupted.dataset / ".growing").exists()


def test_validation_says_how_far_it_is(
    interrupted: Build, saber: Saber, monkeypatch: pytest.MonkeyPatch
) -> None:
    def three(jobs: list[StreamJob], processes: int, progress: Progress) -> list[StreamOutcome]:
        run_jobs(jobs[:3], processes, progress)
        raise KeyboardInterrupt

    monkeypatch.setattr(dataset, "run_jobs", three)
    with pytest.raises(KeyboardInterrupt):
        build_dataset(interrupted, DATASET, Silent())
    assert saber.fails(1, "validate") == (
        "build 'main': dataset unfinished: 3 of 7 constructions are complete; "
        "`saber dataset` goes on with it"
    )


# ---- saber run ----


@pytest.mark.usefixtures("prefect_server")
def test_a_run_goes_on_with_the_quotas_that_a_build_was_begun_with(
    interrupted: Build, grown: Build, saber: Saber
) -> None:
    code, _, errors = saber("run", *ONLY_THE_DATASET)
    assert code == 0, errors
    assert "build 'main' was begun with more: 8 of each construction" in errors.splitlines()
    assert contents(interrupted) == contents(grown)
    code, _, errors = saber("run", *ONLY_THE_DATASET)
    assert (code, contents(interrupted)) == (0, contents(grown))


def test_a_quota_that_someone_set_is_not_lowered(
    grown: Build, saber: Saber, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_of(grown, tmp_path / "builds")
    monkeypatch.setenv("SABER_DATASET__QUOTA", "3")
    said = saber.fails(1, "run", *ONLY_THE_DATASET)
    assert "more than the quota of pair_swap (8 examples, 3 wanted)" in said
    assert "`saber run --full` grows it to the paper's 20,000" in said
    monkeypatch.delenv("SABER_DATASET__QUOTA")
    monkeypatch.setenv("SABER_DATASET__QUOTAS", '{"predicative": 5}')
    assert "more than the quota of predicative" in saber.fails(1, "run", *ONLY_THE_DATASET)


def test_what_the_paper_s_size_is_too_small_for_isn_t_told_to_grow_to_it(
    grown: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flows.stages.dataset.CONSTRUCTIONS", dict.fromkeys(CONSTRUCTIONS, _Tiny))
    with pytest.raises(BuildConflictError) as caught:
        build_dataset(grown, SMALL, Silent())
    assert "--full" not in str(caught.value)


class _Tiny:
    quota = 1


# ---- damage ----


def damage(build: Build) -> dict[str, str]:
    """Cut one shard short and take one away; returns their names with what is wrong."""
    short, gone = (EXAMPLES.format(name) for name in ("attr_bundle", "pair_swap"))
    (build.path / short).write_bytes((build.path / short).read_bytes()[:-1])
    (build.path / gone).unlink()
    return {short: "corrupt", gone: "missing"}


@pytest.mark.parametrize("quota", [8, 9])
def test_a_damaged_dataset_is_not_called_complete(grown: Build, tmp_path: Path, quota: int) -> None:
    build = copy_of(grown, tmp_path)
    found = damage(build)
    with pytest.raises(DamagedFileError) as caught:
        build_dataset(build, DATASET.model_copy(update={"quota": quota}), Silent())
    for name, state in found.items():
        assert f"{state} {name}" in str(caught.value)
    assert str(caught.value).endswith("`saber rerun-failed` repairs it")
    assert build.manifest("dataset").exists()


def test_the_command_refuses_it_before_prefect_starts(
    grown: Build, saber: Saber, tmp_path: Path
) -> None:
    damage(copy_of(grown, tmp_path / "builds"))
    said = saber.fails(1, "dataset", "--quota", "8")
    assert said.startswith(f"build {tmp_path / 'builds/main'} is damaged: 2 of ")


@pytest.mark.parametrize("quota", ["0", "-5"])
def test_a_quota_below_one_is_wrong_usage(saber: Saber, tmp_path: Path, quota: str) -> None:
    assert saber.fails(2, "dataset", "--quota", quota).startswith("Invalid value for '--quota'")
    assert not (tmp_path / "builds").exists()


@pytest.mark.usefixtures("prefect_server")
@pytest.mark.parametrize("name", ["pair_swap", "deferred_bind_respective"])
def test_a_dataset_comes_back_when_its_manifest_and_a_construction_s_are_lost(
    grown: Build, saber: Saber, tmp_path: Path, name: str
) -> None:
    build = copy_of(grown, tmp_path / "builds")
    build.manifest("dataset").unlink()
    build.stream(name).write_text("{")
    code, output, errors = saber("rerun-failed", "--quiet")
    assert code == 0, errors
    assert output.splitlines()[0] == "2 files repaired"
    assert contents(build) == contents(grown)


@pytest.mark.usefixtures("prefect_server")
def test_what_stays_unfinished_after_a_repair_is_told_with_exit_code_1(
    grown: Build, saber: Saber, tmp_path: Path
) -> None:
    build = copy_of(grown, tmp_path / "builds")
    for path in (build.manifest("dataset"), build.path / "dataset/splits.parquet"):
        path.unlink()
    build.stream("pair_swap").write_text("{")
    code, output, errors = saber("rerun-failed", "--quiet")
    assert (code, output.splitlines()[0]) == (1, "1 file repaired")
    assert errors == (
        "saber: build 'main': dataset unfinished: 6 of 7 constructions are complete; "
        "`saber dataset` goes on with it\n"
    )
    code, output, _ = saber("rerun-failed", "--quiet", "--json")
    assert (code, json.loads(output)["repairs"]) == (1, [])
    assert json.loads(output)["unfinished"].startswith("dataset unfinished: 6 of 7")
