"""Plots: real pictures, the same bytes for the same figures, nothing global touched."""

import sys
from collections.abc import Callable, Sequence
from io import BytesIO
from subprocess import run
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from matplotlib import image

from evaluation.figures import Format, accuracy_by_n, before_after, map_by_n
from evaluation.series import Series
from tests.evaluation.figures_of_runs import ALL, saber_series

BEFORE = saber_series(40, "all_MiniLM $5")
AFTER = saber_series(80, "trained", pairings=ALL)
BASELINE = Series("bigrams", "baseline", AFTER.figures)

Plot = Callable[[Format], bytes]
PLOTS: dict[str, Plot] = {
    "accuracy": lambda form: accuracy_by_n([BEFORE, AFTER, BASELINE], form),
    "map": lambda form: map_by_n([BEFORE, AFTER, BASELINE], form),
    "bars": lambda form: before_after(BEFORE, AFTER, form),
}


def text_of(svg: bytes) -> str:
    # Text is drawn as outlines; each is preceded by a comment with its words.
    return svg.decode()


@pytest.mark.parametrize("name", PLOTS)
def test_a_png_is_a_picture_with_something_on_it(name: str) -> None:
    pixels = image.imread(BytesIO(PLOTS[name]("png")))
    height, width, _ = pixels.shape
    assert height > 300
    assert width > 600
    assert 0.5 < (pixels[..., :3] == 1).mean() < 0.99


@pytest.mark.parametrize("name", PLOTS)
def test_an_svg_is_xml_without_a_date(name: str) -> None:
    written = PLOTS[name]("svg")
    assert ElementTree.fromstring(written).tag.endswith("svg")
    assert b"date" not in written
    assert mpl.__version__.encode() not in written.split(b"<g ")[0]


@pytest.mark.parametrize("form", ["png", "svg"])
@pytest.mark.parametrize("name", PLOTS)
def test_the_same_figures_give_the_same_bytes_whatever_the_style(name: str, form: Format) -> None:
    first = PLOTS[name](form)
    with mpl.rc_context({"font.size": 20, "axes.facecolor": "black", "savefig.dpi": 30}):
        assert PLOTS[name](form) == first


def test_another_process_draws_the_same() -> None:
    script = (
        "import sys; from tests.evaluation.test_figures import PLOTS;"
        "sys.stdout.buffer.write(PLOTS['map']('svg'))"
    )
    found = run([sys.executable, "-c", script], capture_output=True, check=True)
    assert found.stdout == PLOTS["map"]("svg")


def test_drawing_leaves_settings_and_pyplot_alone() -> None:
    before = dict(mpl.rcParams)
    script = (
        "import sys; from tests.evaluation.test_figures import PLOTS; PLOTS['bars']('png');"
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    run([sys.executable, "-c", script], check=True)
    PLOTS["accuracy"]("png")
    assert dict(mpl.rcParams) == before


def test_names_are_in_the_legend_as_they_are_and_chance_is_drawn() -> None:
    written = text_of(PLOTS["accuracy"]("svg"))
    for words in ("all_MiniLM", "trained", "bigrams (baseline)", "chance"):
        assert f"<!-- {words}" in written
    assert "<!-- chance" not in text_of(PLOTS["map"]("svg"))


def test_there_is_a_panel_per_measured_pairing_and_subset() -> None:
    only_text = text_of(map_by_n([BEFORE], "svg"))
    assert "<!-- T→T, nested -->" in only_text
    assert "T→I" not in only_text
    assert "<!-- I→T, independent -->" in text_of(PLOTS["map"]("svg"))


@pytest.mark.parametrize(
    "series", [[], [Series("empty", "run", {})], [saber_series(40, "_hidden")]]
)
def test_few_or_odd_series_can_be_drawn(series: Sequence[Series]) -> None:
    assert accuracy_by_n(series)
    assert map_by_n(series)
