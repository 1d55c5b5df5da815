"""The plot of a run's curves: losses above, triplet accuracy below.

The same curves give the same bytes: no date, no display. Knows nothing of a run but its curves.
"""

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from artifacts.model_records import Curve
from trainer.curves import points_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INCHES = (6.4, 5.6)
_DOTS_PER_INCH = 120
_CHANCE = 50


def plot_curves(curves: Sequence[Curve]) -> bytes:
    """Return a PNG of `curves`; a run without validation has no second part."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    accuracy = points_of(curves, "validation_accuracy")
    figure = Figure(figsize=_INCHES, dpi=_DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    parts = figure.subplots(2 if accuracy else 1, 1, sharex=True, squeeze=False)[:, 0]
    _plot_losses(parts[0], curves)
    if accuracy:
        _plot_accuracy(parts[1], accuracy)
    parts[-1].set_xlabel("optimizer steps")
    picture = io.BytesIO()
    figure.savefig(picture, format="png", metadata={"Software": None})
    return picture.getvalue()


def _plot_losses(axes: "Axes", curves: Sequence[Curve]) -> None:
    train = points_of(curves, "train_loss")
    axes.plot(*_columns(train), color="tab:blue", alpha=0.5, linewidth=0.8, label="training")
    validation = points_of(curves, "validation_loss")
    if validation:
        axes.plot(*_columns(validation), color="tab:orange", marker=".", label="validation")
    axes.set_ylabel("triplet loss")
    axes.set_ylim(bottom=0)
    axes.legend()


def _plot_accuracy(axes: "Axes", points: list[tuple[int, float]]) -> None:
    axes.plot(*_columns(points), color="tab:green", marker=".", label="validation")
    axes.axhline(_CHANCE, color="gray", linestyle=":", linewidth=1, label="chance")
    axes.set_ylabel("triplet accuracy, %")
    axes.legend()


def _columns(points: list[tuple[int, float]]) -> tuple[list[int], list[float]]:
    return [step for step, _ in points], [value for _, value in points]
