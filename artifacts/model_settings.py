"""The settings of training and evaluation.

A field that is unset takes the value of the backbone's preset; what was used is recorded either
way.
Knows the values and their bounds; not which model they suit.
"""

from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field

from artifacts.records import Pairing
from artifacts.settings import StageSettings

#: What lies beside the folders of runs, in lower case: some disks don't tell cases apart.
_TAKEN = frozenset({"report", "manifest.json"})


def _is_no_taken_name(name: str) -> str:
    if name.lower() in _TAKEN or name.lower().endswith(".replaced"):
        raise ValueError("expected another name: this one is used by the stage itself")
    return name


def _each_once(pairings: list[Pairing]) -> list[Pairing]:
    """Return the pairings in their usual order: no other makes another run."""
    return [pairing for pairing in get_args(Pairing) if pairing in pairings]


RunName = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"),
    AfterValidator(_is_no_taken_name),
]
#: A number that is one.
Finite = Annotated[float, Field(allow_inf_nan=False)]
Threads = Annotated[int, Field(ge=1, le=1_024)]


class TrainingSettings(StageSettings):
    """How an embedder is finetuned on the triplets (section B.5)."""

    run: RunName = Field("minilm", description="Name of the run.")
    preset: str = Field(
        "minilm",
        description="The backbone: minilm, qwen3-vl-2b or qwen3-vl-8b (the paper's), or custom.",
    )
    model: str | None = Field(
        None, description="A sentence-transformers model, name or folder; the preset's if unset."
    )
    revision: str | None = Field(None, description="Revision of the model's weights.")
    target_modules: str | None = Field(
        None,
        min_length=1,
        description="Pattern of the modules that get an adapter, matched against whole names.",
    )
    layer_pattern: str | None = Field(
        None, description="Pattern whose one group is the number of a module's layer."
    )
    rank: int | None = Field(None, ge=1, le=4_096, description="Rank of the adapters.")
    alpha: Finite | None = Field(None, gt=0, description="Scale of the adapters: alpha / rank.")
    dropout: Finite | None = Field(None, ge=0, lt=1, description="Dropout in the adapters.")
    learning_rate: Finite | None = Field(None, gt=0, description="Constant learning rate of AdamW.")
    weight_decay: Finite | None = Field(None, ge=0, description="Weight decay of AdamW.")
    margin: Finite | None = Field(None, gt=0, description="Margin of the triplet loss, in cosine.")
    epochs: int | None = Field(None, ge=1, description="Passes over the triplets.")
    batch_size: int | None = Field(None, ge=1, description="Triplets of one optimizer step.")
    instruction: str | None = Field(
        None, description="Prompt before every text; the model's own default if unset."
    )
    precision: Literal["auto", "bf16", "fp32"] = Field(
        "auto", description="auto: bf16 autocast where the device has it."
    )
    device: str = Field("auto", description="auto, cpu, cuda, cuda:1, mps.")
    threads: Threads | None = Field(None, description="Threads on a CPU; torch's own if unset.")
    overlap: Literal["all", "none", "only"] = Field(
        "all",
        description="Triplets by the words that SABER has, too (section C.1): all; none of them; "
        "only those with at least one.",
    )
    max_triplets: int | None = Field(
        None, ge=1, description="Train on this many, drawn by the seed; all if unset."
    )
    validation_triplets: int = Field(
        1_000, ge=0, description="Validation triplets scored along the way; 0: none."
    )
    validation_steps: int = Field(50, ge=1, description="Optimizer steps between two validations.")
    checkpoint_steps: int = Field(100, ge=1, description="Optimizer steps between two checkpoints.")
    lines_alpha: Finite = Field(0.0, ge=0, description="LiNeS: scale of the first layer's update.")
    lines_beta: Finite = Field(1.0, ge=0, description="LiNeS: what the last layer's has on top.")
    seed: int = Field(
        0, ge=0, lt=2**32, description="Order of the triplets and first adapter weights."
    )


class EvaluationSettings(StageSettings):
    """What is scored on SABER and on the held-out triplets, and how (section 5.1)."""

    run: RunName | None = Field(
        None,
        description="Name of the run; made from the embedder's if unset.",
    )
    embedder: str = Field(
        "bag-of-words",
        min_length=1,
        description="constant, random, bag-of-words, bigrams; minilm, efficientnet-lite0; st:NAME, "
        "open-clip:ARCHITECTURE/WEIGHTS, openai:MODEL, vectors:FILE, trained:RUN, "
        "trained:RUN/unscaled.",
    )
    revision: str | None = Field(None, description="Revision of the model's weights.")
    base_url: str = Field(
        "https://api.openai.com/v1",
        pattern=r"^https?://",
        description="Where an openai: embedder's API is.",
    )
    images: Path | None = Field(
        None, description="Folder of pictures named by their scene_id; text alone if unset."
    )
    pairings: Annotated[list[Pairing], AfterValidator(_each_once)] = Field(
        default_factory=list, description="t2t, t2i, i2t, i2i; all that the embedder can if empty."
    )
    scattered: bool = Field(
        True, description="Score the scattered captions, too; always apart from the paper's."
    )
    triplets: int = Field(
        2_000,
        ge=0,
        description="Most triplets scored of the test split, and of each held-out construction, "
        "drawn by the seed; 0: none.",
    )
    instruction: str | None = Field(
        None, description="Prompt before every text; the model's own default if unset."
    )
    batch_size: int = Field(64, ge=1, description="Inputs embedded at a time.")
    device: str = Field("auto", description="auto, cpu, cuda, cuda:1, mps.")
    threads: Threads | None = Field(None, description="Threads on a CPU; torch's own if unset.")
    cache: bool = Field(True, description="Keep embeddings, by content and model, below the root.")
    seed: int = Field(0, ge=0, description="Draws the triplets, and the random embedder.")


#: The stages of `saber run` that can be left out, in order.
StageName = Literal[
    "benchmark", "dataset", "validation", "audit", "training", "evaluation", "report"
]


class PipelineSettings(StageSettings):
    """What `saber run` does, beyond what the stages' own settings say."""

    skip: list[StageName] = Field(
        default_factory=list,
        description="Stages to leave out: benchmark, dataset, validation, audit, training, "
        "evaluation, report.",
    )
    embedders: list[str] = Field(
        default_factory=lambda: ["bag-of-words", "bigrams"],
        description="What is evaluated besides the model that was trained, before and after.",
    )
