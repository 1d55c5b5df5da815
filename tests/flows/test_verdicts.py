"""When a verdict on a dataset is kept, and when it is given anew."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from artifacts.builds import Build
from artifacts.errors import DamagedFileError
from artifacts.reports import RuleReport
from flows.stages import verdicts
from flows.stages.verdicts import FOLDER, kept_verdict
from tests.flows.datasets import make, small

REPORTS = TypeAdapter(list[RuleReport])
SHARD = "dataset/examples/construction=pair_swap/00000.parquet"


@dataclass
class Check:
    """Counts how often it is made."""

    made: int = 0
    found: list[RuleReport] = field(
        default_factory=lambda: [RuleReport("length", 20, 1, ("pair_swap/3: 9 words",))]
    )

    def __call__(self) -> list[RuleReport]:
        self.made += 1
        return self.found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Build:
    build = Build(tmp_path_factory.mktemp("verdicts"), "main")
    make(build, small(12))
    return build


@pytest.fixture
def build(whole: Build, tmp_path: Path) -> Build:
    copy = Build(tmp_path, "main")
    shutil.copytree(whole.path, copy.path)
    return copy


def ask(build: Build, check: Check, asked: str = "everything") -> list[RuleReport]:
    return kept_verdict(build, "validation", asked, REPORTS, check)


def test_the_same_bytes_are_judged_once(build: Build) -> None:
    check = Check()
    assert ask(build, check) == ask(build, check) == check.found
    assert check.made == 1


def test_a_build_that_moved_keeps_its_verdicts(build: Build, tmp_path: Path) -> None:
    check = Check()
    ask(build, check)
    (tmp_path / "elsewhere").mkdir()
    build.path.rename(tmp_path / "elsewhere" / "other")
    ask(Build(tmp_path / "elsewhere", "other"), check)
    assert check.made == 1


def other_rows(build: Build) -> None:
    make(build, small(13))


def other_manifest(build: Build) -> None:
    path = build.stream("pair_swap")
    path.write_bytes(path.read_bytes() + b"\n")


def verdict_is_damaged(build: Build) -> None:
    (build.path / FOLDER / "validation.json").write_text("{")


def verdict_has_another_shape(build: Build) -> None:
    path = build.path / FOLDER / "validation.json"
    path.write_text(path.read_text().replace('"failed"', '"broken"'))


@pytest.mark.parametrize(
    "change", [other_rows, other_manifest, verdict_is_damaged, verdict_has_another_shape]
)
def test_what_changed_is_judged_anew(build: Build, change: Callable[[Build], None]) -> None:
    check = Check()
    ask(build, check)
    change(build)
    assert ask(build, check) == check.found
    assert check.made == 2


def test_another_question_is_another_verdict(build: Build) -> None:
    check = Check()
    ask(build, check, "a sample of 10")
    ask(build, check, "a sample of 20")
    assert check.made == 2


def test_other_code_judges_anew(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    check = Check()
    ask(build, check)
    monkeypatch.setattr(verdicts, "_code_checksum", lambda: "another rule")
    ask(build, check)
    assert check.made == 2


def test_a_damaged_file_is_seen_though_its_verdict_was_kept(build: Build) -> None:
    check = Check()
    ask(build, check)
    content = bytearray((build.path / SHARD).read_bytes())
    content[100] ^= 1
    (build.path / SHARD).write_bytes(content)
    with pytest.raises(DamagedFileError, match=r"00000\.parquet is damaged"):
        ask(build, check)


def test_a_check_that_fails_to_end_leaves_no_verdict(build: Build) -> None:
    def end() -> list[RuleReport]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept_verdict(build, "validation", "everything", REPORTS, end)
    check = Check()
    ask(build, check)
    assert check.made == 1
