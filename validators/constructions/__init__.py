"""How each construction of section B.2 is judged; a new one adds its line to `CHECKERS`."""

from validators.constructions import (
    attr_bundle,
    deferred_bind_anaphoric,
    deferred_bind_respective,
    pair_swap,
    predicative,
    triple_bind_cycle,
    triple_bind_swap,
)
from validators.evidence import Checker

CHECKERS: dict[str, Checker] = {
    module.CHECKER.name: module.CHECKER
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
