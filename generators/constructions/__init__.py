"""The constructions of section B.2, one module each; a new one adds its line to `CONSTRUCTIONS`."""

from generators.constructions import (
    attr_bundle,
    deferred_bind_anaphoric,
    deferred_bind_respective,
    pair_swap,
    predicative,
    triple_bind_cycle,
    triple_bind_swap,
)
from generators.constructions.base import Construction

CONSTRUCTIONS: dict[str, Construction] = {
    module.CONSTRUCTION.name: module.CONSTRUCTION
    for module in (
        pair_swap,
        attr_bundle,
        predicative,
        triple_bind_cycle,
        triple_bind_swap,
        deferred_bind_anaphoric,
        deferred_bind_respective,
    )
}
