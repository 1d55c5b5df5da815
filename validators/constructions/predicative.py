"""predicative: attributes detached from their objects by a verb or a relative clause (B.2)."""

from collections.abc import Iterator

from artifacts.plans import Violation
from validators.evidence import Checker, Evidence
from validators.rules.adjacency import attributes_detached
from validators.rules.references import BINDERS
from validators.structure import clause_gap, intend_swap, link_clauses, read_clauses


def predicated(evidence: Evidence) -> Iterator[Violation]:
    """A copula, a verb of change or a relative pronoun stands between object and attribute."""
    words = evidence.positive.reading.words
    for noun, attribute in link_clauses(evidence.positive):
        between = words[min(noun.end, attribute.end) : max(noun.start, attribute.start)]
        if BINDERS.isdisjoint(between):
            detail = f"no verb or relative pronoun joins {noun.word!r} and {attribute.word!r}"
            yield Violation("predicated", detail)


CHECKER = Checker(
    name="predicative",
    objects=2,
    attributes_per_object=1,
    takes_distractors=True,
    read_bindings=read_clauses,
    measure_distance=clause_gap,
    intend=intend_swap,
    rules=(attributes_detached, predicated),
)
