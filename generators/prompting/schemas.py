"""The JSON schema that a reply must meet: every text and every list of it is bounded.

A field without a bound lets a model run on to its token limit. Pairs come before the text, so that
the words are settled before the sentence is. Knows sizes; nothing of prompts.
"""

from pydantic import JsonValue

from generators.constructions.base import Construction

#: Longest text in characters: the longest band has 50 words, and 12 letters a word are plenty.
MAX_TEXT_CHARACTERS = 600
#: Longest attribute, and longest object, in characters.
MAX_ATTRIBUTE_CHARACTERS = 24
MAX_OBJECT_CHARACTERS = 40


def chosen_schema(construction: Construction, side_pairs: int) -> dict[str, JsonValue]:
    """Return the schema of a reply that brings its own pairs, just as many as are asked for."""
    pairs = _pairs(construction.objects, construction.attributes_per_object)
    if not side_pairs:
        return _object({"pairs": pairs, "positive": _text(MAX_TEXT_CHARACTERS)})
    return _object(
        {
            "pairs": pairs,
            "distractors": _pairs(side_pairs, 1),
            "positive": _text(MAX_TEXT_CHARACTERS),
        }
    )


def given_schema() -> dict[str, JsonValue]:
    """Return the schema of a reply whose pairs the plan has fixed."""
    return _object({"positive": _text(MAX_TEXT_CHARACTERS)})


def _pairs(count: int, attributes: int) -> JsonValue:
    pair = _object(
        {
            "attributes": _list(_text(MAX_ATTRIBUTE_CHARACTERS), attributes),
            "object": _text(MAX_OBJECT_CHARACTERS),
        }
    )
    return _list(pair, count)


def _object(properties: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(item: JsonValue, count: int) -> JsonValue:
    return {"type": "array", "items": item, "minItems": count, "maxItems": count}


def _text(longest: int) -> JsonValue:
    return {"type": "string", "minLength": 1, "maxLength": longest}
