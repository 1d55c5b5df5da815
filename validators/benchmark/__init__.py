"""The rules by which a SABER build validates itself, from the files it wrote.

One rule per function, named for what must hold. They read the views and the vocabulary and share
no code with the generator, so that a mistake there doesn't excuse itself here.
"""

from collections.abc import Callable

import duckdb

from artifacts.reports import RuleReport
from validators.benchmark import (
    answers,
    captions,
    chains,
    coverage,
    images,
    references,
    relevance,
    scattered,
    swaps,
    words,
)
from validators.benchmark.coverage import CoverageRow, coverage_table
from validators.benchmark.expectation import BenchmarkExpectation
from validators.benchmark.tables import Benchmark, read_benchmark

__all__ = [
    "RULES",
    "BenchmarkExpectation",
    "CoverageRow",
    "RuleReport",
    "coverage_table",
    "validate_benchmark",
]

#: In the order in which they are reported: first what the later ones take for granted.
RULES: tuple[Callable[[Benchmark], RuleReport], ...] = (
    references.questions_per_n_and_subset,
    references.one_candidate_per_role,
    references.four_positions_per_question,
    references.identifiers_are_unique,
    references.every_scene_used_once,
    references.chain_ids_mark_nested_questions,
    words.n_distinct_words_in_every_scene,
    words.no_confusable_objects_in_a_scene,
    words.words_come_from_the_vocabulary,
    answers.exactly_one_correct_candidate,
    answers.bindings_kept_recomputed,
    answers.assignments_recomputed,
    answers.roles_spread_over_positions,
    swaps.candidates_permute_the_query,
    swaps.assignments_pairwise_distinct,
    swaps.preserving_reorders_the_query,
    swaps.attribute_swap_moves_attributes_only,
    swaps.object_swap_moves_objects_only,
    swaps.joint_swap_moves_both,
    swaps.joint_swap_of_two_replaces_one_word,
    swaps.both_kinds_of_replacement_occur,
    chains.one_question_per_n_in_every_chain,
    chains.every_step_adds_one_binding,
    chains.earlier_order_survives_by_chance_only,
    captions.text_says_the_bindings,
    captions.generation_text_says_the_bindings,
    captions.articles_follow_the_sound,
    captions.no_spatial_words_in_captions,
    captions.one_look_per_attribute_in_a_question,
    captions.one_look_per_attribute_in_a_chain,
    scattered.scattered_text_where_asked,
    scattered.scattered_text_says_the_bindings,
    scattered.scattered_articles_follow_the_sound,
    scattered.scattered_text_keeps_words_apart,
    images.prompt_names_every_binding,
    images.prompt_states_the_requirements,
    images.half_of_the_images_flipped,
    relevance.relevance_is_containment,
    relevance.independent_query_has_one_positive,
    relevance.nested_query_has_later_positives,
    coverage.coverage,
    coverage.independent_queries_differ,
)


def validate_benchmark(
    connection: duckdb.DuckDBPyConnection, expected: BenchmarkExpectation
) -> list[RuleReport]:
    """Judge the build whose views `connection` holds, by every rule."""
    benchmark = read_benchmark(connection, expected)
    return [rule(benchmark) for rule in RULES]
