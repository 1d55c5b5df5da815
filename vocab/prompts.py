"""What a model is told that writes drafts: the texts of its prompts, as data with a version.

Reads `prompts.toml`. A prompt is a list of lines with placeholders (`$low`), and a line one of
whose placeholders has no value is left out. Knows the form of the file and the names of the
placeholders; what fills them is the affair of whoever makes a request.
"""

from functools import cache
from pathlib import Path
from string import Template
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from vocab.errors import VocabularyError
from vocab.toml_files import read_toml

PACKAGED_FOLDER = Path(__file__).parent / "binding"

#: What a system prompt is filled with: texts of the construction.
SYSTEM_FIELDS = frozenset({"words", "structure", "distance", "side", "examples"})
#: What a user prompt is filled with: draws of the plan, and word lists.
USER_FIELDS = frozenset(
    (
        *("setting", "register", "register_description", "opener", "opener_description"),
        *("low", "high", "near", "far", "order", "side_count", "pairs", "side_pairs"),
        "all_pairs",
        *("suggestions", "avoid", "ban"),
    )
)
#: What a pair is written with, where the plan fixes it.
PAIR_FIELDS = frozenset({"article", "attributes", "object"})


def fill(lines: tuple[str, ...], fields: dict[str, str | None]) -> str:
    """Return the lines with their placeholders filled; a line that lacks a value is left out."""
    filled = [
        template.substitute(fields)
        for template in map(Template, lines)
        if all(fields[name] is not None for name in template.get_identifiers())
    ]
    return "\n".join(filled)


def _check_fields(lines: tuple[str, ...], known: frozenset[str]) -> tuple[str, ...]:
    for template in map(Template, lines):
        if not template.is_valid():
            raise ValueError(f"expected placeholders like $name, found {template.template!r}")
        for name in template.get_identifiers():
            if name not in known:
                raise ValueError(f"expected placeholders out of {sorted(known)}, found ${name}")
    return lines


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


_Lines = Annotated[tuple[str, ...], Field(min_length=1)]
_System = Annotated[_Lines, AfterValidator(lambda lines: _check_fields(lines, SYSTEM_FIELDS))]
_User = Annotated[_Lines, AfterValidator(lambda lines: _check_fields(lines, USER_FIELDS))]
_Pair = Annotated[str, AfterValidator(lambda text: _check_fields((text,), PAIR_FIELDS)[0])]
#: Attributes in slot order, then the object.
_Phrase = Annotated[tuple[str, ...], Field(min_length=2)]


class PromptExample(_Entry):
    """A request and the text that answers it."""

    scene: str
    time: str | None = None
    weather: str | None = None
    kind: str
    opening: str
    band: tuple[int, int]
    window: tuple[int, int]
    #: Which object is described first, where the construction asks for one.
    described_first: int | None = None
    #: In text order.
    pairs: tuple[_Phrase, ...]
    side_pairs: tuple[_Phrase, ...] = ()
    positive: str


class PromptLimits(_Entry):
    """How many words a prompt lists at most."""

    #: Of each family.
    suggestions: int = Field(ge=0)
    avoid: int = Field(ge=0)
    ban: int = Field(ge=0)


class StylePrompt(_Entry):
    """One style of asking."""

    system: _System
    user: _User
    #: What introduces a worked example; where unset, it is what a user prompt says.
    example: _User | None = None
    #: How many of a construction's examples are shown.
    examples: int = Field(ge=1)


class ConstructionPrompt(_Entry):
    """What one construction asks of a text."""

    #: How many objects and attributes; told only to a model that chooses them.
    words: str
    structure: _Lines
    #: Completes "the distance is".
    distance: str
    #: How further pairs are woven in, where the construction takes any.
    side: str | None = None
    #: How a pair is given, where the plan fixes it.
    pair: _Pair
    #: By the mention that is described first.
    order: tuple[str, str] | None = None
    examples: tuple[PromptExample, ...] = Field(alias="example", min_length=1)


class Prompts(_Entry):
    """The content of `prompts.toml`."""

    version: int
    limits: PromptLimits
    free: StylePrompt
    given: StylePrompt
    bare: StylePrompt
    constructions: dict[str, ConstructionPrompt] = Field(alias="construction")

    @property
    def labels(self) -> tuple[str, ...]:
        """What the prompts of all styles call their parts, as `Setting` in "Setting: a pier".

        Placeholders stand in it as they are. A line for a plan has a label before its first colon,
        a system prompt has headings.
        """
        styles = (self.free, self.given, self.bare)
        lines = [line for style in styles for line in (*style.user, *(style.example or ()))]
        headings = [line for style in styles for line in style.system if line.endswith(":")]
        told = (line.partition(":") for line in (*lines, *headings))
        return tuple(dict.fromkeys(label for label, colon, _ in told if colon))

    def of_construction(self, name: str) -> ConstructionPrompt:
        """Return what is told about a construction; raises VocabularyError if there is nothing."""
        if name not in self.constructions:
            raise VocabularyError(
                f"prompts.toml: expected an entry for the construction {name!r}, found those for "
                f"{', '.join(self.constructions)}; add [construction.{name}]"
            )
        return self.constructions[name]


@cache
def load_prompts(folder: Path | None = None) -> Prompts:
    """Return the prompts of a folder, by default the packaged one."""
    path = (folder or PACKAGED_FOLDER) / "prompts.toml"
    return read_toml(path, Prompts)
