"""docs/operations.md: its commands are commands, and its tables say what the code does.

What it asks of Prefect is run in tests/servers, against real servers.
"""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from typer.main import get_command

from artifacts.builds import Build
from artifacts.settings import ServeSettings
from flows.cli import app, main
from flows.deployments import deployments
from flows.logs import LOG_NAME
from flows.progress import Silent
from flows.stages.build_repair import repair_build
from tests.compose import PROJECT, services, variables
from tests.flows.nights import DATASET, build_both, snapshot
from tests.flows.test_logs import LINE
from tests.servers.running import RECORDER

PAGE = (PROJECT / "docs/operations.md").read_text(encoding="utf-8")
COMMANDS = [
    line.split("  #")[0].strip()
    for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]


def commands(program: str) -> list[str]:
    found = [line for line in COMMANDS if line.startswith(f"{program} ")]
    assert found
    return found


@pytest.mark.parametrize("command", commands("saber"))
def test_every_saber_command_takes_its_options(command: str) -> None:
    name, *arguments = shlex.split(command)[1:]
    group = get_command(app)
    group.commands[name].make_context(name, arguments)  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which builds lie where the page says."""
    folder = tmp_path_factory.mktemp("laptop")
    build_both(folder / "artifacts/data")
    return folder


#: `saber run` builds for minutes at the page's size, `serve` without --list never ends.
ENDING = [line for line in commands("saber") if line not in ("saber run", "saber serve")]


@pytest.mark.parametrize("command", ENDING)
def test_every_saber_command_that_ends_runs(
    finished: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    prefect_server: None,
    command: str,
) -> None:
    monkeypatch.chdir(finished)
    monkeypatch.setattr("sys.argv", shlex.split(command))
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert not ended.value.code, printed.err
    assert printed.out


def test_the_copy_of_the_page_is_a_build_to_go_on_with(finished: Path, tmp_path: Path) -> None:
    (line,) = [each for each in commands("cp") if "--archive" in each]
    elsewhere = tmp_path / "else"
    elsewhere.mkdir()
    command = line.replace("/somewhere/else/", str(elsewhere))
    subprocess.run(shlex.split(command), cwd=finished, check=True)
    copy = Build(elsewhere, "main")
    assert snapshot(copy) == snapshot(Build(finished / "artifacts/data", "main"))
    assert repair_build(copy, DATASET, Silent()) == []


def test_every_program_is_known() -> None:
    assert {command.split()[0] for command in COMMANDS} == {
        *("cp", "docker", "export", "prefect", "saber"),
    }


def test_the_server_s_settings_are_those_of_the_tests_and_of_the_compose_file() -> None:
    told = dict(re.findall(r"^export (PREFECT_SERVER_SERVICES_\w+)=(\d+)$", PAGE, re.MULTILINE))
    assert told == RECORDER


def test_workers_are_started_as_the_compose_file_does() -> None:
    ours = " ".join(services(POSTGRES_PASSWORD="x")["worker"]["command"])
    deploy = services(POSTGRES_PASSWORD="x")["deploy"]["command"][-1]
    start, *_ = [line for line in commands("prefect") if "worker start" in line]
    assert ours.startswith(start)
    for what in ("prefect --no-prompt deploy --all", "work-pool create saber --type process"):
        assert what in PAGE
        assert what in deploy


def test_the_table_of_deployments_is_the_code_s() -> None:
    table = re.findall(r"^\| (\w+) \| [^|]+ \| ?(\d\d:\d\d UTC|) ?\|$", PAGE, re.MULTILINE)
    rows = deployments(ServeSettings())
    assert [name for name, _ in table] == [row.name for row in rows]
    assert [bool(when) for _, when in table] == [row.when.active for row in rows]
    assert dict(table)["nightly"] == "03:00 UTC"
    assert rows[-1].when.cron == "0 3 * * *"


def test_the_log_line_shown_is_one() -> None:
    assert f"<build>/{LOG_NAME}" in PAGE
    (line,) = re.findall(r"^\d{4}-.*event=.*$", PAGE, re.MULTILINE)
    assert LINE.fullmatch(line)


def test_every_link_leads_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (PROJECT / "docs" / target).exists(), target


def test_compose_s_variables_are_named_rightly() -> None:
    for name in re.findall(r"`?(CAPTION_WRITER|POSTGRES_PASSWORD)\b", PAGE):
        assert name in variables()
    assert Path(PROJECT / ".env.example").exists()
