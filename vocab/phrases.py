"""The phrases that the embedded writer makes its sentences of, and what registers and openers are.

Reads three files: `registers.toml` (32 writing registers), `openers.toml` (16 opener styles) and
`phrases.toml` (banks of phrases by their role in a sentence). Knows the form of an entry and
nothing of grammar: how phrases are chosen, inflected and joined is the writer's affair.
"""

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from vocab.errors import VocabularyError
from vocab.toml_files import read_toml

PACKAGED_FOLDER = Path(__file__).parent / "binding"


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Register(_Entry):
    """A kind of text: how it begins, what its sentences hang on, how it closes."""

    name: str
    #: Shown to a model that writes.
    description: str
    tense: Literal["past", "present"]
    #: Whether a noun phrase may stand as a sentence.
    fragments: bool
    #: Ways to begin; `{n}`, `{h}` and `{m}` stand for a number, an hour and a minute.
    leads: tuple[str, ...] = Field(min_length=1)
    #: Clauses up to the article of their object, whatever that is.
    heads: tuple[str, ...] = Field(min_length=1)
    #: The same where the object can be carried.
    heads_portable: tuple[str, ...] = ()
    #: Sentences that may follow.
    closings: tuple[str, ...] = Field(min_length=1)


class Opener(_Entry):
    """A way to open the sentence proper."""

    name: str
    #: Shown to a model that writes.
    description: str
    #: The part of the context that such an opening puts in front.
    context: Literal["scene", "time", "weather"] | None = None
    #: What the embedded writer may open with; none for a start without introduction.
    phrases: tuple[str, ...]


class PhraseBanks(_Entry):
    """Phrases by their role in a sentence; the roles are explained in `phrases.toml`.

    Those under `…_portable` join the others where every object can be carried, those under
    `…_fixed` where none can.
    """

    trait: tuple[str, ...]
    trait_portable: tuple[str, ...]
    event: tuple[str, ...]
    event_portable: tuple[str, ...]
    extent: tuple[str, ...]
    predicate: tuple[str, ...]
    predicate_portable: tuple[str, ...]
    act: tuple[str, ...]
    act_portable: tuple[str, ...]
    link: tuple[str, ...]
    link_portable: tuple[str, ...]
    link_fixed: tuple[str, ...]
    place: tuple[str, ...]
    between: tuple[str, ...]
    clause: tuple[str, ...]
    clause_portable: tuple[str, ...]
    clause_fixed: tuple[str, ...]
    opening: tuple[str, ...]
    opening_portable: tuple[str, ...]
    opening_fixed: tuple[str, ...]
    head: tuple[str, ...]
    head_portable: tuple[str, ...]
    aside: tuple[str, ...]
    contrast: tuple[str, ...]
    bind: tuple[str, ...]
    bind_looks: tuple[str, ...]
    bind_visible: tuple[str, ...]
    bind_judged: tuple[str, ...]
    bind_recorded: tuple[str, ...]
    bind_changes: tuple[str, ...]
    be: tuple[str, ...]
    be_looks: tuple[str, ...]
    glance: tuple[str, ...]
    glance_visible: tuple[str, ...]
    glance_judged: tuple[str, ...]
    landmark: tuple[str, ...]
    likewise: tuple[str, ...]
    preface: tuple[str, ...]
    remark: tuple[str, ...]
    span: tuple[str, ...]
    both: tuple[str, ...]
    company: tuple[str, ...]
    escort: tuple[str, ...]
    ahead: tuple[str, ...]
    roll: tuple[str, ...]
    roll_terse: tuple[str, ...]
    setting: tuple[str, ...]
    setting_terse: tuple[str, ...]
    reference: tuple[tuple[str, str], ...]


class _Registers(_Entry):
    registers: tuple[Register, ...] = Field(alias="register")


class _Openers(_Entry):
    openers: tuple[Opener, ...] = Field(alias="opener")


@cache
def load_registers(folder: Path | None = None) -> dict[str, Register]:
    """Return the writing registers of a folder, by default the packaged one, by name."""
    path = (folder or PACKAGED_FOLDER) / "registers.toml"
    entries = read_toml(path, _Registers).registers
    _check_distinct(path, [entry.name for entry in entries])
    return {entry.name: entry for entry in entries}


@cache
def load_openers(folder: Path | None = None) -> dict[str, Opener]:
    """Return the opener styles of a folder, by default the packaged one, by name."""
    path = (folder or PACKAGED_FOLDER) / "openers.toml"
    entries = read_toml(path, _Openers).openers
    _check_distinct(path, [entry.name for entry in entries])
    return {entry.name: entry for entry in entries}


@cache
def load_phrases(folder: Path | None = None) -> PhraseBanks:
    """Return the phrase banks of a folder, by default the packaged one."""
    return read_toml((folder or PACKAGED_FOLDER) / "phrases.toml", PhraseBanks)


def _check_distinct(path: Path, names: list[str]) -> None:
    for position, name in enumerate(names):
        if name in names[:position]:
            raise VocabularyError(
                f"{path}: expected distinct names, found {name!r} twice; rename one of the two"
            )
