"""Every command and SQL statement of the README runs as written, and what it shows is true."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from artifacts.builds import Build
from artifacts.query import query
from artifacts.settings import BenchmarkSettings
from flows.cli import main
from flows.commands.run import _SMALL_QUOTA
from generators.benchmark import generate_benchmark
from generators.constructions import CONSTRUCTIONS
from vocab.benchmark_words import load_vocabulary

PROJECT = Path(__file__).parent.parent
README = (PROJECT / "README.md").read_text(encoding="utf-8")

#: A build small enough for a test; the README's commands are the same for any size.
SMALL = {
    "SABER_BENCHMARK__INDEPENDENT_PER_N": "2",
    "SABER_BENCHMARK__CHAINS": "2",
    "SABER_DATASET__QUOTA": "6",
    "SABER_DATASET__PROCESSES": "1",
}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def commands(program: str) -> list[str]:
    lines = "".join(blocks("sh")).splitlines()
    return [line.split("  #")[0].strip() for line in lines if line.startswith(f"{program} ")]


@pytest.fixture(scope="module")
def small_build(tmp_path_factory: pytest.TempPathFactory, prefect_server: None) -> Iterator[Build]:
    root = tmp_path_factory.mktemp("readme")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**SMALL, "SABER_ROOT": str(root)}.items():
            patch.setenv(name, value)
        yield Build(root, "main")


def run(command: str, patch: pytest.MonkeyPatch) -> int | str | None:
    patch.setattr("sys.argv", shlex.split(command))
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code


@pytest.mark.usefixtures("small_build")
def test_every_saber_command_runs_in_the_order_of_the_readme(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in commands("saber"):
        code = run(command, monkeypatch)
        printed = capsys.readouterr()
        assert not code, f"{command}: {printed.err}"
        assert printed.out.strip(), f"{command} prints nothing"


@pytest.mark.parametrize("statement", blocks("sql"))
def test_every_sql_statement_gives_rows(small_build: Build, statement: str) -> None:
    if not small_build.manifest("dataset").exists():
        pytest.skip("needs the build that the commands' test makes")
    rows = query(small_build, statement)
    expected_empty = "rejections" in statement
    assert rows.num_rows or expected_empty


def test_the_example_of_the_text_dataset_is_one(small_build: Build) -> None:
    if not small_build.manifest("dataset").exists():
        pytest.skip("needs the build that the commands' test makes")
    shown = dict(
        re.findall(r"^\| (query|positive|\w+ negative) \| (.+?) \|$", README, re.MULTILINE)
    )
    columns = "query, positive, negative_attribute, negative_object"
    found = query(small_build, f"SELECT {columns} FROM examples WHERE construction = 'attr_bundle'")
    assert tuple(shown.values()) in [tuple(row.values()) for row in found.to_pylist()]


def test_the_sizes_told_beside_the_dataset_s_command_are_those_that_are_built() -> None:
    (told,) = re.findall(r"^saber dataset +# (.+\n +# .+)$", README, re.MULTILINE)
    full = sum(construction.quota for construction in CONSTRUCTIONS.values())
    assert f"grows the build to all {full:,} examples" in told
    assert f"--quota {_SMALL_QUOTA} is what make run made" in told


def test_every_make_target_exists() -> None:
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    targets = [command.split()[1] for command in commands("make")]
    assert targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_question_shown_is_in_the_default_build() -> None:
    benchmark = generate_benchmark(BenchmarkSettings(), load_vocabulary())
    texts = {scene.text: scene.generation_text for scene in benchmark.scenes}
    roles = {
        candidate.scene_id: (candidate.role, candidate.bindings_kept)
        for candidate in benchmark.candidates
    }
    scene_ids = {scene.text: scene.scene_id for scene in benchmark.scenes}
    shown = re.findall(
        r"^\| (.+?) \| (A .+?\.) \| (An? .+?\.) \| (\w*) ?\| (\d?) ?\|$", README, re.M
    )
    assert len(shown) == 5
    for _, text, generation_text, role, kept in shown:
        assert texts[text] == generation_text
        if role:
            assert roles[scene_ids[text]] == (role, int(kept))


def test_every_path_of_the_tree_exists() -> None:
    tree = README.split("## Where everything lives")[1].split("```")[1]
    for line in tree.strip().splitlines():
        for name in re.findall(r"^\s*([\w./]+/)\s", line):
            folder = name.rstrip("/")
            assert list(PROJECT.glob(folder)) or list(PROJECT.glob(f"*/{folder}")), name


def test_every_link_leads_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (PROJECT / target).exists(), target


def test_the_help_of_every_command_is_documentation() -> None:
    for command in ("run", "benchmark", "dataset", "validate", "audit", "rejudge", "sql"):
        done = subprocess.run(
            [PROJECT / ".venv/bin/saber", command, "--help"], capture_output=True, text=True
        )
        assert done.returncode == 0
        assert len(done.stdout.splitlines()) > 12
