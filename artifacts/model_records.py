"""What is stored of models: training curves, and the figures and single outcomes of evaluations.

Knows nothing of how a model is trained or scored.
"""

from typing import ClassVar, Literal

from pydantic import Field

from artifacts.record import Record, Text

#: Modality of the query, and of what is searched: text to text, text to image, ...
Pairing = Literal["t2t", "t2i", "i2t", "i2i"]


class Curve(Record):
    """One point of a training run's curves."""

    view: ClassVar[str] = "curves"
    key: ClassVar[tuple[str, ...]] = ("run", "metric", "step")

    run: Text = Field(description="The training run.")
    step: int = Field(ge=0, description="Optimizer steps made; 0 is before the first.")
    epoch: float = Field(ge=0, description="Passes over the training triplets.")
    metric: Text = Field(description="train_loss, validation_loss, validation_accuracy (percent).")
    value: float = Field(description="The figure.")


class Result(Record):
    """One measured figure of an evaluation run."""

    view: ClassVar[str] = "results"
    key: ClassVar[tuple[str, ...]] = ("run", "pairing", "metric", "subset", "n")

    run: Text = Field(description="The evaluation run.")
    model: Text = Field(description="The embedder.")
    pairing: Pairing = Field(description="Query and gallery modality.")
    metric: Text = Field(
        description=(
            "mcq_accuracy, map, subset_above_exact, subset_above_superset, top_four, "
            "triplet_accuracy_SPLIT; scattered_… is measured on the scattered captions, which the "
            "paper does not have."
        )
    )
    n: int | None = Field(description="Bindings; null for the mean over N, every N alike.")
    subset: Literal["all", "independent", "nested"] = Field(description="Which questions.")
    value: float = Field(description="The figure, in percent.")


class Outcome(Record):
    """What one question or triplet scored in an evaluation run; comparisons are paired on it."""

    view: ClassVar[str] = "outcomes"
    key: ClassVar[tuple[str, ...]] = ("run", "pairing", "metric", "item")

    run: Text = Field(description="The evaluation run.")
    model: Text = Field(description="The embedder.")
    pairing: Pairing = Field(description="Query and gallery modality.")
    metric: Text = Field(description="As in results: the mean over items, N by N, is the figure.")
    item: Text = Field(description="The question_id; of a triplet, example_id/kind.")
    value: float = Field(ge=0, le=100, description="In percent: 100 right, 0 wrong, between tied.")
