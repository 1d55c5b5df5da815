"""Settings of the stages: the paper's by default, bounded, and never changed in place."""

from pathlib import Path

import pytest
from pydantic import BaseModel, ValidationError

from artifacts.settings import BenchmarkSettings, DatasetSettings


def test_the_defaults_are_the_paper_s() -> None:
    settings = BenchmarkSettings()
    assert list(settings.sizes) == [2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert len(settings.sizes) * (settings.independent_per_n + settings.chains) == 1_800
    assert settings.vocabulary is None


def test_one_size_alone_is_a_benchmark() -> None:
    assert list(BenchmarkSettings(n_min=4, n_max=4).sizes) == [4]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"n_min": 1}, "greater than or equal to 2"),
        ({"n_max": 51}, "less than or equal to 50"),
        ({"seed": -1}, "greater than or equal to 0"),
        ({"seed": 1.5}, "valid integer"),
        ({"seed": None}, "valid integer"),
        ({"chains": -1}, "greater than or equal to 0"),
        ({"n_min": 5, "n_max": 4}, "n_max must be at least n_min, found n_max=4 < n_min=5"),
        ({"independent_per_n": 0, "chains": 0}, "both 0: nothing to build"),
        ({"sed": 1}, "Extra inputs are not permitted"),
    ],
)
def test_impossible_values_are_refused(values: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        BenchmarkSettings.model_validate(values)


@pytest.mark.parametrize("values", [{"independent_per_n": 0}, {"chains": 0}])
def test_one_subset_may_be_empty(values: dict[str, int]) -> None:
    assert BenchmarkSettings.model_validate(values).model_dump() == {
        **BenchmarkSettings().model_dump(),
        **values,
    }


@pytest.mark.parametrize(
    "values",
    [
        {"quota": -1},
        {"quotas": {"pair_swap": -1}},
        {"lag": 0},
        {"shard_rows": 0},
        {"processes": 0},
        {"acceptance_floor": 1.5},
        {"budget_attempts": 0},
    ],
)
def test_dataset_bounds(values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        DatasetSettings.model_validate(values)


@pytest.mark.parametrize("settings", [BenchmarkSettings(), DatasetSettings()])
def test_settings_do_not_change(settings: BaseModel) -> None:
    with pytest.raises(ValidationError, match="frozen"):
        settings.seed = 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("model", [BenchmarkSettings, DatasetSettings])
def test_every_setting_is_described_and_survives_json(model: type[BaseModel]) -> None:
    assert all(field.description for field in model.model_fields.values())
    settings = model()
    assert model.model_validate_json(settings.model_dump_json()) == settings


def test_growth_names_settings_there_are() -> None:
    assert DatasetSettings.model_fields.keys() > DatasetSettings.GROWTH


def test_a_vocabulary_is_a_path() -> None:
    assert BenchmarkSettings.model_validate({"vocabulary": "a/b"}).vocabulary == Path("a/b")
