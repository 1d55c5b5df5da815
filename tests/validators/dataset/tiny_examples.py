"""Fourteen right examples by hand, two of each construction: attempts 0 and 2.

All is written out but for lengths and families, which follow from text and words.
"""

from copy import deepcopy
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]

FAMILIES = {
    **dict.fromkeys(("inviting", "ugly"), "appeal"),
    **dict.fromkeys(("delicate", "ridged"), "texture"),
    **dict.fromkeys(("tiny", "huge"), "size"),
    **dict.fromkeys(("red", "blue", "green"), "color"),
}


def _example(
    name: str,
    query: str,
    captions: tuple[str, str, str],
    band: tuple[int, int],
    distance: tuple[int, int, int],
    **columns: object,
) -> Row:
    construction, attempt = name.rsplit("-", 1)
    positive, negative_attribute, negative_object = captions
    pairs = [_pair(phrase) for phrase in query.replace(" and ", ", ").split(", ")]
    attributes = [word for pair in pairs for word in pair["attributes"]]
    return {
        "example_id": name,
        "construction": construction,
        "attempt": int(attempt),
        "query": query,
        "positive": positive,
        "negative_attribute": negative_attribute,
        "negative_object": negative_object,
        "pairs": pairs,
        "distractors": [],
        "length_words": len(positive.split()),
        **dict(zip(("band_low", "band_high"), band, strict=True)),
        **dict(zip(("distance_words", "window_low", "window_high"), distance, strict=True)),
        "scene": "at a market",
        "time": None,
        "weather": None,
        "register": "field notebook",
        "opener": "plain",
        "families": [FAMILIES.get(attribute) for attribute in attributes],
        "counterbalanced": True,
        "kept_pair": None,
        "swapped_slot": None,
        "described_first": None,
        "remarks": [],
        "writer": "embedded",
        "model": "grammar-1",
        **columns,
    }


def _pair(phrase: str) -> Row:
    *attributes, noun = phrase.split()
    return {"attributes": attributes, "object": noun}


EXAMPLES = (
    _example(
        "pair_swap-0",
        "icy shroud and red tunic",
        (
            "At dawn the red tunic hung beside an icy shroud by the gate.",
            "At dawn the icy tunic hung beside a red shroud by the gate.",
            "At dawn the red shroud hung beside an icy tunic by the gate.",
        ),
        (10, 15),
        (3, 3, 6),
    ),
    _example(
        "pair_swap-2",
        "old owl and torn flag",
        (
            "An old owl, a torn flag and the wet boot stayed on the porch.",
            "A torn owl, an old flag and the wet boot stayed on the porch.",
            "An old flag, a torn owl and the wet boot stayed on the porch.",
        ),
        (10, 15),
        (1, 0, 2),
        distractors=[_pair("wet boot")],
    ),
    _example(
        "attr_bundle-0",
        "inviting delicate glass and ugly ridged plate",
        (
            "Sipping tea, I used an inviting delicate glass and ugly ridged plate.",
            "Sipping tea, I used an ugly delicate glass and inviting ridged plate.",
            "Sipping tea, I used an inviting delicate plate and ugly ridged glass.",
        ),
        (10, 15),
        (1, 0, 2),
        swapped_slot=0,
    ),
    _example(
        "attr_bundle-2",
        "huge green pond and tiny blue kite",
        (
            "A tiny blue kite drifted over the huge green pond at noon.",
            "A tiny green kite drifted over the huge blue pond at noon.",
            "A tiny blue pond drifted over the huge green kite at noon.",
        ),
        (10, 15),
        (3, 3, 6),
        swapped_slot=1,
    ),
    _example(
        "predicative-0",
        "torn page and dated book",
        (
            "Suddenly, the book was dated and the page was torn per report.",
            "Suddenly, the book was torn and the page was dated per report.",
            "Suddenly, the page was dated and the book was torn per report.",
        ),
        (10, 15),
        (1, 1, 2),
    ),
    _example(
        "predicative-2",
        "quiet engine and noisy street",
        (
            "By noon the engine had become quiet while the street turned noisy.",
            "By noon the engine had become noisy while the street turned quiet.",
            "By noon the street had become quiet while the engine turned noisy.",
        ),
        (10, 15),
        (1, 1, 2),
    ),
    _example(
        "triple_bind_cycle-0",
        "icy shroud, torn flag and red tunic",
        (
            "Red tunic, icy shroud and torn flag lay on the long table.",
            "Torn tunic, red shroud and icy flag lay on the long table.",
            "Red flag, icy tunic and torn shroud lay on the long table.",
        ),
        (12, 17),
        (0, 0, 2),
    ),
    _example(
        "triple_bind_cycle-2",
        "new lamp, plain chair and old table",
        (
            "We sold a new lamp, the plain chair and an old table to the mayor.",
            "We sold a plain lamp, the old chair and a new table to the mayor.",
            "We sold a new chair, the plain table and an old lamp to the mayor.",
        ),
        (12, 17),
        (1, 0, 2),
    ),
    _example(
        "triple_bind_swap-0",
        "worn palette, simple easel and shared canvas",
        (
            "Here the shared canvas, a simple easel and the worn palette gathered dust.",
            "Here the worn canvas, a simple easel and the shared palette gathered dust.",
            "Here the shared palette, a simple easel and the worn canvas gathered dust.",
        ),
        (12, 17),
        (1, 0, 2),
        kept_pair=1,
    ),
    _example(
        "triple_bind_swap-2",
        "amber vase, loud radio and dusty clock",
        (
            "Someone left an amber vase, a dusty clock and the loud radio behind.",
            "Someone left an amber vase, a loud clock and the dusty radio behind.",
            "Someone left an amber vase, a dusty radio and the loud clock behind.",
        ),
        (12, 17),
        (1, 0, 2),
        kept_pair=0,
    ),
    _example(
        "deferred_bind_anaphoric-0",
        "hard umbrella and greenish awning",
        (
            "Under the sun, an awning stood by an umbrella. The first was greenish, and the "
            "second felt hard.",
            "Under the sun, an awning stood by an umbrella. The first was hard, and the second "
            "felt greenish.",
            "Under the sun, an umbrella stood by an awning. The first was greenish, and the "
            "second felt hard.",
        ),
        (16, 22),
        (3, 3, 6),
        described_first=0,
    ),
    _example(
        "deferred_bind_anaphoric-2",
        "sturdy drum and fragile harp",
        (
            "At the fair a drum stood near a harp. The latter looked fragile, while the former "
            "seemed sturdy.",
            "At the fair a drum stood near a harp. The latter looked sturdy, while the former "
            "seemed fragile.",
            "At the fair a harp stood near a drum. The latter looked fragile, while the former "
            "seemed sturdy.",
        ),
        (16, 22),
        (3, 3, 6),
        described_first=1,
    ),
    _example(
        "deferred_bind_respective-0",
        "neat fence and new bench",
        (
            "The bench by the path and the fence near the pinkish petal were new and neat "
            "respectively.",
            "The bench by the path and the fence near the pinkish petal were neat and new "
            "respectively.",
            "The fence by the path and the bench near the pinkish petal were new and neat "
            "respectively.",
        ),
        (16, 22),
        (5, 3, 6),
        distractors=[_pair("pinkish petal")],
    ),
    _example(
        "deferred_bind_respective-2",
        "faded tent and sleek canoe",
        (
            "The tent by a river and the canoe on the sand looked faded and sleek, in that order.",
            "The tent by a river and the canoe on the sand looked sleek and faded, in that order.",
            "The canoe by a river and the tent on the sand looked faded and sleek, in that order.",
        ),
        (16, 22),
        (4, 3, 6),
    ),
)


def tiny_examples() -> dict[str, Row]:
    """Return the fourteen examples, valid in every respect, for a test to edit."""
    return {row["example_id"]: deepcopy(row) for row in EXAMPLES}
