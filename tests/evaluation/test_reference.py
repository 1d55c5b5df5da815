"""The paper's figures as packaged: complete, consistent with each other, and never a run's."""

from collections import Counter, defaultdict
from statistics import fmean

import pytest

from artifacts.records import RECORD_TYPES
from evaluation.reference.paper import PaperFigure, paper_figures
from evaluation.tables import PAIRINGS

FIGURES = paper_figures()
MODELS = [
    "CLIP ViT-B/32",
    "LABCLIP ViT-B/32",
    "TripletCLIP ViT-B/32",
    "READ-CLIP ViT-B/32",
    "PE-Core-bigG-14-448",
    "LamRA-Ret",
    "Qwen3-VL-Embedding-2B",
    "Qwen3-VL-Embedding-8B",
    "Ours-2B",
    "Ours-8B",
]


def test_every_printed_figure_is_there_once() -> None:
    assert Counter(f.table for f in FIGURES) == {2: 150, 10: 30, 17: 400, 18: 400, 19: 400}
    assert len({(f.table, f.model, f.pairing, f.metric, f.subset, f.n) for f in FIGURES}) == 1_380


def test_the_models_are_the_paper_s_in_its_order() -> None:
    assert list(dict.fromkeys(figure.model for figure in FIGURES)) == MODELS


@pytest.mark.parametrize(
    "figure",
    [
        PaperFigure(2, "Ours-8B", None, "mcq_accuracy", "all", None, 84.2),
        PaperFigure(2, "Ours-8B", None, "map", "independent", None, 91.1),
        PaperFigure(2, "LamRA-Ret", "i2t", "map", "nested", None, 28.0),
        PaperFigure(2, "Qwen3-VL-Embedding-8B", "t2t", "mcq_accuracy", "all", None, 53.7),
        PaperFigure(10, "CLIP ViT-B/32", "t2t", "triplet_accuracy_test", "all", None, 62.9),
        PaperFigure(
            10, "Ours-8B", "t2t", "triplet_accuracy_deferred_bind_anaphoric", "all", None, 72.9
        ),
        PaperFigure(
            10, "Ours-2B", "t2t", "triplet_accuracy_deferred_bind_respective", "all", None, 53.2
        ),
        PaperFigure(17, "Qwen3-VL-Embedding-2B", "t2t", "mcq_accuracy", "all", 2, 5.0),
        PaperFigure(17, "Ours-8B", "i2i", "mcq_accuracy", "all", 10, 97.0),
        PaperFigure(17, "CLIP ViT-B/32", "t2i", "mcq_accuracy", "all", 3, 14.0),
        PaperFigure(18, "TripletCLIP ViT-B/32", "i2t", "map", "independent", 7, 2.2),
        PaperFigure(18, "Ours-8B", "i2i", "map", "independent", 9, 100.0),
        PaperFigure(19, "PE-Core-bigG-14-448", "i2t", "map", "nested", 10, 40.9),
        PaperFigure(19, "Ours-8B", "t2t", "map", "nested", None, 65.5),
    ],
    ids=lambda figure: f"{figure.table}-{figure.model}-{figure.n}",
)
def test_a_figure_is_what_the_paper_prints(figure: PaperFigure) -> None:
    assert figure in FIGURES


def test_table_2_repeats_the_means_of_tables_17_to_19() -> None:
    means: dict[tuple[str | None, ...], dict[int, float]] = defaultdict(dict)
    for figure in FIGURES:
        if figure.n is None and figure.pairing is not None and figure.table != 10:
            key = figure.model, figure.pairing, figure.metric, figure.subset
            means[key][2 if figure.table == 2 else 17] = figure.value
    assert len(means) == 10 * len(PAIRINGS) * 3
    assert all(len(found) == 2 and found[2] == found[17] for found in means.values())


def test_the_nine_figures_of_a_row_give_its_printed_mean() -> None:
    off = []
    for table in (17, 18, 19):
        for model in MODELS:
            for pairing in PAIRINGS:
                row = [
                    f for f in FIGURES if (f.table, f.model, f.pairing) == (table, model, pairing)
                ]
                assert sorted(f.n for f in row if f.n) == list(range(2, 11))
                mean = fmean(figure.value for figure in row if figure.n)
                (printed,) = [figure.value for figure in row if figure.n is None]
                assert mean == pytest.approx(printed, abs=0.1)
                if abs(mean - printed) > 0.05 + 1e-9:
                    off.append((table, model, pairing))
    # The files' own comments name these.
    assert off == [
        (18, "Ours-2B", "t2t"),
        (19, "LamRA-Ret", "t2i"),
        (19, "Ours-8B", "t2i"),
        (19, "Ours-8B", "i2t"),
    ]


def test_the_mean_over_pairings_is_that_of_the_four_printed() -> None:
    for mean in (figure for figure in FIGURES if figure.pairing is None):
        four = [
            figure.value
            for figure in FIGURES
            if figure.table == 2
            and figure.pairing is not None
            and (figure.model, figure.metric, figure.subset)
            == (mean.model, mean.metric, mean.subset)
        ]
        assert len(four) == 4
        assert fmean(four) == pytest.approx(mean.value, abs=0.05 + 1e-9)


def test_accuracies_are_of_two_hundred_questions() -> None:
    by_n = [f.value for f in FIGURES if f.table == 17 and f.n is not None]
    assert all((2 * value).is_integer() for value in by_n)


def test_the_paper_s_figures_are_no_record_and_belong_to_no_view() -> None:
    assert not issubclass(PaperFigure, RECORD_TYPES)
