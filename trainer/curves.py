"""A run's curves as records, from what the training loop logs.

Knows the loop's log entries, which its checkpoints keep, so that a resumed run has the curves of
one that never stopped. Knows nothing of plots.
"""

from collections.abc import Iterable, Mapping

from artifacts.model_records import Curve

#: The metric of each key of a log entry that is one.
_METRICS = {
    "loss": "train_loss",
    "eval_loss": "validation_loss",
    "eval_accuracy": "validation_accuracy",
}


def curves_of(run: str, log: Iterable[Mapping[str, float]]) -> tuple[Curve, ...]:
    """Return the points in `log`, by metric and step; of several for a step, the last."""
    points = {
        (metric, int(entry["step"])): (float(entry.get("epoch", 0)), float(entry[key]))
        for entry in log
        for key, metric in _METRICS.items()
        if key in entry
    }
    return tuple(
        Curve(run=run, step=step, epoch=epoch, metric=metric, value=value)
        for (metric, step), (epoch, value) in sorted(points.items())
    )


def points_of(curves: Iterable[Curve], metric: str) -> list[tuple[int, float]]:
    """Return steps and values of one metric, by step."""
    return sorted((point.step, point.value) for point in curves if point.metric == metric)
