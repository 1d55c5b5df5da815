"""The log of a build: what its lines say, where they go, and what never gets into one."""

import logging
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.errors import BuildLockedError, ValidationFailedError
from flows.logs import LOG_NAME, forward, log_event, pass_on, show_log, writing
from flows.progress import Silent
from flows.stages.dataset import build_dataset
from tests.flows.nights import DATASET, DATASET_TOML

LINE = re.compile(
    r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (INFO|ERROR) event="[a-z ]+"( [a-z]+=\S+)+'
)


@pytest.fixture(autouse=True)
def own_handlers() -> Iterator[None]:
    """Leave the project's logger as it was."""
    logger = logging.getLogger("saber")
    before = list(logger.handlers)
    yield
    for handler in set(logger.handlers) - set(before):
        logger.removeHandler(handler)
        handler.close()


@pytest.fixture
def build(tmp_path: Path) -> Build:
    return Build(tmp_path, "main")


def lines(build: Build) -> list[str]:
    return (build.path / LOG_NAME).read_text().splitlines()


def test_a_line_says_build_construction_shard_and_attempts(build: Build) -> None:
    with writing(build, "dataset"):
        log_event(
            "shard written",
            "main",
            construction="pair_swap",
            shard=3,
            attempts=range(3120, 4181),
            accepted=1000,
            rejected=61,
        )
    begins, shard, ends = lines(build)
    assert 'event="dataset begins" build=main' in begins
    assert (
        'event="shard written" build=main construction=pair_swap shard=3 attempts=3120-4180 '
        f"accepted=1000 rejected=61 process={os.getpid()}"
    ) in shard
    assert 'event="dataset ends" build=main' in ends
    assert all(LINE.fullmatch(line) for line in (begins, shard, ends))


def test_an_error_is_told_by_its_kind_and_not_by_its_words(build: Build) -> None:
    with pytest.raises(ValidationFailedError), writing(build, "dataset"):
        raise ValidationFailedError("first: a secret draft")
    assert "ERROR" in lines(build)[-1]
    assert "error=ValidationFailedError" in lines(build)[-1]
    assert "secret" not in "".join(lines(build))


def test_who_comes_second_writes_nothing_into_the_log_of_the_first(build: Build) -> None:
    with writing(build, "dataset"), pytest.raises(BuildLockedError), writing(build, "repair"):
        pytest.fail("wrote")
    assert not any("repair" in line for line in lines(build))


def test_a_build_s_log_is_closed_with_it(build: Build) -> None:
    with writing(build, "dataset"):
        pass
    before = lines(build)
    log_event("shard written", "other")
    assert lines(build) == before


def test_it_rotates(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flows.logs._MOST_BYTES", 400)
    with writing(build, "dataset"):
        for shard in range(20):
            log_event("shard written", "main", shard=shard)
    names = sorted(path.name for path in (build.path / "logs").iterdir())
    assert names == ["saber.log", "saber.log.1", "saber.log.2", "saber.log.3"]


def test_a_line_of_another_process_is_written_as_it_was_there(build: Build) -> None:
    forwarded: list[logging.LogRecord] = []
    forward(forwarded.append)
    log_event("shard written", "main", shard=7)
    record = pickle.loads(pickle.dumps(forwarded.pop()))
    record.process, record.created = 4711, 0.0
    with writing(build, "dataset"):
        pass_on(record)
    line = next(line for line in lines(build) if "shard=7" in line)
    assert LINE.fullmatch(line)
    assert line.startswith("1970-01-01T00:00:00")
    assert line.endswith("process=4711")


def test_lines_go_to_stderr_where_that_is_asked(
    build: Build, capsys: pytest.CaptureFixture[str]
) -> None:
    with writing(build, "benchmark"):
        pass
    assert capsys.readouterr().err == ""
    show_log()
    show_log()
    with writing(build, "benchmark"):
        pass
    assert capsys.readouterr().err.count("benchmark begins") == 1


@pytest.mark.parametrize("processes", [1, 2])
def test_no_draft_is_ever_in_a_line(build: Build, processes: int) -> None:
    settings = DATASET.model_copy(update={"processes": processes})
    with writing(build, "dataset"):
        build_dataset(build, settings, Silent())
    told = lines(build)
    assert sum('event="shard written"' in line for line in told) == 14
    assert all(LINE.fullmatch(line) for line in told)
    with connect(build, {"attempts", "examples"}) as connection:
        drafts = connection.execute("SELECT raw FROM attempts").fetchall()
        texts = connection.execute("SELECT positive, query FROM examples").fetchall()
    words = {word for row in drafts + texts for text in row for word in re.findall(r"\w{6,}", text)}
    values = {value for line in told for value in re.findall(r"=(\S+)", line)}
    assert not words & values


@pytest.mark.parametrize("debug", [False, True])
def test_a_traceback_is_shown_with_debug_only(tmp_path: Path, debug: bool) -> None:
    (tmp_path / "saber.toml").write_text(DATASET_TOML)
    run = subprocess.run(
        [
            *(sys.executable, "-c", "from flows.cli import main; main()"),
            *(["--debug"] if debug else []),
            *("--verbose", "validate", "--build", "none"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert ("Traceback" in run.stderr) is debug
