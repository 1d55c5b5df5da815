import pytest

from artifacts.errors import TrainingError
from trainer.layers import count_layers, layer_of
from trainer.lines import layer_scales


@pytest.mark.parametrize("pattern", [r"layers\.(\d)", r"lay(ers)\.", r"layers\.1(\d)\."])
def test_half_a_number_is_no_layer(pattern: str) -> None:
    with pytest.raises(TrainingError, match="the number between two dots"):
        layer_of("text.layers.12.q_proj", pattern)


def test_layers_are_counted_to_the_last() -> None:
    names = ["", "embed", *(f"text.layers.{number}.q" for number in range(12))]
    assert count_layers(names, r"layers\.(\d+)\.") == 12


def test_layers_in_two_towers_are_refused() -> None:
    names = ["text.layers.0.q", "vision.layers.0.q"]
    with pytest.raises(TrainingError, match=r"in text\.layers and vision\.layers"):
        count_layers(names, r"layers\.(\d+)\.")


def test_no_layer_is_said() -> None:
    with pytest.raises(TrainingError, match="finds no layer"):
        count_layers(["embed"], r"layers\.(\d+)\.")


def test_lines_grows_from_alpha_to_alpha_and_beta() -> None:
    assert layer_scales(5, 0, 1) == (0, 0.25, 0.5, 0.75, 1)
    assert layer_scales(3, 0.25, 0.5) == (0.25, 0.5, 0.75)


def test_one_layer_is_the_last() -> None:
    assert layer_scales(1, 0, 1) == (1,)
    assert layer_scales(1, 0.25, 0.5) == (0.75,)
