"""The `saber` command line as a user meets it: exit codes, one-line errors, what is printed."""

import csv
import io
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from artifacts.builds import Build
from artifacts.dictionary import data_dictionary
from artifacts.records import Question
from flows.cli import app, main
from tests.flows.builds import SMALL_TOML, contents, edit_and_sign, move_answers

SABER = [sys.executable, "-c", "from flows.cli import main; main()"]
COMMANDS = [
    command.name or command.callback.__name__.replace("_", "-")
    for command in app.registered_commands
    if command.callback
]


class Saber:
    """Runs `saber` in this process, in a folder of its own, as if from a shell."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capfd = capfd

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        """Return exit code, standard output and standard error."""
        self._monkeypatch.setattr(sys, "argv", ["saber", *arguments])
        self._capfd.readouterr()
        with pytest.raises(SystemExit) as caught:
            main()
        output, errors = self._capfd.readouterr()
        assert "Traceback" not in errors
        return int(caught.value.code or 0), output, errors

    def fails(self, code: int, *arguments: str) -> str:
        """Return the one line that it says on standard error."""
        found, output, errors = self(*arguments)
        assert (found, output) == (code, "")
        assert errors.count("\n") == 1
        assert errors.startswith("saber: ")
        return errors.removeprefix("saber: ").rstrip("\n")


@pytest.fixture
def saber(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Saber:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SABER_ROOT", str(tmp_path / "builds"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "saber.toml").write_text(SMALL_TOML)
    return Saber(monkeypatch, capfd)


# ---- usage ----


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_and_its_options(saber: Saber, command: str) -> None:
    code, output, errors = saber(command, "--help")
    assert (code, errors) == (0, "")
    assert f"saber {command}" in output
    for option in ("--build", "--root", "--settings", "--help"):
        assert option in output


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_help_names_every_command_and_the_exit_codes(
    saber: Saber, arguments: tuple[str, ...]
) -> None:
    code, output, _ = saber(*arguments)
    assert code == 0
    assert "Exit codes: 0 done, 1 a build or a check failed" in output
    assert all(command in output for command in COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("bogus",), "No such command 'bogus'; see --help"),
        (("benchmark", "--bogus"), "No such option: --bogus; see --help"),
        (("benchmark", "extra"), "Got unexpected extra argument"),
        (("benchmark", "--seed", "x"), "Invalid value for '--seed'"),
        (("benchmark", "--seed"), "Option '--seed' requires an argument"),
        (("sql", "--format", "xml", "SELECT 1"), "Invalid value for '--format'"),
        (("benchmark", "--seed", "-1"), "command line: benchmark.seed: input should be greater"),
        (("validate", "--build", "../x"), "build name '../x': expected letters, digits"),
        (("validate", "--settings", "nowhere.toml"), "nowhere.toml: expected a settings file"),
        (("sql",), 'expected a query, found none: saber sql "SELECT …", or --schema'),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    saber: Saber, arguments: tuple[str, ...], said: str
) -> None:
    assert saber.fails(2, *arguments).startswith(said)


@pytest.mark.parametrize("command", ["validate", "benchmark"])
def test_a_bad_settings_file_is_exit_code_2(saber: Saber, command: str) -> None:
    Path("saber.toml").write_text("[benchmark]\nsed = 1\n")
    assert saber.fails(2, command) == (
        "saber.toml: benchmark.sed: unknown setting (did you mean 'seed'?); see saber.toml for "
        "those there are"
    )


@pytest.mark.parametrize("arguments", [("validate",), ("sql", "SELECT 1")])
def test_no_build_is_exit_code_1_and_names_those_there_are(
    saber: Saber, built: Build, arguments: tuple[str, ...]
) -> None:
    said = saber.fails(1, *arguments, "--build", "mian")
    assert said == f"no build 'mian' below {built.root}; there: main"


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
def test_a_signal_before_there_is_anything_to_say_is_one_line(
    saber: Saber, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, code: int, said: str
) -> None:
    monkeypatch.setattr("flows.commands.status.list_builds", lambda *_: signal.raise_signal(number))
    assert saber.fails(code, "status").startswith(f"{said}; the same command goes on")


def test_a_dataset_build_that_is_terminated_says_so_and_goes_on(tmp_path: Path) -> None:
    command = [*SABER, "dataset", "--no-parse", "--root", str(tmp_path), "--quota", "30000"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        # Its workers are at work, with their queues and events, once one of them has told anything.
        assert any("pair_swap: " in line for line in process.stderr)
        process.terminate()
        errors = process.stderr.read()
    assert process.returncode == 143
    assert errors.splitlines()[-1].startswith("saber: terminated; the same command goes on")
    assert "leaked" not in errors


def test_a_whole_run_that_ends_early_tells_what_came_of_the_dataset(
    saber: Saber, prefect_server: None
) -> None:
    Path("saber.toml").write_text(f"{SMALL_TOML}[dataset]\nquota = 9\nbudget_attempts = 4\n")
    code, output, errors = saber("run", "--quiet", "--skip", "benchmark")
    assert code == 1
    assert "deferred_bind_respective" in output
    assert "7 constructions stopped before their quota" in errors


def test_debug_shows_where_an_error_comes_from(tmp_path: Path) -> None:
    run = subprocess.run(
        [*SABER, "--debug", "sql", "SELECT 1", "--root", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert "Traceback" in run.stderr
    assert "BuildMissingError: no build 'main'" in run.stderr


# ---- benchmark ----


def test_benchmark_builds_prints_and_then_does_nothing(
    saber: Saber, prefect_server: None, tmp_path: Path
) -> None:
    code, output, errors = saber("benchmark")
    assert code == 0
    assert errors.splitlines() == [
        "starting a Prefect server for this run",
        "sampling questions, candidates and captions",
        "writing Parquet",
        "checking every rule against the written files",
    ]
    for line in ("questions 30", "candidates 120", "scenes 150", "objects 232 0 0 1"):
        assert line in [" ".join(row.split()) for row in output.splitlines()]
    assert "rules passed on" in output
    before = contents(tmp_path / "builds" / "main" / "benchmark")
    code, output, _ = saber("benchmark", "--quiet")
    assert code == 0
    assert output.endswith("nothing to do: the build has these settings already\n")
    assert contents(tmp_path / "builds" / "main" / "benchmark") == before


def test_benchmark_speaks_json(saber: Saber, prefect_server: None, built: Build) -> None:
    code, output, errors = saber("benchmark", "--json", "--quiet")
    assert (code, errors) == (0, "")
    found = json.loads(output)
    assert found["built"] is False
    assert found["counts"]["questions"] == 30
    assert [row["kind"] for row in found["coverage"]] == ["objects", "attributes"]


def test_other_settings_are_refused_with_exit_code_1_unless_forced(
    saber: Saber, prefect_server: None, built: Build
) -> None:
    before = contents(built.benchmark)
    said = saber.fails(1, "benchmark", "--quiet", "--seed", "1")
    assert "other settings (seed: 0 there, 1 now)" in said
    assert contents(built.benchmark) == before
    assert saber("benchmark", "--quiet", "--seed", "1", "--force")[0] == 0
    assert contents(built.benchmark) != before


def test_words_that_do_not_suffice_are_exit_code_1(
    saber: Saber, prefect_server: None, words: Path
) -> None:
    Path("saber.toml").write_text(f"[benchmark]\nn_max = 12\nvocabulary = {str(words)!r}\n")
    said = saber.fails(1, "benchmark", "--quiet")
    assert said.startswith("expected at least 12 attributes that may share a scene, found 11")


def test_a_vocabulary_that_is_wrong_is_exit_code_2(
    saber: Saber, prefect_server: None, words: Path
) -> None:
    Path("saber.toml").write_text(f"[benchmark]\nvocabulary = {str(words)!r}\n")
    (words / "objects.toml").write_text('objects = ["kite", "kite"]\n')
    assert "expected each name once" in saber.fails(2, "benchmark", "--quiet")


# ---- validate ----


def test_validate_prints_each_rule_with_its_counts(saber: Saber, built: Build) -> None:
    code, output, errors = saber("validate")
    assert (code, errors) == (0, "")
    rows = [line.split() for line in output.splitlines()]
    assert ["exactly_one_correct_candidate", "30", "0"] in rows
    assert ["articles_follow_the_sound", "150", "0"] in rows
    assert sum(len(row) == 3 and row[2] == "0" for row in rows) == 42


def test_validate_speaks_json(saber: Saber, built: Build) -> None:
    code, output, _ = saber("validate", "--json")
    found = json.loads(output)
    assert code == 0
    assert found["build"] == "main"
    assert {"rule", "checked", "failed", "examples"} == found["rules"][0].keys()
    assert all(rule["failed"] == 0 for rule in found["rules"])


def test_validate_fails_on_a_rule_that_the_rows_break(saber: Saber, built: Build) -> None:
    edit_and_sign(built, Question, move_answers)
    code, output, errors = saber("validate")
    assert code == 1
    assert ["exactly_one_correct_candidate", "30", "30"] in [
        row.split() for row in output.splitlines()
    ]
    assert output.count("exactly_one_correct_candidate: n02-") == 5
    assert errors.startswith("saber: 1 of 42 rules failed: exactly_one_correct_candidate; first: ")
    assert errors.count("\n") == 1


def test_validate_still_prints_json_when_a_rule_fails(saber: Saber, built: Build) -> None:
    edit_and_sign(built, Question, move_answers)
    code, output, errors = saber("validate", "--json")
    failed = [rule["rule"] for rule in json.loads(output)["rules"] if rule["failed"]]
    assert (code, failed) == (1, ["exactly_one_correct_candidate"])
    assert errors.count("\n") == 1


@pytest.mark.parametrize("name", ["scenes.parquet", "manifest.json", "vocabulary/objects.toml"])
def test_validate_finds_an_edited_file(saber: Saber, built: Build, name: str) -> None:
    path = built.benchmark / name
    path.write_bytes(path.read_bytes().replace(b"a", b"e", 1))
    assert f"{name} is damaged" in saber.fails(1, "validate")


# ---- sql ----

QUERY = """
    SELECT n, list(DISTINCT subset ORDER BY subset) AS subsets FROM questions GROUP BY n ORDER BY n
"""


def test_sql_as_json_is_an_array_of_objects(saber: Saber, built: Build) -> None:
    code, output, _ = saber("sql", "--format", "json", QUERY)
    assert code == 0
    assert json.loads(output) == [{"n": n, "subsets": ["independent", "nested"]} for n in (2, 3, 4)]


def test_sql_as_csv_has_a_header_and_a_line_per_row(saber: Saber, built: Build) -> None:
    code, output, _ = saber("sql", "--format", "csv", QUERY)
    rows = list(csv.DictReader(io.StringIO(output)))
    assert code == 0
    assert [row["n"] for row in rows] == ["2", "3", "4"]
    assert json.loads(rows[0]["subsets"]) == ["independent", "nested"]


def test_sql_as_a_table_lines_up(saber: Saber, built: Build) -> None:
    code, output, _ = saber(
        "sql", "SELECT n, count(*) AS questions FROM questions GROUP BY n ORDER BY n"
    )
    assert code == 0
    assert output.splitlines() == ["n  questions", "-  ---------", "2  10", "3  10", "4  10"]


def test_sql_schema_prints_the_data_dictionary_without_a_build(saber: Saber) -> None:
    assert saber("sql", "--schema") == (0, data_dictionary(), "")


@pytest.mark.parametrize(
    "query",
    [
        "COPY scenes TO 'x.parquet'",
        "ATTACH 'x.db'",
        "CREATE TABLE t AS SELECT 1",
        "SELECT 1; SELECT 2",
        "SELECT * FROM read_csv('/etc/passwd')",
        "WITH a AS (COPY (SELECT 1) TO 'x') FROM a",
        "SELECT nonsense FROM questions",
        "SELEC",
        "",
    ],
)
def test_sql_refuses_in_one_line_and_changes_nothing(
    saber: Saber, built: Build, query: str
) -> None:
    before = contents(Path.cwd())
    assert saber.fails(2, "sql", query)
    assert contents(Path.cwd()) == before


def test_sql_says_which_file_is_missing(saber: Saber, built: Build) -> None:
    (built.benchmark / "scenes.parquet").unlink()
    assert "scenes.parquet is damaged" in saber.fails(1, "sql", "SELECT * FROM scenes")
    assert saber("sql", "SELECT count(*) FROM questions")[0] == 0


@pytest.mark.parametrize("lines", [0, 1])
def test_a_reader_that_leaves_early_hears_no_complaint(built: Build, lines: int) -> None:
    query = "SELECT * FROM scenes, range(20)"
    with subprocess.Popen(
        [*SABER, "sql", query, "--root", str(built.root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for _ in range(lines):
            assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == 1


def test_a_full_disk_below_the_output_is_one_line(built: Build) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with full.open("w") as output:
        run = subprocess.run(
            [*SABER, "sql", "SELECT text FROM scenes", "--root", str(built.root)],
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (run.returncode, run.stderr) == (1, "saber: No space left on device\n")


def test_the_installed_command_runs(tmp_path: Path) -> None:
    command = Path(sys.executable).with_name("saber")
    run = subprocess.run([command, "--help"], capture_output=True, text=True, check=False)
    assert run.returncode == 0
    assert "benchmark" in run.stdout


@pytest.mark.parametrize(
    ("imported", "unneeded"),
    [
        ("flows.stages.benchmark", {"prefect"}),
        ("flows.cli", {"prefect", "pyarrow", "duckdb", "numpy", "sklearn", "spacy", "torch"}),
    ],
)
def test_commands_do_not_wait_for_packages_of_others(imported: str, unneeded: set[str]) -> None:
    code = f"import sys, {imported}; print(*{unneeded} & sys.modules.keys())"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split() == []
