"""What a writer gave that never gives it again: kept while anything holds it, else replaced."""

from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from artifacts.builds import Build
from artifacts.manifest import read_manifest
from flows.progress import Silent
from flows.stages.build_repair import repair_build
from flows.stages.repairing import Repair
from tests.flows.damages import DAMAGES
from tests.flows.datasets import FakeWriter, broken_rules, contents, make, small, use

SETTINGS = small(14, "pair_swap", "attr_bundle", shard_rows=5)
LOG = "dataset/log/{}/00000.jsonl.zst"


def repair(build: Build) -> list[Repair]:
    return repair_build(build, SETTINGS, Silent())


@dataclass
class Model:
    """A build whose writer never gives a draft twice."""

    build: Build
    writer: FakeWriter

    def examples(self, construction: str = "pair_swap") -> dict[str, bytes]:
        folder = self.build.dataset / "examples" / f"construction={construction}"
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}

    def remove(self, *names: str) -> None:
        for name in names:
            (self.build.path / name).unlink()

    def repair(self) -> list[Repair]:
        self.writer.asked.clear()
        return repair(self.build)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    writer = FakeWriter()
    use(monkeypatch, writer)
    build = Build(tmp_path, "model")
    make(build, SETTINGS)
    return Model(build, writer)


def shard_of(view: str, index: int) -> str:
    return f"dataset/{view}/construction=pair_swap/{index:05}.parquet"


def test_a_draft_that_is_kept_anywhere_is_not_asked_for(model: Model) -> None:
    before = contents(model.build)
    model.remove(LOG.format("pair_swap"), shard_of("examples", 0), shard_of("accepted_words", 1))
    model.repair()
    assert model.writer.asked == []
    assert contents(model.build) == before
    model.remove(shard_of("examples", 0), shard_of("attempts", 0), shard_of("accepted_words", 0))
    model.repair()
    assert model.writer.asked == []
    assert contents(model.build) == before


@pytest.mark.parametrize("with_words", [False, True])
@pytest.mark.parametrize("index", [0, 1, 2])
def test_a_shard_that_is_gone_with_its_drafts_is_replaced_under_new_attempts(
    model: Model, index: int, *, with_words: bool
) -> None:
    before = model.examples()
    last = read_manifest(model.build.stream("pair_swap")).shards[-1].end
    model.remove(LOG.format("pair_swap"), shard_of("examples", index), shard_of("attempts", index))
    if with_words:
        model.remove(shard_of("accepted_words", index))
    repairs = model.repair()
    assert Repair(shard_of("examples", index), "missing", "lost") in repairs
    assert min(model.writer.asked) >= last
    assert broken_rules(model.build, SETTINGS) == []
    for name, content in model.examples().items():
        if name != f"{index:05}.parquet" and name in before and name != "00002.parquet":
            assert content == before[name]
    assert repair(model.build) == []


def test_drafts_alone_that_are_gone_cost_no_row(model: Model) -> None:
    before = model.examples()
    model.remove(LOG.format("pair_swap"), shard_of("attempts", 0), shard_of("attempts", 1))
    model.repair()
    assert model.examples() == before
    assert model.writer.asked == []
    assert broken_rules(model.build, SETTINGS) == []
    assert repair(model.build) == []


@pytest.mark.parametrize("night", range(7))
def test_seven_nights_of_damage_to_what_a_model_wrote(model: Model, night: int) -> None:
    rng = Random(night)
    for _ in range(3):
        names = [name for name in contents(model.build) if not name.endswith(".json")]
        for name in rng.sample(sorted(names), 1 + 2 * night):
            rng.choice(DAMAGES)(model.build.path / name, rng)
        model.repair()
        assert broken_rules(model.build, SETTINGS) == []
        assert repair(model.build) == []
