"""From the raw text that a writer returned to a draft, or to the reasons why it is none.

Whatever a writer sends is data: a text that is no draft is a violation with a name, never an
exception. Knows nothing of constructions; whether the caption holds its words is for `assembly`.
"""

from collections.abc import Sequence

from pydantic import ValidationError

from artifacts.plans import Draft, DraftPair, Pair, Plan, Violation

#: Longest raw draft in characters; the longest band needs a tenth.
MAX_RAW_CHARACTERS = 8_000
#: Longest caption in characters: 50 words of 24 letters.
MAX_CAPTION_CHARACTERS = 1_200
#: Longest attribute or object in characters.
MAX_PHRASE_CHARACTERS = 60
#: Most pairs that a draft may report, queried or distracting.
MAX_PAIRS = 6
#: Most attributes of one pair.
MAX_ATTRIBUTES = 4

#: A pair with its case folded.
_FoldedPair = tuple[tuple[str, ...], str]


def parse_draft(raw: str, plan: Plan) -> Draft | tuple[Violation, ...]:
    """Return the draft that `raw` holds, or what is wrong with it.

    Strict JSON, with nothing but whitespace around it: a fenced or explained reply is malformed,
    for a server that keeps to the schema sends none. Where the plan names the pairs, the draft
    reports the same ones, or reports neither pairs nor distractors and gets the plan's.
    """
    if not raw.strip():
        return (Violation("empty_draft", "the writer returned no text"),)
    if len(raw) > MAX_RAW_CHARACTERS:
        found = f"{len(raw)} characters, at most {MAX_RAW_CHARACTERS} expected"
        return (Violation("oversized_draft", found),)
    try:
        draft = Draft.model_validate_json(raw)
    except ValidationError as error:
        return (Violation("malformed_draft", _describe(error)),)
    if "pairs" not in draft.model_fields_set:
        if not plan.pairs:
            return (Violation("missing_pairs", "the draft reports no pairs, the plan has none"),)
        draft = _with_planned_pairs(draft, plan)
    return _size_violations(draft) or _pair_violations(draft, plan) or draft


def _with_planned_pairs(draft: Draft, plan: Plan) -> Draft:
    reports = "distractors" in draft.model_fields_set
    return Draft(
        pairs=list(map(_as_reported, plan.pairs)),
        distractors=draft.distractors if reports else list(map(_as_reported, plan.distractors)),
        positive=draft.positive,
    )


def _as_reported(pair: Pair) -> DraftPair:
    return DraftPair(attributes=list(pair.attributes), object=pair.object)


def _describe(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(map(str, first["loc"])) or "draft"
    return f"{place}: {first['msg']}"[:300]


def _size_violations(draft: Draft) -> tuple[Violation, ...]:
    if not draft.positive.strip():
        return (Violation("empty_caption", "positive holds no text"),)
    pairs = [*draft.pairs, *draft.distractors]
    phrases = [phrase for pair in pairs for phrase in (*pair.attributes, pair.object)]
    if not all(map(str.strip, phrases)):
        return (Violation("empty_phrase", "an attribute or object is empty"),)
    oversized = (
        len(draft.positive) > MAX_CAPTION_CHARACTERS
        or max(len(draft.pairs), len(draft.distractors)) > MAX_PAIRS
        or any(len(pair.attributes) > MAX_ATTRIBUTES for pair in pairs)
        or any(len(phrase) > MAX_PHRASE_CHARACTERS for phrase in phrases)
    )
    return (Violation("oversized_draft", "caption, pairs or words too long"),) if oversized else ()


def _pair_violations(draft: Draft, plan: Plan) -> tuple[Violation, ...]:
    violations = []
    for name, reported, planned in (
        ("other_pairs", draft.pairs, plan.pairs),
        ("other_distractors", draft.distractors, plan.distractors),
    ):
        if planned and _fold(reported) != _fold(planned):
            found = f"reported {_fold(reported)}, planned {_fold(planned)}"
            violations.append(Violation(name, found))
    return tuple(violations)


def _fold(pairs: Sequence[DraftPair] | Sequence[Pair]) -> list[_FoldedPair]:
    return sorted(
        (tuple(map(str.casefold, pair.attributes)), pair.object.casefold()) for pair in pairs
    )
