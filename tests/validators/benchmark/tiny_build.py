"""A build of four questions by hand, for every rule to pass and every test to break.

Two independent questions (i2, i3) and one chain (c: c2, c3). A test edits the drafts, from which
captions and columns follow, or the finished rows, where one column has to be wrong by itself.
A scene is named for its question and role: `i2-query`, `i2-preserving`.
"""

from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import duckdb

from artifacts.reports import RuleReport
from validators.benchmark import BenchmarkExpectation, validate_benchmark
from vocab.benchmark_words import Attribute, Vocabulary

Row: TypeAlias = dict[str, object]
Pairs: TypeAlias = list[tuple[str, str]]

OBJECTS = (
    *("cube", "kite", "umbrella", "cannon", "anchor", "igloo"),
    *("teapot", "boot", "sneaker", "unicycle", "spinning top", "giraffe"),
)
STRIPES = ("white and orange striped", "orange and white striped", "red and white striped")
ATTRIBUTES = (
    *(Attribute(name, "color", "standalone", (name,)) for name in ("red", "blue", "orange")),
    Attribute("golden", "metallic", "standalone", ("polished golden",)),
    Attribute("sandy", "material", "standalone", ("sandy",)),
    Attribute("transparent", "material", "standalone", ("transparent",)),
    Attribute("wooden", "material", "fixed-variant", ("light-brown wooden", "dark-brown wooden")),
    Attribute("camouflage", "pattern", "standalone", ("camouflage",)),
    Attribute("soap-bubble", "pattern", "standalone", ("iridescent soap-bubble",)),
    Attribute("striped", "pattern", "two-color", STRIPES),
    Attribute("glowing", "effect", "single-color", ("orange glowing", "white glowing")),
)
VOCABULARY = Vocabulary(
    objects=OBJECTS,
    attributes=ATTRIBUTES,
    palette=("orange", "white", "red"),
    confusable={
        **{name: frozenset() for name in OBJECTS},
        "boot": frozenset({"sneaker"}),
        "sneaker": frozenset({"boot"}),
    },
)
EXPECTED = BenchmarkExpectation(sizes={2: (1, 1), 3: (1, 1)}, vocabulary=VOCABULARY)


@dataclass
class Draft:
    """A question before its captions are written; candidates stand in their presented order."""

    question_id: str
    chain_id: str | None
    query: Pairs
    candidates: dict[str, Pairs]
    #: The form of each attribute that isn't drawn in its first form.
    forms: dict[str, str] = field(default_factory=dict)


DRAFTS = (
    Draft(
        question_id="i2",
        chain_id=None,
        query=[("red", "cube"), ("striped", "kite")],
        candidates={
            "attribute_swap": [("red", "kite"), ("striped", "cube")],
            "preserving": [("striped", "kite"), ("red", "cube")],
            "joint_swap": [("striped", "kite"), ("red", "spinning top")],
            "object_swap": [("striped", "cube"), ("red", "kite")],
        },
        forms={"striped": STRIPES[1]},
    ),
    Draft(
        question_id="i3",
        chain_id=None,
        query=[("golden", "cannon"), ("orange", "anchor"), ("wooden", "igloo")],
        candidates={
            "joint_swap": [("wooden", "igloo"), ("orange", "cannon"), ("golden", "anchor")],
            "attribute_swap": [("golden", "anchor"), ("orange", "igloo"), ("wooden", "cannon")],
            "object_swap": [("orange", "cannon"), ("wooden", "anchor"), ("golden", "igloo")],
            "preserving": [("orange", "anchor"), ("wooden", "igloo"), ("golden", "cannon")],
        },
        forms={"wooden": "dark-brown wooden"},
    ),
    Draft(
        question_id="c2",
        chain_id="c",
        query=[("transparent", "teapot"), ("glowing", "boot")],
        candidates={
            "preserving": [("glowing", "boot"), ("transparent", "teapot")],
            "object_swap": [("glowing", "teapot"), ("transparent", "boot")],
            "attribute_swap": [("transparent", "boot"), ("glowing", "teapot")],
            "joint_swap": [("camouflage", "boot"), ("transparent", "teapot")],
        },
    ),
    Draft(
        question_id="c3",
        chain_id="c",
        query=[("sandy", "unicycle"), ("glowing", "boot"), ("transparent", "teapot")],
        candidates={
            "object_swap": [
                ("glowing", "unicycle"), ("sandy", "teapot"), ("transparent", "boot"),
            ],
            "joint_swap": [
                ("transparent", "unicycle"), ("glowing", "boot"), ("sandy", "teapot"),
            ],
            "preserving": [
                ("glowing", "boot"), ("sandy", "unicycle"), ("transparent", "teapot"),
            ],
            "attribute_swap": [
                ("sandy", "boot"), ("transparent", "unicycle"), ("glowing", "teapot"),
            ],
        },
    ),
)  # fmt: skip


@dataclass
class Rows:
    """The rows of the four views."""

    questions: list[Row]
    candidates: list[Row]
    scenes: list[Row]
    relevance: list[Row]

    def question(self, question_id: str) -> Row:
        return next(row for row in self.questions if row["question_id"] == question_id)

    def candidate(self, question_id: str, role: str) -> Row:
        return next(row for row in self.candidates if row["scene_id"] == f"{question_id}-{role}")

    def scene(self, scene_id: str) -> Row:
        return next(row for row in self.scenes if row["scene_id"] == scene_id)


def tiny_drafts() -> dict[str, Draft]:
    """Return the four questions, valid in every respect, for a test to edit."""
    return {draft.question_id: deepcopy(draft) for draft in DRAFTS}


def copies(draft: Draft, count: int) -> dict[str, Draft]:
    """Return the same question many times, each under its own name and in its own chain."""
    return {
        f"{draft.question_id}-{number}": replace(
            deepcopy(draft),
            question_id=f"{draft.question_id}-{number}",
            chain_id=draft.chain_id and f"{draft.chain_id}-{number}",
        )
        for number in range(count)
    }


def rows_of(drafts: dict[str, Draft]) -> Rows:
    """Return the rows of these questions, with the relevance of the four valid ones."""
    rows = Rows([], [], [], [])
    for draft in drafts.values():
        _add_question(rows, draft)
    for number, scene in enumerate(rows.scenes):
        scene["flip"] = number % 2 == 0
    positives = [("i2", "i2"), ("i3", "i3"), ("c2", "c2"), ("c2", "c3"), ("c3", "c3")]
    rows.relevance = [
        {"question_id": query, "scene_id": f"{other}-preserving"} for query, other in positives
    ]
    return rows


def connect(rows: Rows) -> duckdb.DuckDBPyConnection:
    """Return a connection with these rows as views."""
    connection = duckdb.connect()
    connection.execute(
        """
        CREATE TABLE questions (question_id TEXT, n BIGINT, subset TEXT, chain_id TEXT,
            query_scene_id TEXT, answer BIGINT);
        CREATE TABLE candidates (question_id TEXT, position BIGINT, role TEXT, scene_id TEXT,
            bindings_kept BIGINT, objects_from BIGINT[], attributes_from BIGINT[]);
        CREATE TABLE scenes (scene_id TEXT, bindings STRUCT(attribute TEXT, object TEXT)[],
            text TEXT, generation_text TEXT, image_prompt TEXT, flip BOOLEAN, scattered_text TEXT);
        CREATE TABLE relevance (question_id TEXT, scene_id TEXT);
        """
    )
    for view, stored in vars(rows).items():
        for row in stored:
            marks = ", ".join("?" for _ in row)
            connection.execute(f"INSERT INTO {view} VALUES ({marks})", list(row.values()))
    return connection


def validate(rows: Rows, expected: BenchmarkExpectation = EXPECTED) -> dict[str, RuleReport]:
    """Return the report of each rule over these rows, by its name."""
    return {report.rule: report for report in validate_benchmark(connect(rows), expected)}


def findings(rows: Rows, expected: BenchmarkExpectation = EXPECTED) -> dict[str, list[str]]:
    """Return what each failed rule found, by the rule's name."""
    reports = validate(rows, expected)
    return {name: list(report.examples) for name, report in reports.items() if report.failed}


def _add_question(rows: Rows, draft: Draft) -> None:
    name = draft.question_id
    rows.questions.append(
        {
            "question_id": name,
            "n": len(draft.query),
            "subset": "nested" if draft.chain_id else "independent",
            "chain_id": draft.chain_id,
            "query_scene_id": f"{name}-query",
            "answer": list(draft.candidates).index("preserving"),
        }
    )
    rows.scenes.append(_scene(f"{name}-query", draft.query, draft.forms))
    for position, (role, pairs) in enumerate(draft.candidates.items()):
        rows.scenes.append(_scene(f"{name}-{role}", pairs, draft.forms))
        rows.candidates.append(_candidate(draft, position, role, pairs))


def _candidate(draft: Draft, position: int, role: str, pairs: Pairs) -> Row:
    attributes, objects = zip(*draft.query, strict=True)
    return {
        "question_id": draft.question_id,
        "position": position,
        "role": role,
        "scene_id": f"{draft.question_id}-{role}",
        "bindings_kept": len(set(pairs) & set(draft.query)),
        "objects_from": [objects.index(o) if o in objects else -1 for _, o in pairs],
        "attributes_from": [attributes.index(a) if a in attributes else -1 for a, _ in pairs],
    }


def _scene(scene_id: str, pairs: Pairs, forms: dict[str, str]) -> Row:
    first_forms = {attribute.name: attribute.forms[0] for attribute in ATTRIBUTES}
    looks = {**first_forms, **forms}
    phrases = [f"{looks.get(attribute, attribute)} {thing}" for attribute, thing in pairs]
    return {
        "scene_id": scene_id,
        "bindings": [{"attribute": attribute, "object": thing} for attribute, thing in pairs],
        "text": _caption([f"{attribute} {thing}" for attribute, thing in pairs]),
        "generation_text": _caption(phrases),
        "image_prompt": (
            f"On a gray background, each exactly once: {'; '.join(phrases)}. "
            "Scattered, not in a row. Colors don't bleed."
        ),
        "flip": False,
        "scattered_text": _scattered(pairs),
    }


def _caption(phrases: list[str]) -> str:
    return f"{_sentence([_noun(phrase) for phrase in phrases])}."


def _scattered(pairs: Pairs) -> str:
    things = _sentence([f"one {thing} appears" for _, thing in pairs])
    places = ("first", "second", "third")[: len(pairs)]
    looks = [
        f"the {place} is {_noun(attribute)} one"
        for place, (attribute, _) in zip(places, pairs, strict=True)
    ]
    return f"{things}: {_list(looks)}."


def _sentence(parts: list[str]) -> str:
    sentence = _list(parts)
    return sentence[0].upper() + sentence[1:]


def _list(parts: list[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _noun(phrase: str) -> str:
    return f"{'an' if phrase[0] in 'aeio' else 'a'} {phrase}"
