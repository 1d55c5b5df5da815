"""Which things go together: no ferry in a chess club, no navy chilly curb.

Knows domains of nouns, families of adjectives and the words of scenes; nothing of how any of them
are drawn. A user's own domains and families are taken as they come.
"""

from collections.abc import Iterable

from vocab.dataset_words import Noun

#: Domains of things that stand, drive or float out of doors.
LARGE_DOMAINS = frozenset(
    (
        *("carriage", "vehicle", "ship", "workboat"),
        *("dwelling", "edifice", "structure", "infrastructure"),
    )
)

#: The order in which English sets adjectives of different families before a noun.
_FAMILY_ORDER = (
    *("appeal", "value", "quality", "style", "size", "condition", "wear", "cleanliness"),
    *("moisture", "texture", "shape", "age", "color", "pattern", "origin"),
    *("fabric", "metal", "wood", "material"),
)

#: Prepositions that scenes under a roof begin with, and the open places that they can lead to.
_ENCLOSING = frozenset(("in", "inside", "aboard", "within", "above", "down"))
_OPEN_PLACES = frozenset(
    (
        *("yard", "backyard", "courtyard", "courtyards", "plaza", "piazza", "lot", "lane", "alley"),
        *("cul-de-sac", "meadow", "pasture", "grove", "gully", "cove", "field", "salvage"),
    )
)
#: Words of scenes that have no room for a barn, whatever they begin with.
_CRAMPED = frozenset(
    (
        *(
            "aisle",
            "assembly",
            "backstage",
            "baggage",
            "balcony",
            "ballet",
            "ballroom",
            "bandstand",
        ),
        *("banquet", "bar", "beehive", "birthday", "book", "bookmobile", "booth", "bowling"),
        *("boxing", "canopy", "caravan", "carousel", "catwalk", "charity", "checkout", "class"),
        *("classroom", "contest", "cookhouse", "corridor", "costume", "counter", "courtroom"),
        *("craft", "collectors'", "dance", "darts", "datacenter", "deck", "desk", "dinner"),
        *("doorstep", "doorway", "eaves", "escalator", "escape", "family", "fashion", "film"),
        *("foundry", "gallery", "gangway", "gantry", "garage", "girders", "graduation", "hayloft"),
        *("hearth", "hide", "hospital", "hotel", "housewarming", "kiosk", "kitchen", "landing"),
        *("library", "lido", "lobby", "lockers", "mailroom", "masquerade", "mezzanine", "museum"),
        *("newsroom", "newsstand", "nurse's", "office", "patio", "pharmacy", "pizzeria", "plank"),
        *("porch", "pottery", "props", "puppet", "quilt", "reading", "reception", "reunion"),
        *("rink", "roof", "rooftop", "rummage", "bake", "scaffold", "sharpening", "shower"),
        *("showroom", "soundstage", "stage", "staircase", "stall", "stand", "subway", "surgery"),
        *("swap", "tack", "talent", "tea", "terrace", "throne", "toy", "turbine", "vaccination"),
        *("veranda", "ward", "wedding", "houseboat", "jumble", "press", "raft", "practice"),
        *("clinic", "compost", "cart", "cooking", "launderette"),
    )
)


def has_room(scene: str) -> bool:
    """Whether a vehicle or a building may be seen at a scene."""
    words = scene.split()
    if words[0] in _ENCLOSING:
        return not _OPEN_PLACES.isdisjoint(words)
    return _CRAMPED.isdisjoint(words)


def is_large(noun: Noun) -> bool:
    """Whether a thing needs room."""
    return noun.domain in LARGE_DOMAINS


def in_natural_order(families: Iterable[str]) -> list[str]:
    """Return families in the order of their adjectives, unknown ones at the front as they come."""
    place = {family: number for number, family in enumerate(_FAMILY_ORDER)}
    return sorted(families, key=lambda family: place.get(family, -1))
