"""The benchmark stage: built once, never silently replaced, and never half there."""

import errno
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pydantic import JsonValue

from artifacts.builds import Build
from artifacts.catalog import connect
from artifacts.errors import (
    BuildConflictError,
    BuildMissingError,
    DamagedFileError,
    GenerationError,
    StoreError,
    ValidationFailedError,
    VocabularyError,
)
from artifacts.manifest import Manifest, read_manifest, write_manifest
from artifacts.records import Question
from artifacts.settings import BenchmarkSettings
from flows.progress import Silent
from flows.stages.benchmark import build_benchmark, check_benchmark
from flows.stages.publishing import describe_differences, require_passed
from tests.flows.builds import SMALL, contents, edit_and_sign, move_answers, write_words

OTHER = SMALL.model_copy(update={"seed": 7, "chains": 4})
VIEWS = ("questions", "candidates", "scenes", "relevance")


def one_line(error: Exception) -> str:
    assert "\n" not in str(error)
    return str(error)


def resign(build: Build, **changes: object) -> None:
    path = build.manifest("benchmark")
    write_manifest(path, read_manifest(path).model_copy(update=changes))


@contextmanager
def disk_with_room_for(size_bytes: int) -> Iterator[None]:
    """Let no file grow beyond this: the write fails as it would on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_build_holds_its_views_its_words_and_a_manifest(built: Build) -> None:
    names = {f"benchmark/{view}.parquet" for view in VIEWS}
    words = {f"benchmark/vocabulary/{name}.toml" for name in ("objects", "attributes")}
    assert contents(built.path).keys() == names | words | {"benchmark/manifest.json"}
    manifest = read_manifest(built.manifest("benchmark"))
    assert {entry.name for entry in manifest.files} == names | words
    assert manifest.counts["questions"] == 3 * 10
    assert manifest.settings["n_max"] == 4
    assert manifest.settings.keys() >= {"seed", "vocabulary_sha256"}
    assert manifest.complete


def test_views_join(built: Build) -> None:
    with connect(built, VIEWS) as connection:
        found = connection.execute(
            """
            SELECT count(*), count(DISTINCT question_id), list(DISTINCT role)
            FROM questions JOIN candidates USING (question_id) JOIN scenes USING (scene_id)
            WHERE position = answer
            """
        ).fetchall()
    assert found == [(30, 30, ["preserving"])]


def test_the_paper_s_benchmark_passes_every_rule(paper_build: Build) -> None:
    reports, coverage = check_benchmark(paper_build)
    assert [report for report in reports if report.failed] == []
    assert all(report.checked for report in reports)
    assert [(row.kind, row.words, row.draws) for row in coverage] == [
        ("objects", 232, 6_400),
        ("attributes", 50, 6_400),
    ]
    counts = read_manifest(paper_build.manifest("benchmark")).counts
    # A nested query at N has its own positive and those of its chain's larger ones.
    at_least = 900 + 100 * sum(range(1, 10))
    assert counts.pop("relevance") >= at_least
    assert counts == {"questions": 1_800, "candidates": 7_200, "scenes": 9_000}


def test_a_user_s_words_are_used_and_kept(tmp_path: Path, words: Path) -> None:
    settings = BenchmarkSettings(vocabulary=words, n_max=11, independent_per_n=4, chains=4)
    build = Build(tmp_path, "own")
    build_benchmark(build, settings, Silent())
    kept = {path.name: path.read_bytes() for path in (build.benchmark / "vocabulary").iterdir()}
    assert kept == {path.name: path.read_bytes() for path in words.iterdir()}
    shutil.rmtree(words)
    reports, coverage = check_benchmark(build)
    assert [report for report in reports if report.failed] == []
    assert [row.words for row in coverage] == [12, 11]


def test_words_count_by_content_not_by_place(tmp_path: Path, words: Path) -> None:
    moved = Path(shutil.copytree(words, tmp_path / "moved"))
    build = Build(tmp_path, "own")
    settings = SMALL.model_copy(update={"vocabulary": words})
    build_benchmark(build, settings, Silent())
    again = build_benchmark(build, SMALL.model_copy(update={"vocabulary": moved}), Silent())
    assert not again.built
    write_words(moved, objects=13, attributes=11)
    with pytest.raises(BuildConflictError, match="vocabulary_sha256: "):
        build_benchmark(build, SMALL.model_copy(update={"vocabulary": moved}), Silent())


def test_a_second_run_does_nothing(built: Build) -> None:
    before = contents(built.path)
    times = [path.stat().st_mtime_ns for path in built.benchmark.iterdir()]
    outcome = build_benchmark(built, SMALL, Silent())
    assert not outcome.built
    assert outcome.manifest == read_manifest(built.manifest("benchmark"))
    assert contents(built.path) == before
    assert [path.stat().st_mtime_ns for path in built.benchmark.iterdir()] == times


def test_other_settings_are_a_conflict_that_names_them(built: Build) -> None:
    before = contents(built.path)
    with pytest.raises(BuildConflictError) as caught:
        build_benchmark(built, OTHER, Silent())
    assert one_line(caught.value) == (
        "build 'main' holds a benchmark made with other settings (chains: 5 there, 4 now, "
        "seed: 0 there, 7 now): name another with --build, or replace it with --force"
    )
    assert contents(built.path) == before


def test_without_scattered_texts_it_is_another_build_that_has_none(built: Build) -> None:
    without = SMALL.model_copy(update={"scattered": False})
    with pytest.raises(BuildConflictError, match="scattered: True there, False now"):
        build_benchmark(built, without, Silent())
    build_benchmark(built, without, Silent(), force=True)
    require_passed(check_benchmark(built)[0])
    with connect(built, VIEWS) as connection:
        found = connection.execute("SELECT count(*), count(scattered_text) FROM scenes").fetchall()
    assert found == [(150, 0)]


def test_force_replaces_the_build_whole(built: Build, tmp_path: Path) -> None:
    (built.benchmark / "stray.parquet").touch()
    assert build_benchmark(built, OTHER, Silent(), force=True).built
    fresh = Build(tmp_path / "fresh", "main")
    build_benchmark(fresh, OTHER, Silent())
    assert contents(built.path) == contents(fresh.path)


def test_force_builds_again_with_the_same_settings(built: Build) -> None:
    before = contents(built.path)
    assert build_benchmark(built, SMALL, Silent(), force=True).built
    assert contents(built.path) == before


def test_what_a_killed_build_left_is_swept_away(built: Build) -> None:
    (built.path / "staging" / "benchmark").mkdir(parents=True)
    (built.path / "staging" / "benchmark" / "scenes.parquet").write_bytes(b"half")
    build_benchmark(built, OTHER, Silent(), force=True)
    assert sorted(path.name for path in built.path.iterdir()) == ["benchmark"]


@pytest.mark.parametrize("room_bytes", [0, 2_000, 10_000])
def test_a_full_disk_leaves_no_part_of_a_first_build(tmp_path: Path, room_bytes: int) -> None:
    build = Build(tmp_path, "main")
    with disk_with_room_for(room_bytes), pytest.raises(StoreError) as caught:
        build_benchmark(build, SMALL, Silent())
    assert one_line(caught.value).startswith("cannot write ")
    assert "File too large" in str(caught.value)
    assert contents(tmp_path) == {}
    assert build_benchmark(build, SMALL, Silent()).built


def test_a_full_disk_costs_nothing_of_the_build_that_is_there(built: Build) -> None:
    before = contents(built.path)
    with disk_with_room_for(10_000), pytest.raises(StoreError):
        build_benchmark(built, OTHER, Silent(), force=True)
    assert contents(built.path) == before
    assert check_benchmark(built)


@pytest.mark.parametrize("is_first", [True, False])
def test_a_read_only_root_is_one_clear_line(
    built: Build, monkeypatch: pytest.MonkeyPatch, is_first: bool
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    before = contents(built.path)
    build = Build(built.root, "new") if is_first else built
    monkeypatch.setattr(os, "mkdir", refuse)
    with pytest.raises(StoreError, match=r"cannot write .*: Read-only file system") as caught:
        build_benchmark(build, SMALL, Silent(), force=True)
    one_line(caught.value)
    assert contents(built.path) == before


def test_a_root_that_is_a_file_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "root").touch()
    with pytest.raises(StoreError, match="Not a directory") as caught:
        build_benchmark(Build(tmp_path / "root", "main"), SMALL, Silent())
    one_line(caught.value)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        (SMALL.model_copy(update={"n_max": 50, "n_min": 50}), GenerationError),
        (SMALL.model_copy(update={"vocabulary": Path("nowhere")}), VocabularyError),
    ],
)
def test_settings_that_cannot_be_built_cost_nothing(
    built: Build, words: Path, settings: BenchmarkSettings, error: type[Exception]
) -> None:
    before = contents(built.path)
    chosen = settings if settings.vocabulary else settings.model_copy(update={"vocabulary": words})
    with pytest.raises(error):
        build_benchmark(built, chosen, Silent(), force=True)
    assert contents(built.path) == before


def test_an_unfinished_build_cannot_be_checked(built: Build) -> None:
    built.manifest("benchmark").unlink()
    with pytest.raises(BuildMissingError, match=r"no manifest at .* unfinished"):
        check_benchmark(built)


def test_a_build_without_its_manifest_is_built_again(built: Build) -> None:
    before = contents(built.path)
    built.manifest("benchmark").unlink()
    assert build_benchmark(built, OTHER, Silent()).built
    assert build_benchmark(built, SMALL, Silent(), force=True).built
    assert contents(built.path) == before


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def edit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


FILES = [*(f"{view}.parquet" for view in VIEWS), "vocabulary/objects.toml"]


@pytest.mark.parametrize("damage", [truncate, edit, Path.unlink])
@pytest.mark.parametrize("name", [*FILES, "vocabulary/attributes.toml"])
def test_every_damaged_file_is_found_by_the_check(
    built: Build, name: str, damage: Callable[[Path], None]
) -> None:
    damage(built.benchmark / name)
    with pytest.raises(DamagedFileError) as caught:
        check_benchmark(built)
    assert name in one_line(caught.value)


@pytest.mark.parametrize("damage", [truncate, Path.unlink])
@pytest.mark.parametrize("name", FILES)
def test_a_rebuild_over_a_missing_or_short_file_says_how_to_mend_it(
    built: Build, name: str, damage: Callable[[Path], None]
) -> None:
    damage(built.benchmark / name)
    with pytest.raises(DamagedFileError, match="repairs it, or --force makes it anew") as caught:
        build_benchmark(built, SMALL, Silent())
    assert name in one_line(caught.value)
    build_benchmark(built, SMALL, Silent(), force=True)
    assert check_benchmark(built)


@pytest.mark.parametrize("damage", [truncate, edit])
def test_a_damaged_manifest_is_said_so(built: Build, damage: Callable[[Path], None]) -> None:
    damage(built.manifest("benchmark"))
    with pytest.raises(DamagedFileError, match=r"manifest .*manifest\.json is damaged"):
        check_benchmark(built)
    with pytest.raises(DamagedFileError, match="repairs it, or --force makes it anew"):
        build_benchmark(built, SMALL, Silent())


def without_scenes(manifest: Manifest) -> list[object]:
    return [entry for entry in manifest.files if entry.kind != "scenes"]


def test_a_signed_manifest_that_lists_no_scenes_is_said_so(built: Build) -> None:
    resign(built, files=without_scenes(read_manifest(built.manifest("benchmark"))))
    with pytest.raises(DamagedFileError, match="expected one file of scenes, found 0"):
        check_benchmark(built)


def test_a_signed_manifest_of_impossible_settings_is_said_so(built: Build) -> None:
    resign(built, settings={"seed": 0, "n_min": "many"})
    with pytest.raises(
        DamagedFileError, match="expected settings of a benchmark, found: "
    ) as caught:
        check_benchmark(built)
    one_line(caught.value)


def test_rows_that_break_a_rule_fail_that_rule_alone(built: Build) -> None:
    edit_and_sign(built, Question, move_answers)
    reports, _ = check_benchmark(built)
    (failed,) = (report for report in reports if report.failed)
    assert (failed.rule, failed.failed) == ("exactly_one_correct_candidate", 30)
    with pytest.raises(
        ValidationFailedError, match=r"1 of .* exactly_one_correct_candidate; first: "
    ):
        require_passed(reports)


def test_a_build_that_passes_raises_nothing(built: Build) -> None:
    require_passed(check_benchmark(built)[0])


_BUILD = """
import os, sys
from pathlib import Path
from artifacts.builds import Build
from artifacts.settings import BenchmarkSettings
from flows.progress import Silent
from flows.stages.benchmark import build_benchmark
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(sys.argv[3])])
settings = BenchmarkSettings.model_validate_json(sys.argv[2])
build_benchmark(Build(Path(sys.argv[1]), "main"), settings, Silent())
"""


def test_bytes_depend_on_neither_hash_seed_nor_cores(built: Build, tmp_path: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _BUILD, str(tmp_path / seed), SMALL.model_dump_json(), cores],
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        for seed, cores in (("1", "1"), ("2", "64"))
    ]
    assert [process.wait() for process in processes] == [0, 0]
    assert contents(tmp_path / "1") == contents(tmp_path / "2") == contents(built.root)


def test_another_seed_gives_other_bytes(built: Build, tmp_path: Path) -> None:
    other = Build(tmp_path / "other", "main")
    build_benchmark(other, SMALL.model_copy(update={"seed": 1}), Silent())
    ours, theirs = contents(built.benchmark), contents(other.benchmark)
    assert all(ours[f"{view}.parquet"] != theirs[f"{view}.parquet"] for view in VIEWS)


def test_a_manifest_says_nothing_of_when_or_where(built: Build) -> None:
    text = built.manifest("benchmark").read_text()
    assert str(built.root) not in text
    settings: JsonValue = json.loads(text)["settings"]
    assert settings == {
        **SMALL.model_dump(exclude={"vocabulary"}),
        "vocabulary_sha256": read_manifest(built.manifest("benchmark")).settings[
            "vocabulary_sha256"
        ],
    }


def test_differences_name_what_one_side_lacks() -> None:
    assert describe_differences({"a": 1, "b": 2}, {"b": 2, "c": [3]}) == (
        "a: 1 there, None now, c: None there, [3] now"
    )


def test_differences_of_a_table_are_those_in_it() -> None:
    old: dict[str, JsonValue] = {"llm_identity": {"model": "a", "style": "free", "top_p": None}}
    new: dict[str, JsonValue] = {"llm_identity": {"model": "b", "style": "free", "top_p": 0.9}}
    assert describe_differences(old, new) == (
        "llm_identity.model: a there, b now, llm_identity.top_p: None there, 0.9 now"
    )


def test_a_table_that_one_side_lacks_is_left_out_beside_what_calls_for_it() -> None:
    llm: dict[str, JsonValue] = {"llm_identity": {"model": "a"}, "writer": "llm"}
    assert describe_differences({"writer": "embedded"}, llm) == ("writer: embedded there, llm now")
    assert describe_differences(llm, {"writer": "embedded"}) == ("writer: llm there, embedded now")
    # Alone it is all that there is to tell.
    assert describe_differences({}, {"llm_identity": {"model": "a"}}) == (
        "llm_identity: None there, {'model': 'a'} now"
    )
