"""The rules by which a finished text dataset is validated, from its stored rows.

One rule per function, named for what must hold. They read the views alone: what generators did is
no witness here, and of the judgement that accepted a row only `construction_rules` asks again.
Rows stream past once for all rules; what is a question about sets is left to DuckDB.
"""

from collections.abc import Callable, Iterator

import duckdb

from artifacts.reports import RuleReport
from validators.constructions import CHECKERS
from validators.dataset import (
    attempts,
    construction_rules,
    gates,
    measures,
    moves,
    pairs,
    replay,
    splits,
    writing,
)
from validators.dataset.case import Case, prepare
from validators.dataset.expectation import DatasetExpectation
from validators.dataset.findings import Tally
from validators.dataset.gates import Draws
from validators.dataset.rows import stream_examples
from validators.dataset.statistics import ConstructionStatistics, dataset_statistics

__all__ = [
    "GATES",
    "PLACE_RULES",
    "ROW_RULES",
    "SET_RULES",
    "ConstructionStatistics",
    "DatasetExpectation",
    "RuleReport",
    "dataset_statistics",
    "failing_attempts",
    "validate_dataset",
]

#: Asked of the views as sets.
SET_RULES: tuple[Callable[[duckdb.DuckDBPyConnection, DatasetExpectation], RuleReport], ...] = (
    attempts.quotas_are_exact,
    attempts.example_names_are_unique,
    attempts.attempts_numbered_without_gaps,
    attempts.attempts_add_up,
    attempts.pending_and_surplus_come_last,
    attempts.accepted_attempts_have_one_example,
    attempts.rejected_attempts_have_one_rejection,
    attempts.rejections_say_why,
    attempts.rejections_repeat_the_raw_draft,
    attempts.counted_words_have_an_example,
    replay.words_admitted_below_their_cap,
    replay.no_word_set_accepted_twice,
    splits.every_example_in_one_split,
    splits.held_out_constructions_are_held_out,
    splits.splits_have_their_sizes,
    splits.no_word_set_in_two_splits,
    splits.two_triplets_per_example,
    splits.triplets_repeat_their_example,
)
#: Asked of every example.
ROW_RULES: tuple[Callable[[Case], str | None], ...] = (
    pairs.pairs_fit_the_construction,
    pairs.attributes_are_single_words,
    pairs.core_words_are_distinct,
    pairs.core_words_once_in_every_text,
    pairs.query_lists_the_pairs,
    pairs.words_counted_are_the_examples,
    pairs.families_looked_up,
    pairs.draws_belong_to_the_construction,
    pairs.counterbalanced_as_asked,
    pairs.distractors_are_in_the_text,
    moves.negatives_permute_the_words,
    moves.captions_differ,
    measures.length_recomputed,
    measures.length_within_band,
    measures.distance_within_window,
    writing.captions_end_with_a_stop,
    writing.captions_have_single_spaces,
    writing.captions_come_from_their_draft,
    construction_rules.rules_of_the_construction,
)
#: Asked of every example whose core words are each in their one place; others have failed already.
PLACE_RULES: tuple[Callable[[Case], str | None], ...] = (
    moves.frame_stays,
    moves.core_words_keep_their_case,
    moves.attribute_negative_moves_attributes_only,
    moves.object_negative_moves_objects_only,
    moves.just_the_intended_words_move,
    moves.three_pairs_rotate_alike,
    moves.described_first_as_the_text,
    measures.distance_recomputed,
    writing.articles_fit_core_words,
)
#: Asked of how all draws came out.
GATES: tuple[Callable[[Draws], RuleReport], ...] = (
    gates.query_order_is_drawn,
    gates.second_object_described_first_in_half,
    gates.positive_is_drawn_from_the_orbit,
)


def validate_dataset(
    connection: duckdb.DuckDBPyConnection, expected: DatasetExpectation
) -> list[RuleReport]:
    """Judge the dataset whose views `connection` holds, by every rule.

    Read are examples, attempts, rejections, accepted_words, splits and triplets.
    """
    reports = [rule(connection, expected) for rule in SET_RULES]
    tallies = {rule: Tally(rule.__name__) for rule in (*ROW_RULES, *PLACE_RULES)}
    draws = Draws()
    for case in _cases(connection, expected):
        rules = ROW_RULES
        if case.is_readable:
            rules += PLACE_RULES
            draws.count(case)
        for rule in rules:
            finding = rule(case)
            tallies[rule].add(finding and f"{case.row.example_id}: {finding}")
    reports += [tally.report() for tally in tallies.values()]
    return [*reports, *(gate(draws) for gate in GATES)]


def failing_attempts(
    connection: duckdb.DuckDBPyConnection, expected: DatasetExpectation
) -> Iterator[tuple[str, int]]:
    """Yield construction and attempt of every example that breaks a rule by itself."""
    for case in _cases(connection, expected):
        rules = (*ROW_RULES, *PLACE_RULES) if case.is_readable else ROW_RULES
        if any(rule(case) is not None for rule in rules):
            yield case.row.construction, case.row.attempt


def _cases(connection: duckdb.DuckDBPyConnection, expected: DatasetExpectation) -> Iterator[Case]:
    for construction in expected.quotas:
        if construction in CHECKERS:
            for row in stream_examples(connection, construction):
                yield prepare(row, CHECKERS[construction], expected)
