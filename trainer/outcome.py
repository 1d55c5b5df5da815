"""What goes into a run, and what it came to: the data that training, cards and plots share.

Pure data. Knows nothing of torch or of how a run is carried out.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import JsonValue

from artifacts.manifest import fingerprint
from artifacts.model_records import Curve
from artifacts.model_source import ModelSource
from artifacts.weights import is_packaged
from trainer.devices import Precision
from trainer.recipe import Recipe
from trainer.triplets import Triplets

#: Is told the optimizer steps made, how many there will be, and the loss of the last.
Progress = Callable[[int, int, float], None]


@dataclass(frozen=True, slots=True)
class Setup:
    """What is carried out, and on what."""

    #: Its revision is the commit that `source` says.
    recipe: Recipe
    source: ModelSource
    triplets: Triplets
    device: str
    precision: Precision

    @property
    def from_folder(self) -> bool:
        """Whether the base is a folder of this machine, which nobody else knows the name of."""
        return self.source.commit is None and not is_packaged(self.recipe.model)

    def fingerprint(self) -> str:
        """Return the checksum of all that decides on the adapter."""
        return fingerprint(
            {
                "recipe": self.recipe.fingerprint(),
                "model": self.source.identity,
                "triplets": self.triplets.fingerprint(),
                "device": self.device.partition(":")[0],
                "precision": self.precision,
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOutcome:
    """What a finished run came to."""

    setup: Setup
    #: For the caller to store.
    curves: tuple[Curve, ...]
    steps: int
    #: Put before every text; None: nothing.
    prompt: str | None
    #: Modules with an adapter, and layers of the stack that they are in.
    modules: int
    layers: int
    trainable_parameters: int
    #: LiNeS: λ of every layer.
    scales: tuple[float, ...]
    versions: dict[str, str]

    def to_json(self) -> dict[str, JsonValue]:
        """Return what the run was made from, and its sizes, as plain JSON; no path of a model."""
        setup = self.setup
        recipe = setup.recipe.to_json()
        if setup.from_folder:
            recipe["model"] = setup.recipe.published
        return {
            "recipe": recipe,
            "model": setup.source.identity,
            "device": setup.device,
            "precision": setup.precision,
            "prompt": self.prompt,
            "dataset": setup.triplets.dataset,
            "triplets": setup.triplets.fingerprint(),
            "train_triplets": len(setup.triplets.train),
            "validation_triplets": len(setup.triplets.validation),
            "steps": self.steps,
            "modules": self.modules,
            "layers": self.layers,
            "trainable_parameters": self.trainable_parameters,
            "lines_scales": list(self.scales),
            "versions": dict(self.versions),
        }
