"""The structure as a test: which way imports point, and how large a file or function may be."""

import ast
import sys
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path
from statistics import quantiles

import pytest

ROOT = Path(__file__).parents[1]

#: What each package may import of ours, besides itself.
ARROWS = {
    "vocab": set[str](),
    "artifacts": {"vocab"},
    "generators": {"artifacts", "vocab"},
    "validators": {"artifacts", "vocab"},
    "trainer": {"artifacts", "vocab"},
    "evaluation": {"artifacts", "vocab"},
    "flows": {"generators", "validators", "trainer", "evaluation", "artifacts", "vocab"},
}
FILES = sorted(path for package in ARROWS for path in (ROOT / package).rglob("*.py"))
NAMES = [str(path.relative_to(ROOT)) for path in FILES]


def imports_of(path: Path, *, for_types: bool = True) -> Iterator[str]:
    """Yield the full name of every module that a file imports, wherever it does so."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = set() if for_types else set(_for_types_only(tree))
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            module = node.module or ""
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _for_types_only(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from ast.walk(node)


def functions_of(path: Path) -> Iterator[tuple[str, int]]:
    """Yield name and lines of every function of a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or 0) - node.lineno + 1


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_imports_point_one_way(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0]
    ours = {name.split(".")[0] for name in imports_of(path)} & {*ARROWS, "tests", "benchmarks"}
    assert ours - {package} <= ARROWS[package]


def test_only_flows_imports_prefect() -> None:
    importers = {
        name.split("/")[0]
        for name, path in zip(NAMES, FILES, strict=True)
        if any(module.split(".")[0] == "prefect" for module in imports_of(path))
    }
    assert importers == {"flows"}


def test_prefect_s_names_come_from_one_module() -> None:
    """It sets the environment that Prefect reads when it is first imported."""
    importers = [
        name
        for name, path in zip(NAMES, FILES, strict=True)
        if any(module.split(".")[0] == "prefect" for module in imports_of(path, for_types=False))
    ]
    assert importers == ["flows/orchestration.py"]


@pytest.mark.parametrize("path", sorted((ROOT / "validators" / "benchmark").rglob("*.py")))
def test_the_benchmark_s_rules_have_articles_of_their_own(path: Path) -> None:
    assert not any(module.startswith("artifacts.articles") for module in imports_of(path))


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_file_has_at_most_300_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_function_has_at_most_60_lines(path: Path) -> None:
    assert [name for name, lines in functions_of(path) if lines > 60] == []


def test_nine_in_ten_functions_are_under_forty_lines_and_the_median_is_short() -> None:
    lengths = [lines for path in FILES for _, lines in functions_of(path)]
    deciles = quantiles(lengths, n=10)
    assert deciles[8] < 40
    assert deciles[4] <= 10


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_nothing_is_caught_that_was_not_expected(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None, f"bare except in line {node.lineno}"
            caught = {name.id for name in ast.walk(node.type) if isinstance(name, ast.Name)}
            if caught & {"Exception", "BaseException"}:
                last = node.body[-1]
                assert isinstance(last, ast.Raise), f"line {node.lineno} catches {caught}"
                assert last.exc is None, f"line {node.lineno} catches {caught}"


def test_no_module_is_a_drawer_for_everything() -> None:
    stems = {part for path in FILES for part in path.relative_to(ROOT).with_suffix("").parts}
    assert not {
        stem for stem in stems for drawer in ("util", "helper", "manager") if drawer in stem
    }


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_every_module_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("package", ARROWS)
def test_no_installed_distribution_owns_a_name_of_ours(package: str) -> None:
    owners = {
        distribution.name
        for distribution in distributions()
        for file in distribution.files or ()
        if file.parts[0] in (package, f"{package}.py")
    }
    assert owners <= {"saber-factory"}


def test_the_packages_that_are_tested_are_those_here() -> None:
    for package in ("vocab", "artifacts", "generators", "validators", "flows"):
        module = __import__(package)
        assert Path(module.__file__ or "").parent == ROOT / package
    assert str(ROOT / "tests") not in sys.path
