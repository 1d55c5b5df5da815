"""The verdict on one assembled example: all that it breaks, and what its row records.

Pure: reads the ledger's view and changes nothing. An example without violations is accepted; who
asked then tells the ledger. Knows nothing of attempts, files or writers.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from artifacts.ledger_view import LedgerView
from artifacts.plans import Assembled, Violation
from validators.constructions import CHECKERS
from validators.evidence import Evidence, Rule, gather
from validators.rules.bindings import binding_expressed, binding_intended, binding_survives
from validators.rules.captions import (
    article_agreement,
    find_article_errors,
    printable,
    prompt_leak,
)
from validators.rules.families import families_of
from validators.rules.measures import distance, length
from validators.rules.permutations import one_kind_moves, permutation, texts_distinct
from validators.rules.vocabulary import duplicate, word_cap
from validators.rules.words import (
    attribute_count,
    attribute_words,
    core_word_count,
    distractors,
    pair_count,
    query_form,
    words_distinct,
)
from vocab.dataset_words import load_word_bank

#: Rules that any example can be put to.
WORD_RULES: tuple[Rule, ...] = (
    printable,
    prompt_leak,
    pair_count,
    attribute_count,
    attribute_words,
    words_distinct,
    core_word_count,
    query_form,
    distractors,
    length,
    permutation,
    texts_distinct,
    article_agreement,
)
#: Rules that need every core word in its place; the construction's own follow them.
BINDING_RULES: tuple[Rule, ...] = (
    one_kind_moves,
    binding_expressed,
    binding_survives,
    binding_intended,
    distance,
)
#: Rules that need the ledger.
LEDGER_RULES: tuple[Callable[[Evidence, LedgerView], Iterator[Violation]], ...] = (
    word_cap,
    duplicate,
)
#: Broken, these leave no slots to speak of.
_FATAL = frozenset({"pair_count", "attribute_count", "words_distinct", "core_word_count"})


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the rules found on one example."""

    #: Empty: the example is accepted.
    violations: tuple[Violation, ...]
    #: Found in the draft and recorded without rejecting it.
    remarks: tuple[str, ...]
    length_words: int
    #: None where the example has no readable bindings; it is rejected then.
    distance_words: int | None
    #: Family of each attribute, in pair order; None for one outside the pool.
    families: tuple[str | None, ...]


def judge(
    example: Assembled, view: LedgerView, family_of: Mapping[str, str] | None = None
) -> Judgement:
    """Put every rule to `example`; `family_of` defaults to the packaged word bank's."""
    evidence = _gather(example, family_of)
    violations = [*_structural(evidence)]
    for rule in LEDGER_RULES:
        violations += rule(evidence, view)
    binds = bool(evidence.said and evidence.said[0])
    return Judgement(
        violations=tuple(violations),
        remarks=tuple(_remarks(evidence)),
        length_words=len(evidence.positive.reading.words),
        distance_words=evidence.checker.measure_distance(evidence.positive) if binds else None,
        families=families_of(evidence),
    )


def structural_violations(
    example: Assembled, family_of: Mapping[str, str] | None = None
) -> tuple[Violation, ...]:
    """Put every rule to `example` that needs no ledger (section B.4)."""
    return tuple(_structural(_gather(example, family_of)))


def _gather(example: Assembled, family_of: Mapping[str, str] | None) -> Evidence:
    families = load_word_bank().family_of if family_of is None else family_of
    return gather(example, CHECKERS[example.plan.construction], families)


def _structural(evidence: Evidence) -> list[Violation]:
    violations: list[Violation] = []
    for rule in WORD_RULES:
        violations += rule(evidence)
    if _FATAL.isdisjoint(violation.rule for violation in violations):
        for rule in (*BINDING_RULES, *evidence.checker.rules):
            violations += rule(evidence)
    return violations


def _remarks(evidence: Evidence) -> Iterator[str]:
    for error in find_article_errors(evidence.positive.reading):
        yield f"article_error: {error}"
    if evidence.checker.attributes_per_object > 1:
        for attribute in evidence.words.attributes:
            if attribute not in evidence.family_of:
                yield f"unknown_family: {attribute}"
